internal import PostgreSQL

/// What the database says of a round's run when it is over.
struct RoundEvidence: Sendable {
    /// How a recipient ended.
    struct Outcome: Sendable {
        /// 1 accepted, 2 rejected, 3 unknown, 4 skipped.
        let outcome: Int
        let attempts: Int
        let worker: Int
        /// It was settled when its worker was taken over.
        let isSettledDoubt: Bool
        /// Microseconds since 1970 UTC of the last request; nil if none was sent.
        let sentAt: Int64?
    }

    /// A worker that others took over.
    struct Takeover: Sendable {
        let worker: Int
        let inDoubt: Int
        /// Microseconds since 1970 UTC.
        let at: Int64
    }

    let state: String
    let recipients: Int
    /// By ordinal, from 1; nil: none.
    private(set) var outcomes: [Outcome?]
    /// Rows of outcomes, some of which may be of nobody.
    let outcomeRows: Int
    /// The roll-up's sum for each outcome.
    let tallied: [Int: Int]
    let takeovers: [Takeover]
    /// When a recipient was recorded as in doubt, to be sent again: microseconds since 1970 UTC.
    private(set) var doubts: [Int: [Int64]] = [:]
    /// Recipients whose number is not their device's: the test itself is wrong then.
    let misnumbered: Int

    /// Reads it.
    ///
    /// - Parameters:
    ///   - run: The run's number.
    ///   - expected: How many recipients there should be.
    ///   - database: Where it is.
    /// - Throws: `PGError`.
    init(run: Int, expected: Int, from database: CrashDatabase) throws {
        let id = PGValue.integer(Int64(run))
        let facts = try database.query(
            "SELECT state, coalesce(recipients, 0) FROM sortie.run WHERE id = $1", [id])
        state = facts.text(0, 0) ?? ""
        recipients = Int(facts.integer(0, 1) ?? 0)
        let rows = try database.query(
            """
            SELECT ordinal, outcome, attempts, worker_id,
                coalesce((reason = sortie.lost_worker_reason())::int, 0),
                (extract(epoch FROM sent_at) * 1e6)::bigint
            FROM sortie.outcome_\(run) WHERE phase = 2
            """)
        outcomeRows = rows.rowCount
        outcomes = Array(repeating: nil, count: expected + 1)
        for row in 0..<rows.rowCount {
            let ordinal = Self.number(rows, row, 0)
            guard outcomes.indices.contains(ordinal) else { continue }
            outcomes[ordinal] = Outcome(
                outcome: Self.number(rows, row, 1), attempts: Self.number(rows, row, 2),
                worker: Self.number(rows, row, 3), isSettledDoubt: rows.integer(row, 4) == 1,
                sentAt: rows.integer(row, 5))
        }
        tallied = try Self.tallied(id, database)
        takeovers = try Self.takeovers(id, database)
        misnumbered =
            try database.number(
                "SELECT count(*) FROM sortie.recipient_\(run) WHERE ordinal <> device_id") ?? 0
        let noted = try database.query(
            """
            SELECT ordinal, (extract(epoch FROM at) * 1e6)::bigint FROM crash.doubt
            WHERE run_id = $1 ORDER BY at
            """, [id])
        for row in 0..<noted.rowCount {
            doubts[Self.number(noted, row, 0), default: []].append(noted.integer(row, 1) ?? 0)
        }
    }

    private static func number(_ rows: PGResult, _ row: Int, _ column: Int) -> Int {
        Int(rows.integer(row, column) ?? 0)
    }

    private static func tallied(_ run: PGValue, _ database: CrashDatabase) throws -> [Int: Int] {
        let rows = try database.query(
            """
            SELECT outcome, sum(count)::bigint FROM sortie.tally
            WHERE run_id = $1 AND phase = 2 GROUP BY outcome
            """, [run])
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.rowCount).map {
                (number(rows, $0, 0), number(rows, $0, 1))
            })
    }

    private static func takeovers(
        _ run: PGValue, _ database: CrashDatabase
    ) throws -> [Takeover] {
        let rows = try database.query(
            """
            SELECT worker_id, (detail->>'in_doubt')::bigint,
                (extract(epoch FROM at) * 1e6)::bigint
            FROM sortie.run_event WHERE run_id = $1 AND kind = 'takeover' ORDER BY id
            """, [run])
        return (0..<rows.rowCount).map {
            Takeover(
                worker: number(rows, $0, 0), inDoubt: number(rows, $0, 1),
                at: rows.integer($0, 2) ?? 0)
        }
    }
}

/// Who certainly had not been sent to when the fault came.
struct BeyondMarks: Sendable {
    let ordinals: [Int]
    /// Workers that the fault hit, by their number in the database.
    let victims: Set<Int>

    /// Looks at the marks.
    ///
    /// - Parameters:
    ///   - run: The run's number.
    ///   - victims: Workers that the fault hit.
    ///   - database: Where the run is.
    /// - Returns: nil while the audience is not fixed: then there are no marks.
    /// - Throws: `PGError`.
    static func look(
        run: Int, victims: Set<Int>, in database: CrashDatabase
    ) throws -> BeyondMarks? {
        let isThere = try database.number(
            """
            SELECT count(*) FROM sortie.run AS r
            WHERE r.id = $1 AND r.frozen_at IS NOT NULL
                AND to_regclass('sortie.recipient_' || r.id) IS NOT NULL
            """, [.integer(Int64(run))])
        guard isThere == 1 else { return nil }
        let rows = try database.query(
            """
            SELECT r.ordinal
            FROM sortie.recipient_\(run) AS r
            JOIN sortie.slice AS s ON s.run_id = $1 AND s.phase = 2
                AND r.ordinal BETWEEN s.first_ordinal AND s.last_ordinal
            LEFT JOIN sortie.retry AS t
                ON t.run_id = $1 AND t.phase = 2 AND t.ordinal = r.ordinal
            WHERE NOT EXISTS (SELECT FROM sortie.outcome_\(run) AS o
                    WHERE o.phase = 2 AND o.ordinal = r.ordinal)
                AND CASE WHEN t.ordinal IS NULL THEN r.ordinal > s.sending_through
                    ELSE NOT t.announced END
            """, [.integer(Int64(run))])
        return BeyondMarks(
            ordinals: (0..<rows.rowCount).map { Int(rows.integer($0, 0) ?? 0) }, victims: victims)
    }
}
