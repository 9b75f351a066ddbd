// A PostgreSQL for one test, to be stopped, filled and promoted.

import Glibc
import LinuxIO
import LocalCluster
import PostgreSQL

/// A throwaway cluster of one test's own.
package struct PrivateCluster: Sendable {
    fileprivate let cluster: LocalCluster

    fileprivate init(folder: String) throws {
        cluster = try LocalCluster(folder: folder, durability: .throwaway)
    }

    /// Where it is; belongs to the user as which the server runs.
    package var folder: String { cluster.folder }
    /// The connection string of its database.
    package var conninfo: String { cluster.conninfo }

    /// Starts the server and waits until it takes connections.
    package func start() throws { try cluster.start() }

    /// Stops the server, if it runs; open transactions are rolled back.
    ///
    /// - Returns: Whether it ran.
    @discardableResult
    package func stop() throws -> Bool { try cluster.stop() }
}

/// Makes and starts a throwaway cluster, runs `body` with it, and stops and removes it.
///
/// - Parameter body: The test; it may stop and start the cluster.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or that there is no PostgreSQL.
package func withPrivateCluster<R>(_ body: (PrivateCluster) throws -> R) throws -> R {
    try withTemporaryDirectory { directory in
        let cluster = try PrivateCluster(folder: "\(directory)/db")
        try cluster.start()
        defer { stop(cluster) }
        return try body(cluster)
    }
}

/// Two clusters on this machine, the second one following the first by streaming replication.
package struct ReplicatedPair: Sendable {
    /// Takes writes.
    package let primary: PrivateCluster
    /// Takes reads only, until it is promoted.
    package let standby: PrivateCluster

    /// Runs `body` with two clusters of its own.
    ///
    /// - Parameter body: The test.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that they can't be made.
    package static func with<R>(_ body: (ReplicatedPair) throws -> R) throws -> R {
        try withPrivateCluster { primary in
            // A private cluster keeps too little in its log for a standby.
            let settings = ["wal_level = 'replica'", "max_wal_senders = 4"]
            try onServer(primary) { connection in
                for setting in settings { try connection.execute("ALTER SYSTEM SET \(setting)") }
            }
            try primary.stop()
            try primary.start()
            let user = try ClusterUser.current(attempted: "copy a cluster")
            let folder = "\(primary.folder)-standby"
            try user.makePrivateDirectory(folder, attempted: "copy a cluster")
            let copy = user.command(
                try program("pg_basebackup"),
                [
                    "-D", "\(folder)/data", "-R", "-c", "fast", "-X", "stream", "-d",
                    primary.conninfo,
                ])
            let result = try ChildProcess.run(
                copy.0, copy.1, untilNanoseconds: MonotonicClock.nanoseconds() + 60_000_000_000)
            guard result.isSuccess else {
                throw ClusterError(attempted: "copy a cluster", cause: result.output)
            }
            let standby = try PrivateCluster(folder: folder)
            try standby.start()
            defer { stop(standby) }
            return try body(ReplicatedPair(primary: primary, standby: standby))
        }
    }

    /// A connection string that names both, the first primary first.
    package func conninfo() throws -> String {
        let folders = try [primary, standby].map { cluster in
            try Self.onServer(cluster) {
                try $0.execute("SHOW unix_socket_directories").text(0, 0) ?? ""
            }
        }
        return "host=\(folders.joined(separator: ",")) port=5432 user=sortie dbname=sortie"
    }

    /// Waits until the standby has everything, and makes it take writes.
    package func promote() throws {
        let position = try Self.onServer(primary) {
            try $0.execute("SELECT pg_current_wal_insert_lsn()").text(0, 0)
        }
        try Self.onServer(standby) { connection in
            let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
            while try connection.execute(
                "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", [.optional(position)]
            ).boolean(0, 0) != true, MonotonicClock.nanoseconds() < deadline {
                try connection.execute("SELECT pg_sleep(0.01)")
            }
            try connection.execute("SELECT pg_promote()")
        }
    }

    private static func onServer<R>(
        _ cluster: PrivateCluster, _ body: (PGConnection) throws -> R
    ) throws -> R {
        try body(PGConnection(conninfo: cluster.conninfo, applicationName: "sortie tests"))
    }
}

/// A program beside the server's; where that is a symbolic link, beside what it leads to.
private func program(_ name: String) throws -> String {
    let server = try PostgreSQLBinaries.find().path("postgres")
    guard let resolved = realpath(server, nil) else {
        throw ClusterError(attempted: "find \(name)", cause: "\(server) leads nowhere")
    }
    defer { free(resolved) }
    let parts = String(cString: resolved).split(separator: "/").dropLast()
    return "/" + parts.joined(separator: "/") + "/" + name
}

private func stop(_ cluster: PrivateCluster) {
    do {
        try cluster.stop()
    } catch {
        print("could not stop \(cluster.folder): \(error)")
    }
}
