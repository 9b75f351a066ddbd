import APNSClient
import APNSProtocol
import APNSSimulator
import CampaignModel
import CampaignStore
import DocumentText
import DocumentTree
import LinuxIO
import PostgreSQL
import SendPolicy
import TLS
import TestSupport

@testable import CampaignRunner

/// A database with devices, a simulator, and what is needed to run campaigns between them.
struct RunBench {
    let conninfo: String
    let simulator: Simulator
    var endpoint: PushEndpoint
    let credentials: SimulatorCredentials
    let fates: TokenFates
    let connection: PGConnection

    /// Runs `body` with a bench of its own.
    static func with<R>(
        devices: Int, shares: TokenShares = TokenShares(),
        configure: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (RunBench) throws -> R
    ) throws -> R {
        try TestCluster.withDatabase(template: ("runner", migrate)) { conninfo in
            try withTemporaryDirectory { directory in
                let credentials = try SimulatorCredentials.make(in: directory)
                let fates = TokenFates(
                    shares: shares, seed: 7,
                    referenceMilliseconds: WallClock.microseconds() / 1000)
                var configuration = SimulatorConfiguration(fates: fates)
                configuration.credential = credentials.rule
                configuration.topics = ["com.example.shop"]
                configure(&configuration)
                let simulator = try Simulator(
                    configuration, certificates: credentials.certificates)
                let port = try simulator.start()
                let endpoint = PushEndpoint(
                    host: "127.0.0.1", port: port,
                    tls: try TLSContext.client(
                        trust: .file(credentials.authorityFile), protocols: ["h2"]),
                    credential: .token(try credential(credentials, isShared: true)))
                let connection = try PGConnection(
                    conninfo: conninfo, applicationName: "bench")
                let bench = RunBench(
                    conninfo: conninfo, simulator: simulator, endpoint: endpoint,
                    credentials: credentials, fates: fates, connection: connection)
                try bench.insertDevices(devices)
                defer { _ = simulator.stop() }
                return try body(bench)
            }
        }
    }

    private static func credential(
        _ credentials: SimulatorCredentials, isShared: Bool
    ) throws -> ProviderCredential {
        let pem = try FileContents.read(credentials.keyFile, limitBytes: 10_000)
        return ProviderCredential(
            key: try SigningKey(pem: pem, source: credentials.keyFile),
            identity: ProviderIdentity(keyID: credentials.keyID, teamID: credentials.teamID),
            isShared: isShared)
    }

    /// The bench as another process sees it, which knows no provider token yet.
    func restarted(isShared: Bool = true) throws -> RunBench {
        var bench = self
        bench.endpoint.credential = .token(
            try Self.credential(credentials, isShared: isShared))
        return bench
    }

    /// A good provider token that was made so long ago.
    func oldToken(secondsAgo: Int64) throws -> String {
        let credential = try Self.credential(credentials, isShared: false)
        let made = WallClock.microseconds() - secondsAgo * 1_000_000
        let token = try credential.current(nowNanoseconds: 0, nowMicroseconds: made).token
        return String(decoding: token.jwt, as: UTF8.self)
    }

    /// Puts a provider token into the database as if it had just been made elsewhere.
    func keep(_ jwt: String) throws {
        let pem = try FileContents.read(credentials.keyFile, limitBytes: 10_000)
        let key = try SigningKey(pem: pem, source: credentials.keyFile)
        let digest = Digest.sha256(key.publicKeyPEM).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        try sql(
            "INSERT INTO sortie.provider_token VALUES ('\(credentials.keyID)', "
                + "'\(credentials.teamID)', '\(digest)', '\(jwt)', 1, now(), false, "
                + "'elsewhere', 0)")
    }

    @Sendable private static func migrate(_ conninfo: String) throws {
        _ = try Store(conninfo: conninfo, purpose: "migrate").migrate()
    }

    /// The token of device n.
    static func token(_ number: Int) -> String {
        let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        let filled = String(repeating: "0", count: 16 - digits.count) + digits
        return String(repeating: filled, count: 4)
    }

