/// Chance out of a seed: the same seed gives the same numbers, on every machine.
///
/// SplitMix64. *Source:* Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014.
final class SimulationRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A generator of its own, which the numbers drawn here later do not change.
    func split() -> SimulationRandom { SimulationRandom(seed: next()) }

    /// A number from 0 to `count - 1`; `count` is at least 1.
    func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// A number of a closed range.
    func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// A duration of a closed range of milliseconds, in nanoseconds.
    func milliseconds(_ range: ClosedRange<Int>) -> Int64 {
        Int64(range.lowerBound) * 1_000_000
            + Int64(below((range.upperBound - range.lowerBound) * 1_000_000 + 1))
    }

    /// True so many times in ten thousand.
    func happens(_ perTenThousand: Int) -> Bool {
        perTenThousand > 0 && below(10_000) < perTenThousand
    }

    /// One of a list that is not empty.
    func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }
}
