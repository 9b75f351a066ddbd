/// How much of its configured pace a connection uses: all of it while APNs keeps up, less after
/// signs of overload.
///
/// Apple publishes no rate; overload shows as a lower stream limit, refused streams, 5xx answers
/// and rising latency. A sign halves the pace, at most once a second, down to an eighth; each quiet
/// second gives a twentieth of the whole back (multiplicative decrease, additive increase). So a
/// burst of signs from one cause counts once, and a connection finds the pace its server bears.
///
/// *Ownership and thread*: a value, one per connection, owned by its loop. Time is monotonic.
package struct AdaptivePace: Sendable, Equatable {
    /// What speaks for overload.
    package enum Sign: String, Sendable, CaseIterable {
        /// SETTINGS lowered the stream limit.
        case fewerStreams = "the server allows fewer streams"
        /// A stream was refused.
        case refusedStream = "the server refused a stream"
        /// An answer of the 5xx kind.
        case serverError = "the server answered with an error of its own"
        /// Answers take much longer than the quickest ones did.
        case slowAnswers = "answers take much longer than before"
    }

    /// The whole pace, in parts.
    package static let whole = 40
    /// The least pace: an eighth.
    package static let least = 5
    private static let recovery = 2
    private static let stepNanoseconds: Int64 = 1_000_000_000
    /// Latency counts as risen at so many times the quickest average …
    private static let latencyFactor: Int64 = 4
    /// … and not below this, which is an ordinary day across an ocean.
    private static let latencyFloorMicroseconds: Int64 = 500_000
    /// An answer's weight in the running average is one part of so many.
    private static let averageParts: Int64 = 32

    /// The share in use, ``least`` to ``whole`` parts of ``whole``.
    package private(set) var parts = whole
    private var changedNanoseconds = Int64.min
    private var averageMicroseconds: Int64 = 0
    private var quickestMicroseconds = Int64.max
    private var answers: Int64 = 0

    /// The whole pace.
    package init() {}

    /// A sign of overload.
    ///
    /// - Parameters:
    ///   - sign: what was seen.
    ///   - now: the monotonic clock's time.
    /// - Returns: whether the pace fell because of it.
    package mutating func saw(_ sign: Sign, nowNanoseconds now: Int64) -> Bool {
        guard isStepAllowed(now) else { return false }
        changedNanoseconds = now
        guard parts > Self.least else { return false }
        parts = max(Self.least, parts / 2)
        return true
    }

    /// An answer came.
    ///
    /// - Parameters:
    ///   - latencyMicroseconds: from request to answer.
    ///   - now: the monotonic clock's time.
    /// - Returns: whether the pace fell because answers have become slow.
    package mutating func answered(latencyMicroseconds: Int64, nowNanoseconds now: Int64) -> Bool {
        answers += 1
        if answers == 1 { averageMicroseconds = latencyMicroseconds }
        averageMicroseconds += (latencyMicroseconds - averageMicroseconds) / Self.averageParts
        guard answers >= Self.averageParts else { return false }
        quickestMicroseconds = min(quickestMicroseconds, averageMicroseconds)
        guard averageMicroseconds > Self.latencyFloorMicroseconds,
            averageMicroseconds / Self.latencyFactor > quickestMicroseconds
        else { return false }
        return saw(.slowAnswers, nowNanoseconds: now)
    }

    /// Time has passed.
    ///
    /// - Parameter now: the monotonic clock's time.
    /// - Returns: whether the pace rose.
    package mutating func recover(nowNanoseconds now: Int64) -> Bool {
        guard parts < Self.whole, isStepAllowed(now) else { return false }
        changedNanoseconds = now
        parts = min(Self.whole, parts + Self.recovery)
        return true
    }

    /// Forgets everything, as for a new connection.
    package mutating func reset() {
        self = AdaptivePace()
    }

    /// The share of a rate that is in use; an unlimited one stays so.
    ///
    /// - Parameter rate: the configured rate.
    /// - Returns: the rate to keep now, never below one event in an hour.
    package func applied(to rate: Rate) -> Rate {
        guard case .limited(let fraction) = rate, parts < Self.whole else { return rate }
        let slowed = RateFraction(
            count: fraction.count * Int64(parts),
            periodNanoseconds: fraction.periodNanoseconds * Int64(Self.whole))
        return slowed.map(Rate.limited) ?? rate
    }

    /// The share of a count that is in use, at least 1.
    ///
    /// - Parameter count: such as requests in flight.
    /// - Returns: 1 to `count`.
    package func applied(to count: Int) -> Int {
        max(1, count * parts / Self.whole)
    }

    private func isStepAllowed(_ now: Int64) -> Bool {
        changedNanoseconds == Int64.min || now - changedNanoseconds >= Self.stepNanoseconds
    }
}
