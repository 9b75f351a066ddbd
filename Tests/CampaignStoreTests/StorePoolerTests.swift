import APNSProtocol
import CampaignModel
@testable import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

/// pgbouncer in transaction mode: every transaction may meet another session.
@Suite(.enabled(if: TestPooler.isExpected))
struct StorePoolerTests {
    /// A store through a pooler on an empty database.
    private func withStore(_ body: (_ store: Store, _ conninfo: String) throws -> Void) throws {
        try TestCluster.withDatabase { conninfo in
            try TestPooler.with(conninfo) { pooled in
                try body(Store(conninfo: pooled, purpose: "pooled"), pooled)
            }
        }
    }

    private func importDevices(_ store: Store, _ count: Int) throws -> ImportSummary {
        var pieces = [
            Array("token,user_id,locale\n".utf8),
            Array((1...count).map { "\(StoreFixture.token($0)),u\($0),en\n" }.joined().utf8),
        ]
        return try store.importDevices(
            defaults: DeviceDefaults(app: StoreFixture.app, environment: .production)
        ) { pieces.isEmpty ? nil : pieces.removeFirst() }
    }

    @Test func theWholeLifeOfARunPassesThroughAPooler() throws {
        try withStore { store, conninfo in
            #expect(store.connection.isPooled)
            #expect(try store.migrate().count == SQLLibrary.migrations.count)
            #expect(try store.migrate().isEmpty)
            try store.requireCurrentSchema()
            #expect(try importDevices(store, 500).new == 500)
            #expect(try importDevices(store, 600).new == 100)

            // Others on the same sessions between our transactions, as in real life.
            let reader = try Store(conninfo: conninfo, purpose: "reader")
            let fixture = StoreFixture(conninfo: conninfo, store: store)
            let run = try fixture.frozenRun(sliceSize: 100)
            var sent: [Int32] = []
            while let slice = try reader.leaseNextSlice(run: run, phase: .send) {
                var ordinals: [Int32] = []
                try reader.streamRecipients(
                    run: run, phase: .send, slice: slice, from: slice.firstOrdinal,
                    through: slice.lastOrdinal, columns: RecipientColumns(fields: [.userID])
                ) { row, _, _ in ordinals.append(row.ordinal) }
                #expect(ordinals.count == 100)
                try record(store, run, slice, ordinals)
                sent += ordinals
            }
            #expect(sent == Array(1...600))
            try fixture.expectSum(run)
            try finish(store, reader, run, fixture)
        }
    }

    private func record(_ store: Store, _ run: Run, _ slice: Slice, _ ordinals: [Int32]) throws {
        var announcement = RecordBatch(phase: .send)
        announcement.announcements = [.slice(number: slice.number, through: slice.lastOrdinal)]
        #expect(try store.record(announcement, run: run) == .recorded)
        #expect(try store.record(announcement, run: run) == .alreadyRecorded)
        var batch = RecordBatch(phase: .send)
        batch.add(slice.firstOrdinal...(slice.lastOrdinal - 10), .accepted, slice: slice.number)
        batch.add(
            (slice.lastOrdinal - 9)...(slice.lastOrdinal - 1), .rejected, slice: slice.number,
            status: 410, sentAt: WallClock.microseconds())
        batch.parks = [
            ParkRecord(
                ordinal: slice.lastOrdinal, slice: slice.number, attempts: 1, cause: .transient,
                notBeforeMicroseconds: 0)
        ]
        #expect(try store.record(batch, run: run) == .recorded)
        #expect(try store.record(batch, run: run) == .alreadyRecorded)
        try store.heartbeat(run: run)
    }

    private func finish(
        _ store: Store, _ reader: Store, _ run: Run, _ fixture: StoreFixture
    ) throws {
        var parked: [Int32] = []
        #expect(
            try store.claimRetries(
                run: run, phase: .send, nowMicroseconds: WallClock.microseconds(), limit: 100) == 6)
        try reader.claimedRetries(
            run: run, phase: .send, columns: RecipientColumns(fields: [])
        ) { row, _, _ in parked.append(row.ordinal) }
        #expect(parked.count == 6)
        var announcement = RecordBatch(phase: .send)
        announcement.announcements = [.retry(ordinals: parked)]
        try store.record(announcement, run: run)
        #expect(try reader.evict(worker: run.workerID, reason: "test", force: true) == 6)
        let summary = try store.applyTokenStatus(run: run, phase: .send, marksInvalid: true)
        #expect(summary.unregistered == 54)
        try store.addEvent(run: run, kind: "test", text: "through a pooler")
        #expect(try store.progress(run: run, phase: .send).done == 600)
        try store.setState(run: run, to: .finished)
        #expect(try store.leave(run: run, reason: "done") == nil)
        try fixture.expectSum(run)
    }

    /// What would outlive a transaction, or be looked for in the next one, is lost in a pooler.
    @Test func noStatementNeedsASessionOfItsOwn() {
        let statements = SQLLibrary.statements.keys.map { name in
            (name, SQLLibrary.body(of: SQLLibrary.statement(name)))
        }
        let texts = statements + SQLLibrary.migrations.map { ($0.name, $0.sql) }
        for (name, sql) in texts {
            let words = sql.uppercased().split { !$0.isLetter && $0 != "_" }.map(String.init)
            for word in ["LISTEN", "PREPARE", "DECLARE", "PG_ADVISORY_LOCK", "DISCARD", "UNLISTEN"]
            where word != "DECLARE" || !sql.contains("plpgsql") {
                #expect(!words.contains(word), "\(name): \(word)")
            }
            if words.contains("TEMPORARY") || words.contains("TEMP") {
                #expect(sql.contains("ON COMMIT DROP"), "\(name)")
            }
            for line in sql.split(separator: "\n") where line.hasPrefix("SET ") {
                // The other lines that begin so belong to an UPDATE.
                let isSetting = !sql.contains("UPDATE")
                #expect(!isSetting || line.hasPrefix("SET LOCAL "), "\(name): \(line)")
            }
            if sql.contains("set_config(") { #expect(sql.contains(", true)"), "\(name)") }
        }
    }

    @Test func aRestartOfTheServerBehindThePoolerIsPassing() throws {
        try withPrivateCluster { cluster in
            try TestPooler.with(cluster.conninfo) { pooled in
                let store = try Store(conninfo: pooled, purpose: "pooled")
                try store.migrate()
                try cluster.stop()
                // The pooler lets its clients wait for a while, and then leaves them.
                let away = #expect(throws: StoreError.self) { try store.requireCurrentSchema() }
                #expect(away?.isRetryable == true)
                #expect(away?.isConnectionLost == true)
                try cluster.start()
                // Its old sessions are gone: it may say so again before it has new ones.
                let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
                while !(try isBack(store)), MonotonicClock.nanoseconds() < deadline {}
                try store.requireCurrentSchema()
            }
        }
    }

    /// One turn of what whoever waits for a database does.
    private func isBack(_ store: Store) throws -> Bool {
        do {
            if !store.connection.isUsable { try store.reconnect() }
            try store.requireCurrentSchema()
            return true
        } catch {
            guard error.isRetryable else { throw error }
            return false
        }
    }
}
