internal import APNSClient
internal import APNSProtocol
internal import APNSSimulator
internal import CampaignModel
internal import CampaignRunner
internal import LinuxIO
internal import TLS

/// How the server of a rehearsal behaves.
struct RehearsalServer: Equatable, Sendable {
    /// The share of tokens that answer 410, from 0 to 1.
    var deadShare = 0.0
    /// Milliseconds until an answer comes.
    var latencyMilliseconds = 30
    /// Answers per second at most; nil: no limit.
    var answersPerSecond: Double?

    init(_ arguments: ParsedArguments) {
        deadShare = arguments.number("dead") ?? deadShare
        latencyMilliseconds = arguments.integer("latency") ?? latencyMilliseconds
        answersPerSecond = arguments.number("rate-of-server")
    }

    init() {}
}

/// A simulator inside this process, with keys and certificates made on the spot.
struct RehearsalStage {
    let server: RehearsalServer
    let simulator: Simulator
    private let folder: DemoFolder
    private let credentials: SimulatorCredentials
    private let port: UInt16

    /// Starts the simulator.
    ///
    /// - Throws: `CommandFailure` or `SimulatorError` when there is no place for its files or no
    ///   port for it.
    init(_ campaign: Campaign, _ server: RehearsalServer) throws {
        self.server = server
        folder = try DemoFolder(for: "rehearsal")
        do {
            credentials = try SimulatorCredentials.make(in: folder.path)
            var configuration = SimulatorConfiguration(
                fates: TokenFates(
                    shares: TokenShares(dead: server.deadShare), seed: 1,
                    referenceMilliseconds: WallClock.microseconds() / 1_000))
            configuration.environment = campaign.environment
            configuration.topics = [campaign.app]
            configuration.credential = credentials.rule
            configuration.latency = AnswerLatency(
                fixedMilliseconds: Double(server.latencyMilliseconds))
            configuration.answersPerSecond = server.answersPerSecond
            // Nobody asks whom it accepted twice, and an audience may be large.
            configuration.tracksTokens = false
            simulator = try Simulator(configuration, certificates: credentials.certificates)
            port = try simulator.start()
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Where a rehearsal's pushes go. Its provider token is its own: the key dies with it.
    func endpoint() throws -> PushEndpoint {
        let pem = try FileContents.read(credentials.keyFile, limitBytes: 65_536)
        return PushEndpoint(
            host: "127.0.0.1", port: port,
            tls: try TLSContext.client(
                trust: .file(credentials.authorityFile), protocols: ["h2"]),
            credential: .token(
                ProviderCredential(
                    key: try SigningKey(pem: pem, source: credentials.keyFile),
                    identity: ProviderIdentity(
                        keyID: credentials.keyID, teamID: credentials.teamID))))
    }

    /// Stops the simulator and removes its files.
    func tearDown() {
        _ = simulator.stop()
        folder.remove()
    }
}
