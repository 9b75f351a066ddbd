/// Why a recipient is tried again.
package enum RetryKind: String, Sendable, CaseIterable {
    /// Apple's server failed (5xx): a fixed pause, 15 minutes by Apple's wish.
    case transient
    /// Too many pushes to this device: a minute, doubled each time.
    case device
    /// The connection left or was never usable: a second, doubled each time.
    case soon
    /// Sent and never answered, to be resent by the campaign's choice: five seconds, doubled.
    case unconfirmed
}

/// How often and how long a recipient is tried.
package struct RetryPolicy: Sendable, Equatable {
    /// The most attempts in all, the first included; at least 1.
    package var attemptsMax: Int
    /// No attempt begins later than this after the first, in nanoseconds.
    package var withinNanoseconds: Int64
    /// The pause after a transient failure, in nanoseconds.
    package var delayNanoseconds: Int64

    /// Apple asks for 15 minutes before a 5xx is tried again.
    /// *Source:* Apple, "Handling notification responses from APNs".
    package static let appleDelayNanoseconds: Int64 = 15 * 60 * 1_000_000_000

    /// A policy.
    ///
    /// - Parameters:
    ///   - attemptsMax: The most attempts in all, the first included; at least 1.
    ///   - withinNanoseconds: No attempt begins later than this after the first.
    ///   - delayNanoseconds: The pause after a transient failure.
    package init(
        attemptsMax: Int, withinNanoseconds: Int64,
        delayNanoseconds: Int64 = RetryPolicy.appleDelayNanoseconds
    ) {
        self.attemptsMax = attemptsMax
        self.withinNanoseconds = withinNanoseconds
        self.delayNanoseconds = delayNanoseconds
    }
}

/// Whether and when a recipient is tried again.
package enum RetryDecision: Sendable, Equatable {
    /// After a pause of so many nanoseconds.
    case after(nanoseconds: Int64)
    /// Not any more: the attempts are used up.
    case giveUpAttempts
    /// Not any more: the time is used up.
    case giveUpTime
}

/// Decides whether and when a recipient is tried again; a function of its arguments alone.
package enum RetrySchedule {
    /// The longest pause of a kind that doubles, in nanoseconds (an hour).
    package static let pauseMax: Int64 = 3600 * 1_000_000_000

    /// How much jitter adds at most, in per cent of the pause. It only ever adds: Apple's 15
    /// minutes are a minimum.
    package static let jitterPercentMax: Int64 = 10

    /// Decides about the next attempt.
    ///
    /// - Parameters:
    ///   - kind: Why the last attempt did not settle it.
    ///   - attempts: Attempts made so far, at least 1. A request that was certainly not processed
    ///     is none.
    ///   - elapsedNanoseconds: Time since the first attempt.
    ///   - policy: The campaign's policy.
    ///   - askedNanoseconds: The pause that the server asked for; a longer one than its kind's is
    ///     kept.
    ///   - jitter: A random number, 0 up to but not including 1, so that recipients parked
    ///     together do not come back together.
    /// - Returns: The pause, or that it is over. The time is judged without the jitter, so that a
    ///   recipient's fate is not a matter of luck.
    package static func next(
        _ kind: RetryKind, attempts: Int, elapsedNanoseconds: Int64, policy: RetryPolicy,
        askedNanoseconds: Int64 = 0, jitter: Double
    ) -> RetryDecision {
        precondition((0..<1).contains(jitter), "Jitter is a number from 0 up to 1.")
        guard attempts < policy.attemptsMax else { return .giveUpAttempts }
        let pause = max(askedNanoseconds, pause(kind, attempts: attempts, policy: policy))
        guard elapsedNanoseconds <= policy.withinNanoseconds - pause else { return .giveUpTime }
        let extra = Double(pause / 100 * jitterPercentMax) * jitter
        return .after(nanoseconds: pause + Int64(extra))
    }

    private static func pause(_ kind: RetryKind, attempts: Int, policy: RetryPolicy) -> Int64 {
        switch kind {
        case .transient: policy.delayNanoseconds
        case .device: doubled(60_000_000_000, attempts)
        case .soon: doubled(1_000_000_000, attempts)
        case .unconfirmed: doubled(5_000_000_000, attempts)
        }
    }

    /// The base after the first attempt, twice that after the second, and so on up to `pauseMax`.
    private static func doubled(_ base: Int64, _ attempts: Int) -> Int64 {
        // 2^12 seconds are more than an hour, so no more doublings are needed.
        min(pauseMax, base << Int64(min(max(attempts, 1) - 1, 12)))
    }
}
