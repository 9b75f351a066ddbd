import APNSSimulator
import Glibc
import LinuxIO
import PostgreSQL
import TLS
import TestSupport
import Testing

/// A place to try the program in: a database with the tables, a simulator, a configuration that
/// names both, and devices.
struct Scene {
    static let app = "com.example.shop"
    /// Any fixed moment: 2027-01-01.
    private static let nowSeconds: Int64 = 1_798_761_600

    let folder: TemporaryFolder
    let program: BuiltProgram
    let simulator: Simulator
    let port: UInt16
    let credentials: SimulatorCredentials
    let database: String

    /// Runs a test in a scene of its own: `shares` says what is wrong with the tokens.
    static func with(
        shares: TokenShares = TokenShares(), latencyMilliseconds: Double = 0,
        change: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (Scene) throws -> Void
    ) throws {
        try TestCluster.withDatabase(template: ("program", migrate)) { database in
            let folder = try TemporaryFolder()
            let credentials = try SimulatorCredentials.make(in: folder.path)
            var configuration = SimulatorConfiguration(
                fates: TokenFates(
                    shares: shares, seed: 7, referenceMilliseconds: nowSeconds * 1_000))
            configuration.credential = credentials.rule
            configuration.latency = AnswerLatency(fixedMilliseconds: latencyMilliseconds)
            change(&configuration)
            let simulator = try Simulator(configuration, certificates: credentials.certificates)
            let scene = Scene(
                folder: folder, program: BuiltProgram(folder: folder.path), simulator: simulator,
                port: try simulator.start(), credentials: credentials, database: database)
            defer { _ = simulator.stop() }
            try scene.configure()
            try body(scene)
        }
    }

    private static func migrate(_ database: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("sortie.json", "{ database: \"\(database)\" }\n")
        let result = try BuiltProgram(folder: folder.path).run("database", "migrate")
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Writes `sortie.json`; what is named replaces what is right.
    func configure(
        database: String? = nil, port: UInt16? = nil, authority: String? = nil,
        keyFile: String? = nil, app: String = Scene.app, credential: String? = nil,
        proxy: String? = nil, tuning: String = "", isPrivate: Bool = false
    ) throws {
        let proxy = proxy.map { ", proxy: \"\($0)\"" } ?? ""
        let authority = authority ?? "ca_file: \"\(credentials.authorityFile)\""
        let key = """
            key_file: "\(keyFile ?? credentials.keyFile)", key_id: \(credentials.keyID), \
            team_id: \(credentials.teamID)
            """
        try folder.write(
            "sortie.json",
            """
            {
              \(isPrivate ? "" : "database: \"\(database ?? self.database)\",")
              state_folder: state, tuning: { \(tuning) },
              apns: {
                production: {
                  host: 127.0.0.1, port: \(port ?? self.port), \(authority)\(proxy)
                },
              },
              credentials: [
                { app: \(app), \(credential ?? key) },
              ],
            }

            """)
    }

    /// Writes a campaign file; `more` is whole fields.
    func campaign(
        preflight: String = "probe: none", send: String = "rate: unlimited", more: String = ""
    ) throws {
        try folder.write(
            "sale.json",
            """
            {
              campaign: sale,
              app: \(Scene.app),
              environment: production,
              message: { title: "Sale, {{ first_name | there }}", body: "Until Sunday." },
              preflight: { \(preflight) },
              send: { connections: 2, \(send) },
              \(more)
            }

            """)
    }

    /// Imports `count` devices, registered long before any of them died.
    func importDevices(_ count: Int) throws {
        var rows = "token,user_id,registered_at,first_name\n"
        for number in 1...count {
            let digits = String(number, radix: 16)
            let token = "c0ffee" + String(repeating: "0", count: 58 - digits.count) + digits
            rows += "\(token),user-\(number),2026-06-01T00:00:00Z,Name\(number)\n"
        }
        try folder.write("devices.csv", rows)
        let result = try program.run(
            "devices", "import", "devices.csv", "--app", Scene.app, "--environment", "production")
        try #require(result.status == 0, "\(result.errors)")
    }

    /// The first column of the first row of a query, as text.
    func value(_ sql: String) throws -> String? {
        let connection = try PGConnection(conninfo: database, applicationName: "sortie tests")
        return try connection.execute(sql, name: "test").text(0, 0)
    }

    /// Devices that are still active.
    func activeDevices() throws -> Int {
        try value("SELECT count(*) FROM sortie.device WHERE status = 'active'").flatMap { Int($0) }
            ?? -1
    }

    /// Whether every run's counts add up.
    func sumHolds() throws -> Bool {
        try value(
            """
            SELECT bool_and(recipients = accepted + rejected + unknown + skipped + unsent)
            FROM report.run_summary
            """) == "t"
    }

    /// Checks a text with PostgreSQL's strict parser and gives one field of it.
    func field(_ path: String, ofJSON json: String) throws -> String? {
        let connection = try PGConnection(conninfo: database, applicationName: "sortie tests")
        let sql = "SELECT $1::jsonb #>> $2::text[]"
        return try connection.execute(sql, [.text(json), .text("{\(path)}")], name: "test")
            .text(0, 0)
    }

    /// Waits until a query gives this text.
    func wait(for text: String, from sql: String) throws {
        let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
        while try value(sql) != text {
            try #require(MonotonicClock.nanoseconds() < deadline, "no \(text) from \(sql)")
            usleep(20_000)
        }
    }

    /// Waits until a program says something on stderr.
    func wait(for text: String, saidBy running: RunningProgram) throws {
        let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
        while !running.errors.contains(text) {
            try #require(
                MonotonicClock.nanoseconds() < deadline, "no \"\(text)\" in: \(running.errors)")
            usleep(20_000)
        }
    }

    /// Waits until the simulator has received so many requests.
    func waitForRequests(_ count: Int) throws {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        while simulator.snapshot().requests < count {
            try #require(MonotonicClock.nanoseconds() < deadline, "no \(count) requests came")
            usleep(5_000)
        }
    }
}
