/// One process's share of a rate that several processes keep together, over all its connections.
///
/// The promise: in no half-open window of one second do more requests begin than the share's whole
/// part; below one a second, no two within `1 / share` seconds. To keep it a bucket's capacity `c`
/// and its refill `r` per second must fit into the share `s` together, because a full bucket can be
/// emptied at once and goes on filling: a window of `w` seconds sees at most `c - 1 + ⌈r * w⌉`. A
/// request goes out a little after the moment at which it was counted, never before; a window of
/// one second on the wire may hold what was counted in 1.01 s if that delay varies by up to 10 ms.
/// So:
///
///     c = max(1, ⌊s / 100⌋)           10 ms' worth, so that a loop need not wake for each request
///     r = (s - c + 1) / 1.01          c - 1 + 1.01 * r = s
///
/// Below 200 a second the capacity is 1: requests are spaced evenly.
///
/// Changes: both `c` and `r` only grow with `s`, and a change adds no credit (it is counted in
/// tokens, and cut to the new capacity). So a window during which the share changed holds no more
/// than the largest share that was in force in it. A bucket begins empty, and so does one that had
/// no limit before: what another process did with this share a moment ago is not known here.
///
/// Example: 1,000 a second. The capacity is 10 and the refill 981.2 a second; after a pause 10
/// requests go at once, and one second brings at most 10 + 981 of them.
package struct ShareBucket: Sendable {
    /// The largest share, 1,000,000 requests per second; larger ones count as this.
    package static let thousandthsMax: Int64 = 1_000_000_000

    /// The share in thousandths of a request per second; nil: no limit; 0: nothing may go.
    package private(set) var thousandthsPerSecond: Int64?
    /// Meaningless unless the share is a limit above 0.
    private var bucket = TokenBucket(rate: .unlimited, burst: 1, nowNanoseconds: 0)

    /// A bucket without a limit.
    package init() {}

    /// Changes the share from now on.
    ///
    /// - Parameters:
    ///   - thousandths: thousandths of a request per second, not negative; nil: no limit; 0:
    ///     nothing may go.
    ///   - nowNanoseconds: the monotonic clock's time.
    package mutating func change(toThousandths thousandths: Int64?, nowNanoseconds: Int64) {
        precondition(thousandths ?? 0 >= 0, "a share is not negative")
        let wanted = thousandths.map { min($0, Self.thousandthsMax) }
        guard wanted != thousandthsPerSecond else { return }
        thousandthsPerSecond = wanted
        guard let wanted, let (rate, capacity) = Self.measures(ofThousandths: wanted) else {
            bucket = TokenBucket(rate: .unlimited, burst: 1, nowNanoseconds: nowNanoseconds)
            return
        }
        let before = bucket
        bucket = TokenBucket(rate: rate, burst: capacity, nowNanoseconds: nowNanoseconds)
        bucket.takeOver(before, nowNanoseconds: nowNanoseconds)
    }

    /// Takes the right to begin one request, if it is there.
    ///
    /// - Parameter nowNanoseconds: the monotonic clock's time.
    /// - Returns: whether the request may begin.
    package mutating func take(nowNanoseconds: Int64) -> Bool {
        thousandthsPerSecond != 0 && bucket.take(nowNanoseconds: nowNanoseconds)
    }

    /// When the next request may begin.
    ///
    /// - Parameter nowNanoseconds: the monotonic clock's time.
    /// - Returns: `nowNanoseconds` if one may now, else a later moment; nil while the share is 0.
    package func nextNanoseconds(nowNanoseconds: Int64) -> Int64? {
        thousandthsPerSecond == 0 ? nil : bucket.nextNanoseconds(nowNanoseconds: nowNanoseconds)
    }

    /// Refill and capacity for a share; nil for a share of 0.
    private static func measures(ofThousandths thousandths: Int64) -> (Rate, Int)? {
        let whole = thousandths / 1000
        let fraction: RateFraction?
        let capacity = max(1, whole / 100)
        if whole >= 1 {
            fraction = RateFraction(
                count: (whole - capacity + 1) * 100, periodNanoseconds: 101_000_000_000)
        } else {
            fraction = RateFraction(count: thousandths, periodNanoseconds: 1_010_000_000_000)
        }
        return fraction.map { (.limited($0), Int(capacity)) }
    }
}

extension TokenBucket {
    /// Goes on with what another bucket holds, counted in tokens and cut to this one's capacity: no
    /// token comes from the change. One without a limit hands over nothing.
    ///
    /// - Parameters:
    ///   - other: the bucket that is given up.
    ///   - nowNanoseconds: the monotonic clock's time.
    package mutating func takeOver(_ other: TokenBucket, nowNanoseconds: Int64) {
        var other = other
        other.earn(until: nowNanoseconds)
        lastNanoseconds = max(lastNanoseconds, other.lastNanoseconds)
        guard other.earned > 0 else {
            credit = 0
            return
        }
        let (tokens, rest) = other.credit.quotientAndRemainder(dividingBy: other.cost)
        // The quotient is below `cost`, because the rest is below the divisor.
        let part = other.cost.dividingFullWidth(rest.multipliedFullWidth(by: cost)).quotient
        // Both factors are bounded: burstMax * periodMax fits into 64 bits many times over.
        credit = min(creditMax, tokens * cost + part)
    }
}