    private func insertDevices(_ count: Int) throws {
        guard count > 0 else { return }
        let rows = (1...count).map { number in
            "('com.example.shop', 'production', '\(Self.token(number))', 'user-\(number)', "
                + "'\(number % 2 == 0 ? "hu-HU" : "en-GB")', '{\"first_name\": \"N\(number)\"}', "
                + "now() - interval '400 days')"
        }
        try sql(
            "INSERT INTO sortie.device (app, environment, token, user_id, locale, attributes, "
                + "registered_at) VALUES " + rows.joined(separator: ","))
    }

    /// Runs a statement of the test's own.
    func sql(_ statement: String) throws {
        try connection.executeScript(statement, name: "test")
    }

    /// The first column of the first row, as a number.
    func number(_ query: String) throws -> Int {
        Int(try text(query)) ?? -1
    }

    /// The first column of the first row.
    func text(_ query: String) throws -> String {
        let result = try connection.execute(query, [])
        return result.rowCount > 0 ? result.text(0, 0) ?? "" : ""
    }

    /// A campaign of this text after name, app and environment.
    func campaign(_ rest: String) throws -> (Campaign, [UInt8]) {
        let text =
            "{ campaign: sale, app: com.example.shop, environment: production, \(rest) }"
        let bytes = Array(text.utf8)
        let tree = try DocumentText.parse(bytes, file: "sale.json").get()
        return (try CampaignReader.read(tree, file: "sale.json").get().value, bytes)
    }

    /// A run of that campaign.
    func run(
        _ rest: String, occurrence: String = "once", kind: RunKind = .campaign,
        released: Set<BrakeName> = []
    ) throws -> CampaignRun {
        let (campaign, bytes) = try campaign(rest)
        var request = RunRequest(
            campaign: campaign, definition: bytes, occurrence: occurrence, kind: kind,
            database: conninfo, endpoint: endpoint, startedBy: "test", version: "test")
        request.releasedBrakes = released
        return CampaignRun(request)
    }

    /// A rehearsal of that campaign.
    func rehearsal(_ rest: String, isShared: Bool = true) throws -> CampaignRun {
        let (campaign, bytes) = try campaign(rest)
        var request = RunRequest(
            campaign: campaign, definition: bytes, occurrence: "rehearsal-1", kind: .campaign,
            database: conninfo, endpoint: try restarted(isShared: isShared).endpoint,
            startedBy: "test", version: "test")
        request.isRehearsal = true
        return CampaignRun(request)
    }

    /// Executes a run on a thread of its own; the function returned waits for its end.
    func inBackground(_ run: CampaignRun, _ events: Events) throws -> () -> RunEnd? {
        let result = Monitor<RunEnd?>(nil)
        let thread = try WorkerThread.start(name: "run") {
            let end = run.execute(observer: events)
            result.withLock { $0 = end }
        }
        return {
            thread.join()
            return result.withLock { $0 }
        }
    }

    /// The five counts of the newest run and their sum's difference to the recipients.
    func counts() throws -> RunCounts {
        let result = try connection.execute(
            "SELECT recipients, accepted, rejected, unknown, skipped, unsent "
                + "FROM report.run_summary ORDER BY run_id DESC LIMIT 1", [])
        let count = { (column: Int) in Int(result.text(0, column) ?? "") ?? -1 }
        return RunCounts(
            recipients: count(0), accepted: count(1), rejected: count(2), unknown: count(3),
            skipped: count(4), unsent: count(5))
    }
}

/// The counts of a run.
struct RunCounts: Equatable {
    var recipients = 0
    var accepted = 0
    var rejected = 0
    var unknown = 0
    var skipped = 0
    var unsent = 0

    var holds: Bool { recipients == accepted + rejected + unknown + skipped + unsent }
}

/// Keeps what a run tells.
final class Events: RunObserver, Sendable {
    let state = Monitor<[RunEvent]>([])

    func runDid(_ event: RunEvent) {
        state.withLock { $0.append(event) }
        state.signal()
    }

    /// Waits until a phase is so far.
    func waitForProgress(atLeast done: Int) {
        _ = state.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 60_000_000_000) { events in
            events.contains {
                if case .progress(let progress) = $0 { progress.done >= done } else { false }
            }
        }
    }

    var notes: [String] {
        state.withLock { $0 }.compactMap { if case .note(let text) = $0 { text } else { nil } }
    }
}
