// pgbouncer in front of a test's database.

import Glibc
import LinuxIO
import LocalCluster
import PostgreSQL

/// A pgbouncer in transaction mode: each transaction may meet another session of the server.
package enum TestPooler {
    private static let program = "/usr/sbin/pgbouncer"
    private static let port = 6432
    private static let startNanoseconds: Int64 = 20_000_000_000

    /// For `@Suite(.enabled(if:))`: without pgbouncer the tests are skipped by name, except in CI,
    /// where they run and fail.
    package static var isExpected: Bool {
        guard TestCluster.isExpected else { return false }
        if let ci = getenv("CI"), String(cString: ci) == "true" { return true }
        return access(program, X_OK) == 0
    }

    /// Runs `body` with a connection string that leads to a database by way of a pooler of its
    /// own, which hands out several sessions of the server in turn.
    ///
    /// - Parameters:
    ///   - conninfo: The database, as it is reached directly.
    ///   - body: The test.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that the pooler does not start.
    package static func with<R>(
        _ conninfo: String, _ body: (_ conninfo: String) throws -> R
    ) throws -> R {
        let user = try ClusterUser.current(attempted: "run pgbouncer")
        let folder = "/tmp/sortie-pooler-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try user.makePrivateDirectory(folder, attempted: "run pgbouncer")
        defer { remove(folder) }
        let database = try write(folder, conninfo, user)
        let (command, arguments) = user.command(program, ["-q", "\(folder)/pgbouncer.ini"])
        let pid = try ChildProcess.start(command, arguments, outputPath: "\(folder)/output")
        defer {
            _ = ChildProcess.stop(
                pid, untilNanoseconds: MonotonicClock.nanoseconds() + 10_000_000_000)
        }
        let pooled = "host=\(folder) port=\(port) user=sortie dbname=\(database)"
        try wait(pooled)
        try spread(pooled)
        return try body(pooled)
    }

    /// Writes the settings; the pooler reads them as the server's user.
    private static func write(
        _ folder: String, _ conninfo: String, _ user: ClusterUser
    ) throws -> String {
        let direct = try PGConnection(conninfo: conninfo, applicationName: "sortie tests")
        let facts = try direct.execute(
            """
            SELECT current_setting('unix_socket_directories'), current_setting('port'),
                current_database()
            """)
        let database = facts.text(0, 2) ?? ""
        let settings = """
            [databases]
            \(database) = host=\(facts.text(0, 0) ?? "") port=\(facts.text(0, 1) ?? "") user=sortie
            [pgbouncer]
            listen_port = \(port)
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            server_round_robin = 1
            default_pool_size = 8
            server_login_retry = 1
            query_wait_timeout = 3
            """
        try FileContents.write("\(folder)/pgbouncer.ini", Array(settings.utf8), mode: 0o644)
        return database
    }

    private static func wait(_ conninfo: String) throws {
        let deadline = MonotonicClock.nanoseconds() + startNanoseconds
        while true {
            do {
                _ = try PGConnection(conninfo: conninfo, applicationName: "sortie tests")
                return
            } catch {
                guard MonotonicClock.nanoseconds() < deadline else { throw error }
                usleep(10_000)
            }
        }
    }

    /// Opens transactions at the same time, so that the pooler has so many sessions from now on.
    private static func spread(_ conninfo: String) throws {
        let connections = try (0..<4).map { _ in
            try PGConnection(conninfo: conninfo, applicationName: "sortie tests")
        }
        for connection in connections { try connection.executeScript("BEGIN", name: "BEGIN") }
        for connection in connections { try connection.executeScript("COMMIT", name: "COMMIT") }
    }

    private static func remove(_ folder: String) {
        do {
            _ = try ChildProcess.run(
                "/bin/rm", ["-rf", folder],
                untilNanoseconds: MonotonicClock.nanoseconds() + 60_000_000_000)
        } catch {
            print("could not remove \(folder): \(error)")
        }
    }
}
