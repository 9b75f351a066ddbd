// The largest number of requests in any one second, over a window that slides with the arrivals
// (calendar seconds would miss a burst that straddles two of them).
//
// Arrivals are counted in ticks of 100 µs. A ring holds one entry (tick, count) for each tick that
// had arrivals, oldest first, and `inWindow` is the sum of its counts. An arrival at tick t first
// drops the entries of ticks up to t - 10,000, then counts itself. So the window spans the 10,000
// ticks t - 9,999 ... t: it never joins two arrivals a full second apart, and misses at most the
// 100 µs at its edge. At most 10,000 entries are held (160 kB), whatever the rate; recording costs
// a few nanoseconds.
//
// Example: 100 arrivals at 0 s and one each at 0.5 s, 1.0 s: the second at 0.5 s makes 101, the one
// at 1.0 s finds the first hundred gone and makes 2. The largest is 101.

/// Counts arrivals and remembers the largest number within any one second.
///
/// Owned by one connection, used on its thread.
struct ArrivalWindow {
    private struct Entry {
        var tick: Int64
        var count: Int
    }

    private static let tickNanoseconds: Int64 = 100_000
    private static let windowTicks: Int64 = 10_000

    private var ring: [Entry] = []
    private var first = 0
    private var length = 0
    private var inWindow = 0
    private(set) var largest = 0

    /// Counts arrivals.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - nowNanoseconds: Monotonic time, never before that of an earlier call.
    mutating func record(count: Int = 1, nowNanoseconds: Int64) {
        let tick = nowNanoseconds / Self.tickNanoseconds
        dropEntries(upTo: tick - Self.windowTicks)
        append(tick, count)
        inWindow += count
        if inWindow > largest { largest = inWindow }
    }

    private mutating func dropEntries(upTo tick: Int64) {
        while length > 0, ring[first].tick <= tick {
            inWindow -= ring[first].count
            first = (first + 1) & (ring.count - 1)
            length -= 1
        }
    }

    private mutating func append(_ tick: Int64, _ count: Int) {
        if length > 0 {
            let last = (first + length - 1) & (ring.count - 1)
            if ring[last].tick == tick {
                ring[last].count += count
                return
            }
        }
        if length == ring.count { grow() }
        ring[(first + length) & (ring.count - 1)] = Entry(tick: tick, count: count)
        length += 1
    }

    /// Doubles the ring; its size stays a power of two so that positions wrap by a mask.
    private mutating func grow() {
        var larger: [Entry] = []
        larger.reserveCapacity(max(64, ring.count * 2))
        for index in 0..<length { larger.append(ring[(first + index) & (ring.count - 1)]) }
        let target = max(64, ring.count * 2)
        while larger.count < target { larger.append(Entry(tick: 0, count: 0)) }
        ring = larger
        first = 0
    }
}
