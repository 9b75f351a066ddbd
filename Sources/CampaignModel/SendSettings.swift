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
        /// How many answers must be in before a share means anything.
        package let minimumSample: Int

        /// A rule; what is left out has the file's defaults.
        ///
        /// - Parameters:
        ///   - invalidShare: the share above which the run stops.
        ///   - minimumSample: answers, 1 or more.
        package init(invalidShare: Share = .percent(20), minimumSample: Int = 100) {
            self.invalidShare = invalidShare
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

    /// Settings; what is left out has the file's defaults.
    ///
    /// - Parameters:
    ///   - connections: 1 to 64.
    ///   - rate: requests per connection.
    ///   - burst: requests at once beyond the rate.
    ///   - maxInFlight: requests waiting for their answer, per connection.
    ///   - requestTimeoutMilliseconds: how long a request waits (30 seconds).
    ///   - unconfirmed: `resend` only for a message with a collapse id.
    ///   - retry: for transient refusals.
    ///   - stopIf: when the run stops.
    package init(
        connections: Int = 4, rate: Rate = .wholePerSecond(1500), burst: Int = 100,
        maxInFlight: Int = 500, requestTimeoutMilliseconds: Int64 = 30_000,
        unconfirmed: Unconfirmed = .keep, retry: RetryPolicy = SendSettings.defaultRetry,
        stopIf: StopRule = StopRule()
    ) {
        self.connections = connections
        self.rate = rate
        self.burst = burst
        self.maxInFlight = maxInFlight
        self.requestTimeoutMilliseconds = requestTimeoutMilliseconds
        self.unconfirmed = unconfirmed
        self.retry = retry
        self.stopIf = stopIf
    }
}
