internal import LinuxIO
internal import LocalCluster
internal import PostgreSQL

/// A private PostgreSQL with devices in it.
final class BenchDatabase {
    /// Locales of the devices, in turn: the six languages of the personalised case.
    static let locales = ["en", "hu", "id", "de-AT", "fr", "ja"]
    static let app = "com.example.shop"

    private let cluster: LocalCluster
    private let connection: PGConnection
    private let processID: Int32
    /// How many there are.
    private(set) var devices = 0

    var conninfo: String { cluster.conninfo }

    /// Makes and starts it, and has the program make its tables.
    ///
    /// - Parameters:
    ///   - folder: A new folder.
    ///   - settings: Settings that differ from the cluster's own.
    ///   - migrate: Makes the tables, given the connection string.
    /// - Throws: What went wrong with the server, or with the tables.
    init(
        folder: String, settings: [(name: String, value: String)],
        migrate: (String) throws -> Void
    ) throws {
        cluster = try LocalCluster(folder: folder)
        try cluster.start()
        if !settings.isEmpty {
            let setting = try PGConnection(
                conninfo: cluster.conninfo, applicationName: "bench setting")
            for (name, value) in settings {
                try setting.execute("ALTER SYSTEM SET \(name) = '\(value)'")
            }
            try cluster.stop()
            try cluster.start()
        }
        try migrate(cluster.conninfo)
        connection = try PGConnection(conninfo: cluster.conninfo, applicationName: "bench")
        guard case .running(let processID) = cluster.status else {
            throw BenchFailure("the private PostgreSQL does not run")
        }
        self.processID = processID
    }

    func stop() throws { try cluster.stop() }

    /// PostgreSQL's version as a number, such as 150007.
    var serverVersion: Int { connection.serverVersion }

    /// Sees to it that there are so many devices; they are added, never taken away.
    func load(devices count: Int) throws {
        guard count > devices else { return }
        let list = Self.locales.map { "'\($0)'" }.joined(separator: ", ")
        // Digits in rising order fill the index of tokens from one end, which is fast and as good
        // for what is measured here. Every tenth device has no name. All were registered before any
        // of the simulator's tokens can have died, so that the dead are pruned.
        try connection.execute(
            """
            INSERT INTO sortie.device (app, environment, token, user_id, locale, registered_at,
                attributes)
            SELECT '\(Self.app)', 'production', lpad(to_hex(n), 16, '0') || md5(n::text)
                    || lpad(to_hex(n * 2654435761 % 1099511627776), 16, '0'),
                'user-' || n, (ARRAY[\(list)])[1 + n % \(Self.locales.count)],
                now() - make_interval(days => 40, secs => n % 8640000),
                CASE n % 10 WHEN 0 THEN '{}'::jsonb
                    ELSE jsonb_build_object('first_name', 'Name' || n % 1000) END
            FROM generate_series($1::bigint, $2::bigint) AS n
            """, [.integer(Int64(devices + 1)), .integer(Int64(count))], name: "load devices")
        devices = count
        try connection.execute("VACUUM (ANALYZE) sortie.device")
    }

    /// Puts everything back to where a run can begin: no device is pruned, nothing is left to write
    /// to the disk.
    func settle() throws {
        let pruned = try connection.execute(
            """
            UPDATE sortie.device
            SET status = 'active', status_reason = NULL, status_cause_at = NULL
            WHERE status <> 'active'
            """)
        if pruned.affectedRows > 0 { try connection.execute("VACUUM (ANALYZE) sortie.device") }
        try connection.execute("CHECKPOINT")
    }

    /// Processor time that all of the server's processes have used, in seconds.
    ///
    /// - Throws: `PGError`; waits up to a second for the program's sessions to be gone.
    func processorSeconds() throws -> Double {
        for _ in 0..<100 {
            let sessions = try connection.execute(
                """
                SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity
                WHERE application_name LIKE 'sortie%'
                """)
            if sessions.integer(0, 0) == 0 { break }
        }
        return KernelFiles.familySeconds(processID)
    }

    /// How many bytes of write-ahead log there have been.
    func logPosition() throws -> Int {
        let row = try connection.execute(
            "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
        return Int(row.integer(0, 0) ?? 0)
    }

    /// The provider token that runs last sent with: h2load sends one of the same length.
    func providerToken() throws -> String {
        let rows = try connection.execute(
            "SELECT jwt FROM sortie.provider_token ORDER BY issued_at DESC LIMIT 1")
        return rows.rowCount > 0 ? rows.text(0, 0) ?? "" : ""
    }

    /// Checks that everybody of the newest run has exactly one outcome (no two, says the primary
    /// key), reads when its phases began, and removes its rows.
    ///
    /// - Parameter recipients: How many there should be.
    /// - Returns: What the database says of it.
    /// - Throws: `BenchFailure` if the sum is wrong.
    func closeNewestRun(recipients: Int) throws -> RecordFigures {
        let run = try connection.execute(
            """
            SELECT r.id, r.recipients, r.state,
                (extract(epoch FROM begun - freezing) * 1e6)::bigint,
                (extract(epoch FROM r.finished_at - begun) * 1e6)::bigint
            FROM sortie.run AS r, LATERAL (
                SELECT min(at) FILTER (WHERE text LIKE '%-> freezing') AS freezing,
                    min(at) FILTER (WHERE text LIKE '%-> preflight'
                        OR text LIKE '%-> canary' OR text LIKE '%-> sending') AS begun
                FROM sortie.run_event AS e WHERE e.run_id = r.id AND e.kind = 'state') AS event
            ORDER BY r.id DESC LIMIT 1
            """)
        let id = run.integer(0, 0) ?? 0
        let sum = try connection.execute(
            """
            SELECT count(*), max(ordinal),
                pg_total_relation_size('sortie.outcome_\(id)')
                    + pg_total_relation_size('sortie.recipient_\(id)')
            FROM sortie.outcome_\(id) WHERE phase = 2
            """)
        guard run.text(0, 2) == "finished", run.integer(0, 1) == Int64(recipients),
            sum.integer(0, 0) == Int64(recipients), sum.integer(0, 1) == Int64(recipients)
        else {
            throw BenchFailure(
                "run \(id) is \(run.text(0, 2) ?? "nowhere") with \(run.integer(0, 1) ?? 0) "
                    + "recipients and \(sum.integer(0, 0) ?? 0) outcomes, not \(recipients)")
        }
        let attempts = try connection.execute("SELECT sum(attempts) FROM sortie.outcome_\(id)")
        let figures = RecordFigures(
            requests: Int(attempts.integer(0, 0) ?? 0),
            freezeSeconds: Double(run.integer(0, 3) ?? 0) / 1e6,
            sendSeconds: Double(run.integer(0, 4) ?? 0) / 1e6,
            diskBytes: Int(sum.integer(0, 2) ?? 0))
        try connection.execute("DROP TABLE sortie.outcome_\(id), sortie.recipient_\(id)")
        return figures
    }
}
