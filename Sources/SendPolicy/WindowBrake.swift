/// A ``Brake`` that looks only at the answers of the last minute.
///
/// A share over the whole run would notice trouble late: after an hour of good answers, minutes of
/// bad ones weigh little. The window is a ring of twelve parts of five seconds. A part is emptied
/// when its place is needed again, so an answer counts for at least 55 and at most 60 seconds.
///
/// *Ownership and thread*: a value, owned by whoever judges the answers.
package struct WindowBrake: Sendable {
    private struct Part {
        /// The five seconds that it counts, numbered from the clock's zero.
        var number: Int64 = -1
        var bad = 0
        var total = 0
    }

    /// How far back it looks.
    package static let windowNanoseconds: Int64 = 60_000_000_000
    private static let partCount = 12
    private static let partNanoseconds = windowNanoseconds / Int64(partCount)

    private let empty: Brake
    private var parts = [Part](repeating: Part(), count: partCount)
    /// What the brake says; once it has tripped it stays so.
    package private(set) var state = BrakeState.undecided

    /// A window that has seen nothing.
    ///
    /// - Parameter brake: Name, threshold and minimum sample; the sample is counted within the
    ///   window too. What it has seen is kept apart from the window.
    package init(_ brake: Brake) {
        empty = brake
    }

    /// Counts answers that came at about the same moment.
    ///
    /// - Parameters:
    ///   - bad: How many speak against going on, 0 to `total`.
    ///   - total: Of how many.
    ///   - nowNanoseconds: When, monotonic; never earlier than in the call before.
    package mutating func record(bad: Int, of total: Int, nowNanoseconds: Int64) {
        if case .tripped = state { return }
        let number = nowNanoseconds / Self.partNanoseconds
        let index = Int(number % Int64(Self.partCount))
        if parts[index].number != number { parts[index] = Part(number: number) }
        parts[index].bad += bad
        parts[index].total += total
        let recent = parts.filter { $0.number > number - Int64(Self.partCount) }
        var window = empty
        window.record(
            bad: recent.reduce(0) { $0 + $1.bad }, of: recent.reduce(0) { $0 + $1.total })
        state = window.state
    }
}
