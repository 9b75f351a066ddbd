package import SendPolicy

/// How the main send is done.
package struct SendSettings: Sendable, Equatable {
    /// What becomes of a request that was sent and never answered.
    package enum Unconfirmed: String, Sendable, CaseIterable {
        /// It is recorded as unknown and never sent again: nobody gets two.
        case keep
        /// It is sent again under the same collapse id: the device shows one.
        case resend
    }

    /// When the results say that the set-up, not the tokens, is wrong.
    package struct StopRule: Sendable, Equatable {
        /// The share of tokens that APNs calls invalid for this app and environment, above which
        /// the run stops.
        package let invalidShare: Share
        /// The share of requests without an answer, above which the run stops.
        package let unknownShare: Share
        /// The share of answers of APNs' servers in trouble within a minute, above which the run
        /// stops.
        package let errorShare: Share
        /// How many answers must be in before a share means anything.
        package let minimumSample: Int

        /// A rule; what is left out has the file's defaults.
        ///
        /// - Parameters:
        ///   - invalidShare: 20 % is far above the few percent of a healthy base.
        ///   - unknownShare: one connection of two that breaks may take half of the first requests
        ///     with it.
        ///   - errorShare: what is refused in passing is tried again later and slows the sending
        ///     down; at 80 % APNs is as good as away.
        ///   - minimumSample: answers, 1 or more.
        package init(
            invalidShare: Share = .percent(20), unknownShare: Share = .percent(50),
            errorShare: Share = .percent(80), minimumSample: Int = 100
        ) {
            self.invalidShare = invalidShare
            self.unknownShare = unknownShare
            self.errorShare = errorShare
            self.minimumSample = minimumSample
        }
    }

    /// Four attempts within 45 minutes, with the pause that Apple asks for after a 5xx answer.
    package static let defaultRetry = RetryPolicy(
        attemptsMax: 4, withinNanoseconds: 45 * 60 * 1_000_000_000)

    /// Connections.
    package let connections: Int
    /// Requests per connection.
    package let rate: Rate
    /// Requests that may go at once beyond the rate, per connection.
    package let burst: Int
    /// Requests of the whole run, all connections of all workers together.
    package let maxRate: Rate
    /// Requests per connection that may wait for their answer.
    package let maxInFlight: Int
    /// How long a request waits for its answer, in milliseconds.
    package let requestTimeoutMilliseconds: Int64
    /// What becomes of a request that was sent and never answered.
    package let unconfirmed: Unconfirmed
    /// How often and how long a transient refusal is tried again.
    package let retry: RetryPolicy
    /// When the run stops.
    package let stopIf: StopRule
    /// Who goes first.
    package let canary: Canary

    /// Settings; what is left out has the file's defaults.
    ///
    /// - Parameters:
    ///   - connections: 1 to 64.
    ///   - rate: requests per connection.
    ///   - burst: requests at once beyond the rate.
    ///   - maxRate: requests of the whole run.
    ///   - maxInFlight: requests waiting for their answer, per connection.
    ///   - requestTimeoutMilliseconds: how long a request waits (30 seconds).
    ///   - unconfirmed: `resend` only for a message with a collapse id.
    ///   - retry: for transient refusals.
    ///   - stopIf: when the run stops.
    ///   - canary: who goes first.
    package init(
        connections: Int = 4, rate: Rate = .wholePerSecond(1500), burst: Int = 100,
        maxRate: Rate = .unlimited, maxInFlight: Int = 500,
        requestTimeoutMilliseconds: Int64 = 30_000,
        unconfirmed: Unconfirmed = .keep, retry: RetryPolicy = SendSettings.defaultRetry,
        stopIf: StopRule = StopRule(), canary: Canary = Canary()
    ) {
        self.connections = connections
        self.rate = rate
        self.burst = burst
        self.maxRate = maxRate
        self.maxInFlight = maxInFlight
        self.requestTimeoutMilliseconds = requestTimeoutMilliseconds
        self.unconfirmed = unconfirmed
        self.retry = retry
        self.stopIf = stopIf
        self.canary = canary
    }
}
