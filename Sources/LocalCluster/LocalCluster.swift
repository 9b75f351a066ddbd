// A private PostgreSQL cluster in a folder.
//
//     folder/            0700, owned by the server's user
//       data/            what initdb made; postgresql.conf includes ../sortie.conf
//       sortie.conf      our settings, written at every start
//       socket/          0700, the only way in (or a directory in /tmp if this path is too long)
//       server.log       what the server had to say
//       lock             held while the cluster is made, started or stopped
//
// Nobody but root and the server's user can enter the folder, so connections through the socket
// are trusted and there is no password to keep.

internal import Glibc
internal import LinuxIO
internal import PostgreSQL

/// A PostgreSQL of one's own, run from the installed server programs: for a laptop, a demo, tests,
/// a small shop without a database server.
///
/// *Thread:* any; the calls block, up to a minute.
package struct LocalCluster: Sendable {
    /// How much a crash of the machine may lose.
    package enum Durability: Sendable {
        /// Nothing that was committed.
        case durable
        /// Everything: for tests.
        case throwaway
    }

    /// Whether the server runs.
    package enum Status: Sendable, Equatable {
        /// There is no cluster in the folder yet.
        case absent
        case stopped
        /// It runs as this process.
        case running(pid: Int32)
    }

    /// The folder, as an absolute path without a slash at the end.
    package let folder: String
    private let durability: Durability
    private let binaries: PostgreSQLBinaries
    private let user: ClusterUser

    /// Finds the server's programs and the user to run them; makes nothing yet.
    ///
    /// - Parameters:
    ///   - folder: An absolute path; made if it does not exist.
    ///   - durability: How careful the server is.
    /// - Throws: If PostgreSQL is not installed, with the package to install.
    package init(folder: String, durability: Durability = .durable) throws(ClusterError) {
        precondition(folder.hasPrefix("/"), "the folder must be an absolute path")
        self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        self.durability = durability
        binaries = try PostgreSQLBinaries.find()
        user = try ClusterUser.current(attempted: "run a private PostgreSQL in \(folder)")
    }

    /// The connection string of the cluster's database, `sortie`.
    package var conninfo: String { conninfo(database: "sortie") }

    /// The connection string of a database of the cluster.
    ///
    /// - Parameter database: A name without quotes and blanks.
    /// - Returns: A libpq connection string.
    package func conninfo(database: String) -> String {
        let host = socketFolder.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "host='\(host)' port=\(Self.port) user=sortie dbname=\(database)"
    }

    /// Makes the cluster on the first call, starts it if it does not run, and returns when it
    /// accepts connections.
    ///
    /// - Returns: Whether it was started by this call.
    /// - Throws: What went wrong, with the end of the server's log.
    @discardableResult
    package func start() throws(ClusterError) -> Bool {
        let attempted = "start the private PostgreSQL in \(folder)"
        try user.requireReachable(folder, attempted: attempted)
        try user.makePrivateDirectory(folder, attempted: attempted)
        // Again, for directories that were made just now under a strict umask.
        try user.requireReachable(folder, attempted: attempted)
        let lock = try ClusterLock(path: "\(folder)/lock", attempted: attempted)
        defer { lock.release() }
        if case .running = status, connects(to: "postgres") {
            try createDatabase(attempted)
            return false
        }
        if !FileContents.exists("\(data)/PG_VERSION") { try initialise(attempted) }
        try user.makePrivateDirectory(socketFolder, attempted: attempted)
        try writeSettings(attempted)
        do throws(ClusterError) {
            try run(
                attempted, "pg_ctl",
                ["start", "-w", "-t", "60", "-D", data, "-l", "\(folder)/server.log"])
        } catch {
            throw ClusterError(attempted: attempted, cause: error.cause + logEnd())
        }
        try createDatabase(attempted)
        return true
    }

    /// Stops the server: open transactions are rolled back, connections end.
    ///
    /// - Returns: Whether it ran.
    /// - Throws: What went wrong.
    @discardableResult
    package func stop() throws(ClusterError) -> Bool {
        guard case .running = status else { return false }
        let attempted = "stop the private PostgreSQL in \(folder)"
        let lock = try ClusterLock(path: "\(folder)/lock", attempted: attempted)
        defer { lock.release() }
        try run(attempted, "pg_ctl", ["stop", "-w", "-t", "60", "-m", "fast", "-D", data])
        return true
    }

    /// Whether the server runs.
    package var status: Status {
        guard FileContents.exists("\(data)/PG_VERSION") else { return .absent }
        // A missing or unreadable file means that no server is running as far as one can know.
        guard let bytes = try? FileContents.read("\(data)/postmaster.pid", limitBytes: 4096),
            let line = bytes.split(separator: UInt8(ascii: "\n")).first,
            let pid = Int32(String(decoding: line, as: UTF8.self)),
            kill(pid, 0) == 0 || errno == EPERM
        else { return .stopped }
        return .running(pid: pid)
    }
}

// MARK: - Making it

