/// How connections are opened.
package struct ConnectPace: Sendable, Equatable {
    /// The pause after a first failure, in nanoseconds; each further one doubles it.
    package var pauseNanoseconds: Int64
    /// The longest pause, in nanoseconds.
    package var pauseMaxNanoseconds: Int64
    /// The least time between two openings, in nanoseconds.
    package var spacingNanoseconds: Int64
    /// The most openings in any minute.
    package var openingsPerMinuteMax: Int
    /// How many openings in a row may fail before it is given up.
    package var failuresMax: Int

    /// A pace.
    ///
    /// The defaults suit Apple, who asks to leave time between openings and takes frequent
    /// reconnecting for an attack.
    /// *Source:* Apple, "Establishing a connection to Apple Push Notification service (APNs)".
    ///
    /// - Parameters:
    ///   - pauseNanoseconds: The pause after a first failure.
    ///   - pauseMaxNanoseconds: The longest pause.
    ///   - spacingNanoseconds: The least time between two openings.
    ///   - openingsPerMinuteMax: The most openings in any minute, at least 1.
    ///   - failuresMax: How many openings in a row may fail, at least 1.
    package init(
        pauseNanoseconds: Int64 = 1_000_000_000, pauseMaxNanoseconds: Int64 = 60_000_000_000,
        spacingNanoseconds: Int64 = 1_000_000_000, openingsPerMinuteMax: Int = 30,
        failuresMax: Int = 8
    ) {
        self.pauseNanoseconds = pauseNanoseconds
        self.pauseMaxNanoseconds = pauseMaxNanoseconds
        self.spacingNanoseconds = spacingNanoseconds
        self.openingsPerMinuteMax = openingsPerMinuteMax
        self.failuresMax = failuresMax
    }
}

/// What to do about a connection that is wanted.
package enum ConnectDecision: Sendable, Equatable {
    /// Open one now; it has been counted.
    case open
    /// Ask again at this moment of the monotonic clock.
    case wait(untilNanoseconds: Int64)
    /// Too many openings in a row have failed; this many. It concerns new connections only:
    /// those that work go on.
    case giveUp(failures: Int)
}

/// Paces the opening of all connections to one host, first and again.
///
/// | event | effect |
/// | --- | --- |
/// | `next` says `.open` | counts for the spacing and for the minute |
/// | `failed` | one more failure in a row; nobody opens before a pause that doubles |
/// | `proved` | failures are forgotten |
///
/// An opening has failed when the connection ends before it gave a single good answer: a server
/// that accepts and hangs up is as much out of reach as one that does not accept. A connection that
/// had proved itself and then ends is no failure, and is replaced as soon as the spacing allows.
/// *Ownership and thread*: a value, one per host, owned by whoever opens the connections.
package struct ConnectPacing: Sendable {
    private let pace: ConnectPace
    /// When the openings of the last minute were, oldest first; as many as the limit at most.
    private var openings: [Int64] = []
    private var notBeforeNanoseconds = Int64.min
    /// Openings that failed since the last one that proved itself.
    package private(set) var failures = 0

    private static let minuteNanoseconds: Int64 = 60_000_000_000

    /// Nothing has been opened.
    ///
    /// - Parameter pace: The pace.
    package init(pace: ConnectPace = ConnectPace()) {
        precondition(pace.openingsPerMinuteMax > 0, "Something must be allowed to open.")
        self.pace = pace
    }

    /// A connection is wanted.
    ///
    /// - Parameter nowNanoseconds: The monotonic clock's time.
    /// - Returns: What to do.
    package mutating func next(nowNanoseconds: Int64) -> ConnectDecision {
        if failures >= pace.failuresMax { return .giveUp(failures: failures) }
        let allowed = max(notBeforeNanoseconds, minuteAllows, spacingAllows)
        guard nowNanoseconds >= allowed else { return .wait(untilNanoseconds: allowed) }
        if openings.count == pace.openingsPerMinuteMax { openings.removeFirst() }
        openings.append(nowNanoseconds)
        return .open
    }

    /// A connection could not be opened, or ended without a good answer.
    ///
    /// - Parameters:
    ///   - nowNanoseconds: The monotonic clock's time.
    ///   - jitter: A random number, 0 up to but not including 1: the pause lasts between half of
    ///     its length and all of it.
    package mutating func failed(nowNanoseconds: Int64, jitter: Double) {
        precondition((0..<1).contains(jitter), "Jitter is a number from 0 up to 1.")
        failures += 1
        // 2^32 times the shortest pause is longer than any longest one.
        let doublings = min(failures - 1, 32)
        let (grown, isTooLong) = pace.pauseNanoseconds
            .multipliedReportingOverflow(by: 1 << Int64(doublings))
        let pause = isTooLong ? pace.pauseMaxNanoseconds : min(grown, pace.pauseMaxNanoseconds)
        let jittered = pause / 2 + Int64(Double(pause / 2) * jitter)
        notBeforeNanoseconds = max(notBeforeNanoseconds, nowNanoseconds + jittered)
    }

    /// A connection gave a good answer.
    package mutating func proved() {
        failures = 0
        notBeforeNanoseconds = Int64.min
    }

    private var minuteAllows: Int64 {
        guard openings.count == pace.openingsPerMinuteMax, let oldest = openings.first else {
            return Int64.min
        }
        return oldest + Self.minuteNanoseconds
    }

    private var spacingAllows: Int64 {
        openings.last.map { $0 + pace.spacingNanoseconds } ?? Int64.min
    }
}
