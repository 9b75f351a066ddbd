import APNSProtocol
import CampaignModel
import CampaignStore
import PostgreSQL
@testable import RunSimulation
import TestSupport

/// PostgreSQL and its model side by side: each call goes to both.
final class TwoDatabases {
    static let app = "com.example.shop"
    static let sliceSize = 4
    let store: Store
    let model: ModelDatabase

    init(conninfo: String, devices: Int) throws {
        store = try Store(conninfo: conninfo, purpose: "test")
        let store = store
        model = ModelDatabase(sliceSize: Self.sliceSize) {
            (try? store.clockMicroseconds()) ?? 0
        }
        let registered = try store.clockMicroseconds() - 86_400_000_000
        for number in 1...devices {
            let token = String(repeating: "0", count: 62) + String(number + 16, radix: 16)
            try store.connection.execute(
                """
                INSERT INTO sortie.device (app, environment, token, registered_at)
                VALUES ($1, 'production', $2,
                    'epoch'::timestamptz + $3::bigint * interval '1 microsecond')
                """, [.text(Self.app), .text(token), .integer(registered)])
            model.tables.devices.append(
                ModelTables.DeviceRow(token: token, registeredAt: registered))
        }
    }

    /// What a call came to, in words that both have in common.
    static func word<R>(_ body: () throws(StoreError) -> R) -> String {
        do throws(StoreError) {
            return "\(try body())"
        } catch {
            switch error {
            case .leaseLost: return "lease lost"
            case .stateChangeRefused: return "refused"
            case .database: return "database error"
            default: return "\(error)"
            }
        }
    }

    /// Lets a worker's lease run out in both.
    func expire(_ worker: Int32) throws {
        try store.connection.execute(
            """
            UPDATE sortie.worker SET started_at = started_at - interval '1 hour',
                lease_expires_at = clock_timestamp() - interval '1 minute' WHERE id = $1
            """, [.integer(Int64(worker))])
        model.tables.workers[Int(worker) - 1].leaseExpiresAt = model.now - 60_000_000
    }

    /// Lets all ends of workers be long ago, or just now, in both: no clock decides.
    func moveEnds(longAgo: Bool) throws {
        let seconds: Int64 = longAgo ? -3600 : 3600
        try store.connection.execute(
            """
            UPDATE sortie.worker SET ended_at = clock_timestamp() + $1 * interval '1 second'
            WHERE ended_at IS NOT NULL
            """, [.integer(seconds)])
        for index in model.tables.workers.indices
        where model.tables.workers[index].endedAt != nil {
            model.tables.workers[index].endedAt = model.now + seconds * 1_000_000
        }
    }

    // MARK: - The tables as text

    /// The tables of PostgreSQL, each row a line.
    func rowsOfStore() throws -> [String] {
        var lines = try rows(
            9,
            """
            SELECT 'run', state, wish, paused_from, pause_cause, worker_id, lease_epoch,
                recipients, probe_recipients FROM sortie.run
            """)
        lines += try rows(
            6,
            """
            SELECT 'worker', id, ended_at IS NOT NULL, last_batch, rate_share, allows_marking
            FROM sortie.worker ORDER BY id
            """)
        lines += try rows(
            10,
            """
            SELECT 'slice', phase, number, first_ordinal, last_ordinal, size, sending_through,
                recorded, state, CASE WHEN state = 'leased' THEN worker_id END
            FROM sortie.slice ORDER BY phase, number
            """)
        lines += try rows(
            8,
            """
            SELECT 'outcome', phase, ordinal, outcome, status, reason, attempts, worker_id
            FROM sortie.outcome ORDER BY phase, ordinal
            """)
        lines += try rows(
            8,
            """
            SELECT 'retry', phase, ordinal, attempts, cause, reason, announced, worker_id
            FROM sortie.retry ORDER BY phase, ordinal
            """)
        lines += try rows(
            6,
            """
            SELECT 'tally', phase, worker_id, outcome, reason, count FROM sortie.tally
            WHERE count <> 0 ORDER BY phase, worker_id, outcome, reason COLLATE "C"
            """)
        lines += try rows(
            3, "SELECT 'device', status, status_reason FROM sortie.device ORDER BY id")
        return lines
    }

    private func rows(_ columns: Int, _ sql: String) throws -> [String] {
        let result = try store.connection.execute(sql)
        return (0..<result.rowCount).map { row in
            (0..<columns).map { result.text(row, $0) ?? "-" }.joined(separator: " ")
        }
    }

    /// The model's tables in the same form.
    func rowsOfModel() -> [String] {
        let tables = model.tables
        var lines: [String] = []
        if let run = tables.run { lines.append(line(run)) }
        lines += tables.workers.map { worker in
            "worker \(worker.id) \(letter(worker.endedAt != nil)) \(worker.lastBatch) "
                + "\(worker.rateShare) \(letter(worker.allowsMarking))"
        }
        for phase in 0...1 {
            lines += tables.slices[phase].map { slice in
                let holder = slice.state == .leased ? slice.workerID : nil
                return "slice \(phase + 1) \(slice.number) \(slice.first) \(slice.last) "
                    + "\(slice.size) \(slice.sendingThrough) \(slice.recorded) \(slice.state) "
                    + text(holder)
            }
        }
        for phase in 0...1 {
            for case let (index, row?) in tables.outcomes[phase].enumerated() {
                lines.append(
                    "outcome \(phase + 1) \(index + 1) \(row.kind.rawValue) \(row.status) "
                        + "\(row.reason ?? "-") \(row.attempts) \(row.workerID)")
            }
        }
        for phase in 0...1 {
            for case let (index, row?) in tables.parks[phase].enumerated() {
                lines.append(
                    "retry \(phase + 1) \(index + 1) \(row.attempts) \(row.cause.rawValue) "
                        + "\(row.reason ?? "-") \(letter(row.isAnnounced)) \(text(row.workerID))")
            }
        }
        lines += tallies(tables)
        lines += tables.devices.map { "device \($0.status) \($0.statusReason ?? "-")" }
        return lines
    }

    private func line(_ run: ModelTables.RunRow) -> String {
        "run \(run.state) \(text(run.wish?.kind)) \(text(run.pausedFrom)) "
            + "\(text(run.pauseCause)) \(text(run.leadID)) \(run.leaseEpoch) "
            + (run.isFrozen ? "\(run.recipients) \(run.probeRecipients)" : "- -")
    }

    private func tallies(_ tables: ModelTables) -> [String] {
        tables.tallies.filter { $0.count != 0 }.sorted { one, other in
            (one.phase.rawValue, one.workerID, one.kind.rawValue, one.reason)
                < (other.phase.rawValue, other.workerID, other.kind.rawValue, other.reason)
        }.map {
            "tally \($0.phase.rawValue) \($0.workerID) \($0.kind.rawValue) "
                + "\($0.reason) \($0.count)"
        }
    }

    private func letter(_ value: Bool) -> String { value ? "t" : "f" }

    private func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
}
