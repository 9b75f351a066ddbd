package import APNSProtocol
internal import LinuxIO

/// How a simulator plays Apple's push service.
package struct SimulatorConfiguration: Sendable {
    /// The address to listen on, or its name.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose.
    package var port: UInt16 = 0
    /// Which of Apple's services it plays: the sandbox adds `apns-unique-id` to its answers.
    package var environment = APNSEnvironment.production
    /// Bundle ids that may be pushed to; empty: any that has the form of one.
    package var topics: [String] = []
    /// Who signs provider tokens; nil: the `authorization` header is not looked at.
    package var credential: CredentialRule?
    /// The authority, in PEM, whose client certificates are taken; nil: clients are not asked for
    /// one. A client without a certificate is let in, as Apple's servers do.
    package var clientAuthorityPEM: [UInt8]?
    /// What becomes of each token.
    package var fates: TokenFates
    /// How long an answer takes.
    package var latency = AnswerLatency()
    /// The most requests per second that it answers; those beyond wait for their turn, as behind a
    /// busy server, so that the sender sees latency. nil: no such limit.
    package var answersPerSecond: Double?
    /// Streams a connection may have open at once.
    package var maxConcurrentStreams: UInt32 = 1000
    /// Whether a connection has one stream until a request with a good credential was answered.
    package var opensWithOneStream = true
    /// What goes wrong on purpose.
    package var faults = SimulatorFaults()
    /// Behave as APNs is reported to, in place of the three settings above; nil: follow those.
    package var mood: APNSMood?
    /// Rules laid over all that; nil: none.
    package var scenario: SimulatorScenario?
    /// Makes the behaviour of each connection; nil: one that follows the settings above.
    package var script: (any SimulatorScript)?
    /// Judges nothing: every complete request is answered at once with a bare 200, or a bare 410 if
    /// its token is one of the dead, and counted. Latency, rate, credential, other fates, faults
    /// and script play no part. Where neither dead tokens nor `tracksTokens` ask for the token,
    /// header fields are not even decoded, and their uncompressed bytes not counted.
    package var isFast = false
    /// Whether tokens accepted more than once are looked for; costs up to 21 bytes per token.
    package var tracksTokens = true
    /// Different tokens followed at most, for sends and probes each: 16 million, up to 256 MiB.
    package var trackedTokensMax = 1 << 24
    /// Tokens of sends for which room is made at the start, for measurements of memory; 0: none.
    package var tokensExpected = 0
    /// A file to which a line is appended for each send that is accepted, before its answer leaves:
    /// see `AcceptanceLog`. nil: none; not in the fast mode.
    package var acceptancesFile: String?
    /// Requests kept word by word for `Simulator.transcript()`: the first so many.
    /// 0 keeps none and costs nothing.
    package var transcriptRequestsMax = 0

    /// The default configuration: any topic, any sender, and every other rule as strict as Apple's.
    ///
    /// - Parameter fates: What becomes of each token; by default every token is good.
    package init(fates: TokenFates? = nil) {
        self.fates =
            fates
            ?? TokenFates(
                shares: TokenShares(), seed: 1,
                referenceMilliseconds: WallClock.microseconds() / 1000)
    }
}

/// How long the simulator takes for an answer.
package struct AnswerLatency: Sendable, Equatable {
    /// Every answer takes at least this long, in milliseconds.
    package var fixedMilliseconds: Double
    /// And a random part of this, evenly spread, in milliseconds.
    package var jitterMilliseconds: Double

    /// Names both parts; by default answers are given at once.
    ///
    /// - Parameters:
    ///   - fixedMilliseconds: 0 or more.
    ///   - jitterMilliseconds: 0 or more.
    package init(fixedMilliseconds: Double = 0, jitterMilliseconds: Double = 0) {
        precondition(fixedMilliseconds >= 0 && jitterMilliseconds >= 0, "latency is not negative")
        self.fixedMilliseconds = fixedMilliseconds
        self.jitterMilliseconds = jitterMilliseconds
    }

    /// The latency of one answer.
    ///
    /// - Parameter unit: A random number from 0 up to 1.
    /// - Returns: Nanoseconds.
    func nanoseconds(unit: Double) -> Int64 {
        Int64((fixedMilliseconds + jitterMilliseconds * unit) * 1e6)
    }

    var isZero: Bool { fixedMilliseconds == 0 && jitterMilliseconds == 0 }
}
