internal import PostgreSQL

/// The run of an occurrence, seen in the database while others work on it.
struct RunView {
    let database: CrashDatabase
    let occurrence: String
    /// nil: it has not begun as far as anybody looked.
    private(set) var id: Int?

    /// Looks at an occurrence that has no run yet.
    init(_ database: CrashDatabase, occurrence: String) {
        self.database = database
        self.occurrence = occurrence
    }

    /// Looks for the run, unless it is known.
    ///
    /// - Returns: Its number.
    @discardableResult
    mutating func find() throws -> Int? {
        if id == nil {
            id = try database.number(
                "SELECT id FROM sortie.run WHERE campaign = 'crash' AND occurrence = $1",
                [.text(occurrence)])
        }
        return id
    }

    /// The run's state; empty before it has begun.
    mutating func state() throws -> String {
        guard let id = try find() else { return "" }
        return try database.query(
            "SELECT state FROM sortie.run WHERE id = $1", [.integer(Int64(id))]
        ).text(0, 0) ?? ""
    }

    /// Recipients recorded as accepted so far.
    mutating func accepted() throws -> Int {
        guard let id = try find() else { return 0 }
        return try database.number(
            """
            SELECT coalesce(sum(count), 0)::bigint FROM sortie.tally
            WHERE run_id = $1 AND phase = 2 AND outcome = 1
            """, [.integer(Int64(id))]) ?? 0
    }

    /// The process of the worker that leads; nil if none does.
    mutating func leadProcessID() throws -> Int? {
        guard let id = try find() else { return nil }
        return try database.number(
            """
            SELECT w.pid FROM sortie.run AS r JOIN sortie.worker AS w ON w.id = r.worker_id
            WHERE r.id = $1
            """, [.integer(Int64(id))])
    }

    /// Waits until no transaction of these workers is under way: a COMMIT that was sent before its
    /// sender was killed still moves the marks. Each begins with the worker's own row.
    ///
    /// - Parameter workers: By their number in the database.
    /// - Returns: false if one still is after two seconds: its worker is only stopped.
    /// - Throws: `PGError`.
    func isQuiet(_ workers: Set<Int>) throws -> Bool {
        for _ in 0..<200 {
            if try isFree(workers) { return true }
            try database.query("SELECT pg_sleep(0.01)")
        }
        return false
    }

    /// Whether no transaction of these workers is under way at this moment.
    func isFree(_ workers: Set<Int>) throws -> Bool {
        try database.query(
            "SELECT id FROM sortie.worker WHERE id = ANY ($1::int[]) FOR UPDATE SKIP LOCKED",
            [.integers(workers.map(Int64.init))]
        ).rowCount == workers.count
    }

    /// Workers of these processes, by their number in the database.
    mutating func workers(of processIDs: [Int32]) throws -> Set<Int> {
        guard let id = try find() else { return [] }
        let rows = try database.query(
            "SELECT id FROM sortie.worker WHERE run_id = $1 AND pid = ANY ($2::int[])",
            [.integer(Int64(id)), .integers(processIDs.map(Int64.init))])
        return Set((0..<rows.rowCount).map { Int(rows.integer($0, 0) ?? 0) })
    }
}
