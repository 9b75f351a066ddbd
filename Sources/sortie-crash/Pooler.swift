internal import Glibc
internal import LinuxIO
internal import LocalCluster
internal import PostgreSQL

/// A pgbouncer in transaction mode: each transaction may meet another session of the server.
struct Pooler {
    private static let program = "/usr/sbin/pgbouncer"
    private static let port = 6432
    private static let startNanoseconds: Int64 = 20_000_000_000

    /// Leads to the database by way of the pooler.
    let conninfo: String
    private let processID: Int32

    /// Starts one, and waits until it leads to the database.
    ///
    /// - Parameters:
    ///   - folder: A new folder.
    ///   - database: Where it leads.
    /// - Throws: `CrashFailure` if it is not installed, or why it does not start.
    init(folder: String, to database: CrashDatabase) throws {
        guard FileContents.exists(Self.program) else {
            throw CrashFailure("\(Self.program) is missing; Scripts/crash-test installs it")
        }
        let user = try ClusterUser.current(attempted: "run pgbouncer")
        try user.makePrivateDirectory(folder, attempted: "run pgbouncer")
        let facts = try database.query(
            "SELECT current_setting('unix_socket_directories'), current_setting('port')")
        let server = "host=\(facts.text(0, 0) ?? "") port=\(facts.text(0, 1) ?? "") user=sortie"
        let settings = """
            [databases]
            sortie = \(server)
            [pgbouncer]
            listen_port = \(Self.port)
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            server_round_robin = 1
            default_pool_size = 12
            server_login_retry = 1
            query_wait_timeout = 5

            """
        let file = "\(folder)/pgbouncer.ini"
        try FileContents.write(file, Array(settings.utf8), mode: 0o644)
        let (command, arguments) = user.command(Self.program, ["-q", file])
        processID = try ChildProcess.start(
            command, arguments, outputPath: "\(folder)/output")
        conninfo = "host=\(folder) port=\(Self.port) user=sortie dbname=sortie"
        do {
            try waitUntilItLeads()
        } catch {
            stop()
            throw error
        }
    }

    private func waitUntilItLeads() throws {
        let deadline = MonotonicClock.nanoseconds() + Self.startNanoseconds
        while true {
            do {
                _ = try PGConnection(conninfo: conninfo, applicationName: "crash test")
                return
            } catch {
                guard MonotonicClock.nanoseconds() < deadline else { throw error }
                usleep(10_000)
            }
        }
    }

    /// Ends it.
    func stop() {
        _ = ChildProcess.stop(
            processID, untilNanoseconds: MonotonicClock.nanoseconds() + Self.startNanoseconds)
    }
}