extension LocalCluster {
    private static let port = 5432
    /// A quarter of the memory, as PostgreSQL's manual advises, but no more than a table of some
    /// million devices has use for, and no less than PostgreSQL's own default.
    static var sharedMebibytes: Int { min(1_024, max(128, ProcessFacts.memoryBytes / (4 << 20))) }
    /// The length of a socket's path that the kernel takes, without the NUL (`sun_path`).
    private static let socketPathBytesMax = 107

    private var data: String { "\(folder)/data" }

    /// Where the socket is: in the folder, or, if that path would be too long, in a directory of
    /// /tmp whose name is derived from the folder's.
    private var socketFolder: String {
        let near = "\(folder)/socket"
        if near.utf8.count + "/.s.PGSQL.\(Self.port)".utf8.count <= Self.socketPathBytesMax {
            return near
        }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in folder.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "/tmp/sortie-\(user.userID)-\(String(hash, radix: 16))"
    }

    /// Runs initdb in a folder beside, so that an interrupted one leaves no half cluster.
    private func initialise(_ attempted: String) throws(ClusterError) {
        let fresh = "\(folder)/data.new"
        try run(attempted, "/bin/rm", ["-rf", fresh])
        var arguments = [
            "-D", fresh, "-U", "sortie", "--auth-local=trust", "--auth-host=reject",
            "--encoding=UTF8", "--no-instructions",
        ]
        if durability == .throwaway { arguments.append("--no-sync") }
        do throws(ClusterError) {
            try run(attempted, "initdb", arguments + ["--locale=C.UTF-8"])
        } catch {
            // Systems without C.UTF-8 have C, which differs for letters beyond ASCII only.
            try run(attempted, "/bin/rm", ["-rf", fresh])
            try run(attempted, "initdb", arguments + ["--locale=C"])
        }
        try run(
            attempted, "/bin/sh",
            [
                "-c", "printf '%s\\n' \"$1\" >> \"$2\" && mv \"$3\" \"$4\"", "sh",
                "include_if_exists = '../sortie.conf'", "\(fresh)/postgresql.conf", fresh, data,
            ])
    }

    private func writeSettings(_ attempted: String) throws(ClusterError) {
        let socket = socketFolder.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        var settings = [
            "listen_addresses = ''", "port = \(Self.port)",
            "unix_socket_directories = '\(socket)'", "unix_socket_permissions = 0700",
            "max_connections = 100", "timezone = 'UTC'", "log_timezone = 'UTC'",
            // Nobody replicates from a private cluster, and bulk loads into new tables then
            // need no log.
            "wal_level = minimal", "max_wal_senders = 0", "max_wal_size = 4GB",
        ]
        if durability == .durable {
            settings.append("shared_buffers = \(Self.sharedMebibytes)MB")
        } else {
            settings += ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        }
        let text = "# Written by sortie at every start.\n" + settings.joined(separator: "\n") + "\n"
        do {
            try FileContents.write("\(folder)/sortie.conf", Array(text.utf8), mode: 0o600)
        } catch {
            throw ClusterError(attempted: attempted, cause: "\(error)")
        }
        user.own("\(folder)/sortie.conf")
    }

    private func createDatabase(_ attempted: String) throws(ClusterError) {
        if connects(to: "sortie") { return }
        do throws(PGError) {
            let connection = try PGConnection(
                conninfo: conninfo(database: "postgres"), applicationName: "sortie cluster")
            try connection.execute("CREATE DATABASE sortie", name: "create database")
        } catch {
            // 42P04: somebody else was faster.
            guard error.sqlState != "42P04" else { return }
            throw ClusterError(attempted: attempted, cause: "\(error)")
        }
    }

    private func connects(to database: String) -> Bool {
        // Any failure means that it can't be connected to, which is the question.
        (try? PGConnection(
            conninfo: conninfo(database: database), applicationName: "sortie cluster")) != nil
    }

    /// Runs one of PostgreSQL's programs, or another by its path, as the server's user.
    private func run(
        _ attempted: String, _ program: String, _ arguments: [String]
    ) throws(ClusterError) {
        let path = program.hasPrefix("/") ? program : binaries.path(program)
        let (executable, arguments) = user.command(path, arguments)
        let result: ChildProcess.Result
        do {
            result = try ChildProcess.run(
                executable, arguments,
                environment: ["LC_ALL": "C.UTF-8", "PGHOST": "", "PGOPTIONS": ""],
                untilNanoseconds: MonotonicClock.nanoseconds() + 120_000_000_000)
        } catch {
            throw ClusterError(attempted: attempted, cause: "\(error)")
        }
        guard result.isSuccess else {
            throw ClusterError(
                attempted: attempted,
                cause: "\(program) failed (\(result.ending)): \(result.output)")
        }
    }

    /// The last lines of the server's log, for an error's text.
    private func logEnd() -> String {
        // Without a log there is nothing to add to the error.
        guard let log = try? FileContents.read("\(folder)/server.log", limitBytes: 64 << 20)
        else { return "" }
        let lines = String(decoding: log.suffix(2000), as: UTF8.self).split(separator: "\n")
        return "\nthe server's log ends with:\n" + lines.suffix(8).joined(separator: "\n")
    }
}
