// A PostgreSQL for the tests of one process.

import Glibc
package import LocalCluster
import LinuxIO
import PostgreSQL

/// A private, throwaway PostgreSQL that the first test to need it starts, shared by all tests of
/// the process. It is stopped and its folder removed when the process ends, however it ends.
///
/// *Thread:* any.
package final class TestCluster: Sendable {
    /// The process's cluster, or why there is none.
    package static let shared: Result<TestCluster, ClusterError> = {
        do throws(ClusterError) {
            return .success(try TestCluster())
        } catch {
            return .failure(error)
        }
    }()

    /// For `@Suite(.enabled(if:))`: without PostgreSQL the tests are skipped by name, except in CI,
    /// where they run and fail.
    package static var isExpected: Bool {
        if let ci = getenv("CI"), String(cString: ci) == "true" { return true }
        return (try? PostgreSQLBinaries.find()) != nil
    }

    private let cluster: LocalCluster
    private let templates = Monitor<[String: Bool]>([:])

    private init() throws(ClusterError) {
        let folder = "/tmp/sortie-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        cluster = try LocalCluster(folder: folder, durability: .throwaway)
        try Self.watch(folder)
        try cluster.start()
    }

    /// Runs `body` with the connection string of a fresh, empty database, which is dropped
    /// afterwards.
    ///
    /// - Parameters:
    ///   - template: A name and what fills the template; the first test that names it fills it, and
    ///     every test gets a copy.
    ///   - body: The test.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that there is no PostgreSQL.
    package static func withDatabase<R>(
        template: (name: String, fill: @Sendable (String) throws -> Void)? = nil,
        _ body: (String) throws -> R
    ) throws -> R {
        let shared = try shared.get()
        if let template { try shared.ensureTemplate(template.name, template.fill) }
        let name = "test_\(UInt64.random(in: 0...UInt64.max))"
        let from = template?.name ?? "template1"
        try shared.administer("CREATE DATABASE \(name) TEMPLATE \(from)")
        defer {
            do {
                try shared.administer("DROP DATABASE \(name) WITH (FORCE)")
            } catch {
                print("could not drop \(name): \(error)")
            }
        }
        return try body(shared.cluster.conninfo(database: name))
    }

    private func ensureTemplate(
        _ name: String, _ fill: @Sendable (String) throws -> Void
    ) throws {
        // Under the lock, so that others wait until the template can be copied.
        try templates.withLock { (done: inout [String: Bool]) throws in
            if done[name] == true { return }
            try administer("CREATE DATABASE \(name)")
            try fill(cluster.conninfo(database: name))
            done[name] = true
        }
    }

    private func administer(_ sql: String) throws {
        let connection = try PGConnection(
            conninfo: cluster.conninfo(database: "postgres"), applicationName: "sortie tests")
        // Copies of one template wait for one another; the server would refuse instead.
        try connection.executeScript("SELECT pg_advisory_lock(1)", name: "lock")
        try connection.executeScript(sql, name: sql)
    }

    /// Starts a shell that waits until this process is gone and then clears up. It notices by a
    /// FIFO that only this process holds open for writing, so it works after a crash as well.
    private static func watch(_ folder: String) throws(ClusterError) {
        let fifo = "\(folder)-alive"
        // The descriptor stays open on purpose, as long as the process lives.
        guard mkfifo(fifo, 0o600) == 0, open(fifo, O_RDWR | O_CLOEXEC) >= 0 else {
            throw ClusterError(attempted: "watch the tests", cause: "mkfifo failed")
        }
        let script = """
            trap '' INT TERM HUP
            read nothing < "$1-alive"
            pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
            [ -n "$pid" ] && kill -QUIT "$pid"
            while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
            rm -rf "$1" "$1-alive"
            """
        do {
            _ = try ChildProcess.start(
                "/bin/sh", ["-c", script, "sh", folder], outputPath: nil)
        } catch {
            throw ClusterError(attempted: "watch the tests", cause: "\(error)")
        }
    }
}
