import APNSProtocol
import CampaignModel
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreRecordTests {
    @Test func sumHoldsAtEveryMomentOfARun() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(250)
            let run = try fixture.frozenRun(sliceSize: 100)
            try fixture.expectSum(run)
            var kinds = OutcomeKind.allCases.makeIterator()
            while let slice = try fixture.store.leaseNextSlice(run: run, phase: .send) {
                var mark = RecordBatch(phase: .send)
                mark.announcements = [.slice(number: slice.number, through: slice.lastOrdinal)]
                try fixture.store.record(mark, run: run)
                try fixture.expectSum(run)
                var batch = RecordBatch(phase: .send)
                let middle = slice.firstOrdinal + slice.size / 2
                batch.add(slice.firstOrdinal...middle, .accepted, slice: slice.number)
                try fixture.store.record(batch, run: run)
                try fixture.expectSum(run)
                batch = RecordBatch(phase: .send)
                batch.add(
                    (middle + 1)...slice.lastOrdinal, kinds.next() ?? .unknown,
                    slice: slice.number, status: 0)
                try fixture.store.record(batch, run: run)
                try fixture.expectSum(run)
            }
            try fixture.store.setState(run: run, to: .finished)
            #expect(try fixture.value("SELECT unsent FROM report.run_summary") == "0")
            #expect(
                try fixture.value("SELECT count(*) FROM sortie.slice WHERE state <> 'done'") == "0")
            #expect(
                try fixture.value("SELECT sum(count) FROM sortie.tally_minute") == "250")
        }
    }

    @Test func aRunWithUnsentRecipientsCanNotBeFinished() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            let error = #expect(throws: StoreError.self) {
                try fixture.store.setState(run: run, to: .finished)
            }
            guard case .stateChangeRefused(let text)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text == "run 1 can not be finished: 3 of its recipients have no outcome yet")
        }
    }

    @Test func recordingTheSameBatchTwiceIsHarmless() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            let slice = try #require(try fixture.store.leaseNextSlice(run: run, phase: .send))
            var batch = RecordBatch(phase: .send)
            batch.add(1...4, .accepted, slice: slice.number)
            batch.parks = [
                ParkRecord(
                    ordinal: 5, slice: 0, attempts: 1, cause: .transient,
                    notBeforeMicroseconds: 1_800_000_000_000_000)
            ]
            batch.announcements = [.slice(number: 0, through: 10)]
            #expect(try fixture.store.record(batch, run: run) == .recorded)
            try fixture.store.reconnect()
            #expect(try fixture.store.record(batch, run: run) == .alreadyRecorded)
            try fixture.expectSum(run)
            #expect(try fixture.value("SELECT recorded FROM sortie.slice") == "5")
            batch = RecordBatch(phase: .send)
            batch.add(6...6, .accepted, slice: slice.number)
            #expect(try fixture.store.record(batch, run: run) == .recorded)
            #expect(try fixture.value("SELECT accepted FROM report.run_summary") == "5")
        }
    }

    @Test func recordingTakesFiveRoundTripsOnceAndOneForAMark() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(100)
            let run = try fixture.frozenRun()
            _ = try fixture.store.leaseNextSlice(run: run, phase: .send)
            var mark = RecordBatch(phase: .send)
            mark.announcements = [.slice(number: 0, through: 50)]
            try fixture.store.record(mark, run: run)

            var before = fixture.store.connection.roundTrips
            mark = RecordBatch(phase: .send)
            mark.announcements = [.slice(number: 0, through: 100)]
            try fixture.store.record(mark, run: run)
            #expect(fixture.store.connection.roundTrips - before == 1)

            before = fixture.store.connection.roundTrips
            var batch = RecordBatch(phase: .send)
            batch.add(1...100, .accepted, slice: 0)
            try fixture.store.record(batch, run: run)
            #expect(fixture.store.connection.roundTrips - before == 5)
        }
    }

    @Test func aWorkerThatLostTheRunRecordsNothing() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let first = try fixture.frozenRun()
            _ = try fixture.store.leaseNextSlice(run: first, phase: .send)
            let second = try fixture.open(worker: StoreFixture.worker(pid: 200))
            #expect(second.leaseEpoch == first.leaseEpoch + 1)
            var batch = RecordBatch(phase: .send)
            batch.add(1...4, .accepted, slice: 0)
            for lost in [
                { _ = try fixture.store.record(batch, run: first) },
                { _ = try fixture.store.leaseNextSlice(run: first, phase: .send) },
                { try fixture.store.heartbeat(run: first) },
                { try fixture.store.setState(run: first, to: .paused) },
                { _ = try fixture.store.takeShare(run: first, wanted: 1000) },
                {
                    _ = try fixture.store.claimRetries(
                        run: first, phase: .send, nowMicroseconds: 0, limit: 1)
                },
            ] {
                let error = #expect(throws: StoreError.self) { try lost() }
                guard case .leaseLost? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(try fixture.value("SELECT count(*) FROM sortie.outcome") == "0")
            #expect(try fixture.value("SELECT recorded FROM sortie.slice") == "0")
            try fixture.expectSum(second)
            #expect(try fixture.store.leaseNextSlice(run: second, phase: .send) != nil)
        }
    }

    @Test func outcomesComeBackAsTheyWereRecorded() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(2)
            let run = try fixture.frozenRun()
            let gone = try #require(ReasonTable.rows.first { $0.wire == "Unregistered" }).code
            var batch = RecordBatch(phase: .send)
            batch.outcomes = [
                OutcomeRecord(
                    ordinal: 2, kind: .skipped, reason: ReasonCode(rawValue: 3000), source: 0),
                OutcomeRecord(
                    ordinal: 1, kind: .rejected, status: 410, reason: gone, attempts: 2,
                    connection: 3, latencyMicroseconds: .max,
                    sentAtMicroseconds: 1_800_000_000_123_456,
                    apnsTimestampMilliseconds: 1_700_000_000_123,
                    apnsIDHigh: 0x0123_4567_89ab_cdef, apnsIDLow: 0xfedc_ba98_7654_3210, source: 0),
            ]
            batch.reasonTexts = [ReasonCode(rawValue: 3000): "pruned"]
            try fixture.store.record(batch, run: run)
            let table = try fixture.store.connection.execute(
                """
                SELECT outcome, status, attempts, connection, latency_us, sent_at, apns_id, reason,
                    apns_timestamp, worker_id, run_id
                FROM sortie.outcome ORDER BY ordinal
                """)
            let rows = (0..<2).map { row in (0..<11).map { table.text(row, $0) } }
            #expect(
                rows[0] == [
                    "2", "410", "2", "3", "2147483647", "2027-01-15 08:00:00.123456+00",
                    "01234567-89ab-cdef-fedc-ba9876543210", "Unregistered",
                    "2023-11-14 22:13:20.123+00", "\(run.workerID)", "\(run.id)",
                ])
            #expect(
                rows[1] == [
                    "4", "0", "0", "0", "0", nil, nil, "pruned", nil, "\(run.workerID)",
                    "\(run.id)",
                ])
        }
    }

    @Test(arguments: [Int64.max, Int64.min, 1])
    func anyTimestampThatAServerWritesCanBeStored(milliseconds: Int64) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(1)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.outcomes = [
                OutcomeRecord(
                    ordinal: 1, kind: .rejected, status: 410,
                    apnsTimestampMilliseconds: milliseconds, source: 0)
            ]
            try fixture.store.record(batch, run: run)
            #expect(try fixture.value("SELECT apns_timestamp FROM sortie.outcome") != nil)
        }
    }

    /// A role that does not wait for the disk would lose announcements of what is on the wire when
    /// the server crashes, and these recipients would be sent to again.
    @Test(arguments: [
        ("off", "on"), ("local", "local"), ("on", "on"), ("remote_apply", "remote_apply"),
    ])
    func aBatchIsDurableWhateverTheRoleSays(setting: String, used: String) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            _ = try fixture.store.leaseNextSlice(run: run, phase: .send)
            try fixture.store.connection.execute("SET synchronous_commit = \(setting)")
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 4)]
            let inside = try fixture.store.connection.withTransaction {
                () throws(StoreError) -> String? in
                try fixture.store.record(batch, run: run)
                return try Store.mapping { () throws(PGError) in
                    try fixture.store.connection.execute("SHOW synchronous_commit").text(0, 0)
                }
            }
            #expect(inside == used)
            #expect(try fixture.value("SHOW synchronous_commit") == setting)
        }
    }
}
