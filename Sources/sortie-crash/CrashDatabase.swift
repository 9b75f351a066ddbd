internal import Glibc
internal import LinuxIO
internal import LocalCluster
internal import PostgreSQL

/// A private PostgreSQL, durable as in earnest, that can be killed and started again.
///
/// *Thread:* one at a time.
final class CrashDatabase {
    /// The longest wait for a server to come back.
    private static let waitNanoseconds: Int64 = 60_000_000_000

    private let cluster: LocalCluster
    private var connection: PGConnection?

    var conninfo: String { cluster.conninfo }

    /// Makes and starts it.
    ///
    /// - Parameter folder: A new folder.
    /// - Throws: `ClusterError` with the end of the server's log.
    init(folder: String) throws {
        cluster = try LocalCluster(folder: folder)
        try cluster.start()
    }

    // MARK: - Statements

    /// Runs a statement, again and again while the server is away.
    ///
    /// - Parameters:
    ///   - sql: Harmless to repeat.
    ///   - parameters: Of the statement.
    /// - Returns: Its rows.
    /// - Throws: What the server answered, or that it stayed away for a minute.
    @discardableResult
    func query(_ sql: String, _ parameters: [PGValue] = []) throws -> PGResult {
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while true {
            do {
                let usable =
                    try connection
                    ?? PGConnection(
                        conninfo: conninfo, applicationName: "crash test")
                connection = usable
                return try usable.execute(sql, parameters, name: "crash test")
            } catch let error as PGError {
                connection = nil
                guard error.isConnectionLost || error.isRetryable,
                    MonotonicClock.nanoseconds() < deadline
                else { throw error }
                usleep(20_000)
            }
        }
    }

    /// The first column of the first row; nil for no row.
    func number(_ sql: String, _ parameters: [PGValue] = []) throws -> Int? {
        let rows = try query(sql, parameters)
        return rows.rowCount > 0 ? rows.integer(0, 0).map { Int($0) } : nil
    }

    /// Makes devices numbered from 1, whose tokens begin with the number in sixteen hex digits, and
    /// a table in which a trigger keeps every doubt that is recorded.
    func prepare(devices count: Int) throws {
        try query(
            """
            INSERT INTO sortie.device (app, environment, token, registered_at)
            SELECT '\(CrashCampaign.app)', 'production', lpad(to_hex(n), 16, '0')
                    || md5(n::text) || lpad(to_hex(n), 16, '0'), now() - interval '1 day'
            FROM generate_series(1, $1::bigint) AS n
            """, [.integer(Int64(count))])
        for statement in Self.doubtStatements { try query(statement) }
        try query("VACUUM (ANALYZE) sortie.device")
        guard
            try number("SELECT count(*) FROM sortie.device WHERE id > $1", [.integer(Int64(count))])
                == 0
        else { throw CrashFailure("the devices are not numbered from 1") }
    }

    /// Every place in the retry list because of a doubt, also of recipients that had one before.
    private static let doubtStatements = [
        "CREATE SCHEMA crash",
        """
        CREATE TABLE crash.doubt (
            run_id bigint NOT NULL, ordinal integer NOT NULL,
            at timestamptz NOT NULL DEFAULT clock_timestamp())
        """,
        "CREATE INDEX ON crash.doubt (run_id)",
        """
        CREATE FUNCTION crash.note_doubt() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'INSERT' OR NEW.attempts <> OLD.attempts OR NEW.cause <> OLD.cause THEN
                INSERT INTO crash.doubt (run_id, ordinal) VALUES (NEW.run_id, NEW.ordinal);
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER note_doubt AFTER INSERT OR UPDATE ON sortie.retry
        FOR EACH ROW WHEN (NEW.cause = 4 AND NEW.phase = 2)
        EXECUTE FUNCTION crash.note_doubt()
        """,
    ]

    // MARK: - Ending and starting it

    /// The number of the server's first process; nil while it does not run.
    var processID: Int32? {
        if case .running(let pid) = cluster.status { pid } else { nil }
    }

    /// Ends the server's first process without a word; its sessions end when they notice.
    func killServer() {
        if let processID { kill(processID, SIGKILL) }
        connection = nil
    }

    /// Asks the server to shut down.
    ///
    /// - Parameter signal: SIGQUIT: at once, without writing anything; SIGINT: in good order,
    ///   sessions end.
    func stopServer(_ signal: Int32) {
        guard let processID else { return }
        connection = nil
        kill(processID, signal)
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while ProcessFacts.startTicks(of: processID) != nil,
            MonotonicClock.nanoseconds() < deadline
        { usleep(5_000) }
    }

    /// Starts the server; what a killed one left may stand in the way for a moment.
    func start() throws {
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while true {
            do {
                try cluster.start()
                return
            } catch {
                guard MonotonicClock.nanoseconds() < deadline else { throw error }
                usleep(100_000)
            }
        }
    }

    /// Lets whoever reaches an address of this machine in; the server is restarted.
    ///
    /// - Parameter address: One that only this machine reaches.
    /// - Throws: What could not be changed, or that the server does not come back.
    func listen(on address: String) throws {
        let rule = "host all all \(address)/24 trust"
        let result = try ChildProcess.run(
            "/bin/sh",
            ["-c", "echo \"$1\" >> \"$2\"", "sh", rule, "\(cluster.folder)/data/pg_hba.conf"],
            untilNanoseconds: MonotonicClock.nanoseconds() + Self.waitNanoseconds)
        guard result.isSuccess else { throw CrashFailure(result.output) }
        try query("ALTER SYSTEM SET listen_addresses = '\(address)'")
        stopServer(SIGINT)
        try start()
    }

    /// Ends one of the server's sessions with a worker without a word.
    ///
    /// - Parameter number: Which: taken modulo how many there are.
    /// - Returns: Whether there was one.
    /// - Throws: `PGError` if the server does not say.
    func killBackend(_ number: Int) throws -> Bool {
        let rows = try query(
            """
            SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'sortie%' ORDER BY pid
            """)
        guard rows.rowCount > 0, let pid = rows.integer(number % rows.rowCount, 0) else {
            return false
        }
        kill(Int32(pid), SIGKILL)
        return true
    }

    /// Stops it for good.
    func stop() throws {
        connection = nil
        try cluster.stop()
    }
}
