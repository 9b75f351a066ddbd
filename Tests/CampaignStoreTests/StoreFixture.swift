// What the suites of this target share: a migrated database with devices, and a run in it.

import APNSProtocol
import CampaignModel
@testable import CampaignStore
import PostgreSQL
import Synchronization
import TestSupport
import Testing

/// A fresh, migrated database and a store on it.
struct StoreFixture {
    static let app = "com.example.shop"
    let conninfo: String
    let store: Store

    /// Runs a test with a database of its own.
    static func with<R>(_ body: (StoreFixture) throws -> R) throws -> R {
        try TestCluster.withDatabase(template: ("migrated", migrate)) { conninfo in
            let store = try Store(conninfo: conninfo, purpose: "test")
            return try body(StoreFixture(conninfo: conninfo, store: store))
        }
    }

    @Sendable private static func migrate(_ conninfo: String) throws {
        try Store(conninfo: conninfo, purpose: "migrate").migrate()
    }

    /// A token made of a number.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Puts devices into the table, registered a day ago.
    func addDevices(_ count: Int, locale: String? = nil, from first: Int = 1) throws {
        try store.connection.execute(
            """
            INSERT INTO sortie.device (app, environment, token, user_id, locale, registered_at,
                attributes)
            SELECT $1, 'production', lpad(to_hex(n), 64, '0'), 'user-' || n, $2,
                now() - interval '1 day', jsonb_build_object('first_name', 'Ann ' || n, 'age', n)
            FROM generate_series($3::integer, $4::integer) AS n
            """,
            [
                .text(Self.app), .optional(locale), .integer(Int64(first)),
                .integer(Int64(first + count - 1)),
            ])
    }

    /// A worker of this process.
    static func worker(pid: Int32 = 100, host: String = "here") -> WorkerFacts {
        WorkerFacts(host: host, pid: pid, pidStartedTicks: 5, version: "test")
    }

    static func newRun(
        _ occurrence: String = "2026-12-05", hash: String = "h1", isProbeOnly: Bool = false,
        unconfirmed: UnconfirmedRule = .keep, maxRate: Double? = nil
    ) -> NewRun {
        NewRun(
            campaign: "sale", occurrence: occurrence, definition: "{}", definitionHash: hash,
            app: app, environment: .production, startedBy: "test", isProbeOnly: isProbeOnly,
            unconfirmed: unconfirmed, maxRatePerSecond: maxRate,
            collapseID: { "sale/\($0)" })
    }

    /// Opens, or takes over, the run of the fixture.
    func open(
        _ new: NewRun = newRun(), worker: WorkerFacts = worker(), othersAlive: Bool = false
    ) throws -> Run {
        try enter(new, worker: worker, othersAlive: othersAlive).run
    }

    /// Opens, or takes over, the run of the fixture, and says how many were in doubt.
    func enter(
        _ new: NewRun = newRun(), worker: WorkerFacts = worker(), othersAlive: Bool = false
    ) throws -> (run: Run, doubt: Int) {
        switch try store.openRun(new, worker: worker, isAlive: { _, _ in othersAlive }) {
        case .created(let run): return (run, 0)
        case .resumed(let run, let doubt): return (run, doubt)
        case let other: throw Unexpected(text: "\(other)")
        }
    }

    /// Claims the parked recipients that are due, and reads what is claimed.
    func claimed(
        _ run: Run, now: Int64, limit: Int = 100, fields: [TemplateField] = [],
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws {
        _ = try store.claimRetries(
            run: run, phase: .send, nowMicroseconds: now, limit: limit)
        try store.claimedRetries(
            run: run, phase: .send, columns: RecipientColumns(fields: fields), body)
    }

    /// Lets others have what the worker has claimed and not announced, as its end would.
    func freeClaims(_ run: Run) throws {
        try store.connection.execute(
            "UPDATE sortie.retry SET worker_id = NULL WHERE run_id = $1 AND NOT announced",
            [.integer(run.id)])
    }

    /// A frozen run over all devices, in the state sending.
    func frozenRun(
        sliceSize: Int = 100, probe: FreezePlan.Probe = .none, new: NewRun = newRun()
    ) throws -> Run {
        let run = try open(new)
        try store.setState(run: run, to: .freezing)
        var plan = FreezePlan()
        plan.sliceSize = sliceSize
        plan.probe = probe
        _ = try store.freeze(run: run, plan: plan)
        try store.setState(run: run, to: probe == .none ? .sending : .preflight)
        return run
    }

    /// One value of a query.
    func value(_ sql: String, _ parameters: [PGValue] = []) throws -> String? {
        try store.connection.execute(sql, parameters).text(0, 0)
    }

    /// recipients = accepted + rejected + unknown + skipped + unsent, each equal to the rows.
    func expectSum(_ run: Run, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let row = try store.connection.execute(
            """
            SELECT recipients = accepted + rejected + unknown + skipped + unsent, unsent >= 0,
                accepted + rejected + unknown + skipped
                    = (SELECT count(*) FROM sortie.outcome AS o
                        WHERE o.run_id = s.run_id AND o.phase = 2),
                recipients = (SELECT count(*) FROM sortie.recipient AS r
                    WHERE r.run_id = s.run_id)
            FROM report.run_summary AS s WHERE run_id = $1
            """, [.integer(run.id)])
        for column in 0..<4 {
            #expect(row.boolean(0, column) == true, sourceLocation: sourceLocation)
        }
    }
}

struct Unexpected: Error {
    let text: String
}

extension RecordBatch {
    private static let numbers = Atomic<Int64>(1)

    /// An empty batch with the next id.
    init(phase: RunPhase) {
        self.init(phase: phase, id: Self.numbers.add(1, ordering: .relaxed).newValue)
    }

    /// Outcomes of one kind for a range of ordinals of a slice.
    mutating func add(
        _ ordinals: ClosedRange<Int32>, _ kind: OutcomeKind, slice: Int32, status: UInt16 = 200,
        reason: ReasonCode = .none, sentAt: Int64 = 1_800_000_000_000_000
    ) {
        for ordinal in ordinals {
            outcomes.append(
                OutcomeRecord(
                    ordinal: ordinal, kind: kind, status: status, reason: reason, attempts: 1,
                    connection: 1, latencyMicroseconds: 1500, sentAtMicroseconds: sentAt,
                    apnsIDHigh: 1, apnsIDLow: UInt64(ordinal), source: slice))
        }
    }
}
