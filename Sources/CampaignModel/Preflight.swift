package import SendPolicy

/// The low-priority pass that asks APNs about tokens before the main send.
package struct Preflight: Sendable, Equatable {
    /// Which recipients are asked about.
    package enum Probe: String, Sendable, CaseIterable {
        /// Every recipient.
        case all
        /// Those not heard of for ``Preflight/staleAfterSeconds``.
        case stale
        /// Nobody: there is no preflight.
        case none
    }

    /// When the results say that the set-up, not the tokens, is wrong.
    package struct StopRule: Sendable, Equatable {
        /// The share of tokens that APNs calls invalid for this app and environment, above which
        /// the run stops.
        package let invalidShare: Share
        /// The share of tokens that APNs calls gone, above which the run stops.
        package let goneShare: Share
        /// How many answers must be in before a share means anything.
        package let minimumSample: Int

        /// A rule.
        ///
        /// - Parameters:
        ///   - invalidShare: 20 % is far above the few percent of a healthy base.
        ///   - goneShare: a base that was never pruned can reach a third; 60 % leaves room.
        ///   - minimumSample: answers, 1 or more.
        package init(
            invalidShare: Share = .percent(20), goneShare: Share = .percent(60),
            minimumSample: Int = 100
        ) {
            self.invalidShare = invalidShare
            self.goneShare = goneShare
            self.minimumSample = minimumSample
        }
    }

    /// Which recipients are asked about.
    package let probe: Probe
    /// After how many seconds without news a token is stale.
    package let staleAfterSeconds: Int64
    /// Requests per connection.
    package let rate: Rate
    /// Requests that may go at once beyond the rate, per connection.
    package let burst: Int
    /// Connections, which are not used for the main send.
    package let connections: Int
    /// When the run stops.
    package let stopIf: StopRule

    /// A preflight; what is left out has the file's defaults.
    ///
    /// - Parameters:
    ///   - probe: which recipients are asked about.
    ///   - staleAfterSeconds: after how many seconds without news a token is stale (14 days).
    ///   - rate: requests per connection.
    ///   - burst: requests at once beyond the rate.
    ///   - connections: 1 to 64.
    ///   - stopIf: when the run stops.
    package init(
        probe: Probe = .stale, staleAfterSeconds: Int64 = 14 * 86_400,
        rate: Rate = .wholePerSecond(200), burst: Int = 20, connections: Int = 1,
        stopIf: StopRule = StopRule()
    ) {
        self.probe = probe
        self.staleAfterSeconds = staleAfterSeconds
        self.rate = rate
        self.burst = burst
        self.connections = connections
        self.stopIf = stopIf
    }
}
