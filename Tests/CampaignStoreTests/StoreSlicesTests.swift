import CampaignModel
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreSlicesTests {
    private struct Seen: Equatable {
        var ordinal: Int32
        var token: String
        var values: [String?]
        var row: RecipientRow

        static func == (left: Seen, right: Seen) -> Bool {
            left.ordinal == right.ordinal && left.token == right.token
                && left.values == right.values
        }
    }

    private static func seen(
        _ row: RecipientRow, _ bytes: Span<UInt8>, _ values: Span<FieldRange>
    ) -> Seen {
        func text(_ range: Range<Int>) -> String {
            String(decoding: range.map { bytes[$0] }, as: UTF8.self)
        }
        let texts = (0..<values.count).map { index -> String? in
            let value = values[index]
            let start = Int(value.offset)
            return value.length < 0 ? nil : text(start..<(start + Int(value.length)))
        }
        return Seen(ordinal: row.ordinal, token: text(row.token), values: texts, row: row)
    }

    private func rows(
        _ fixture: StoreFixture, _ run: Run, _ slice: Slice, phase: RunPhase = .send,
        from: Int32? = nil, through: Int32? = nil, fields: [TemplateField] = []
    ) throws -> [Seen] {
        var result: [Seen] = []
        try fixture.store.streamRecipients(
            run: run, phase: phase, slice: slice, from: from ?? slice.nextOrdinal,
            through: through ?? slice.lastOrdinal, columns: RecipientColumns(fields: fields)
        ) { row, bytes, values in result.append(Self.seen(row, bytes, values)) }
        return result
    }

    @Test func rowsComeInOrderWithTheirValues() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(5, locale: "hu")
            try fixture.store.connection.executeScript(
                """
                UPDATE sortie.device SET user_id = NULL,
                    attributes = '{"it''s": "O''Neil", "age": null, "n": {"a": [1]}}' WHERE id = 2;
                UPDATE sortie.device SET status = 'inactive' WHERE id = 3;
                """, name: "test")
            let run = try fixture.open()
            try fixture.store.setState(run: run, to: .freezing)
            var plan = FreezePlan()
            plan.translations = [nil, "hu"]
            _ = try fixture.store.freeze(run: run, plan: plan)
            try fixture.store.setState(run: run, to: .sending)
            // Status is read when the row is, not when the audience was frozen.
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET status = 'inactive' WHERE id = 4")
            let slice = try #require(try fixture.store.leaseNextSlice(run: run, phase: .send))
            let fields: [TemplateField] = [
                .userID, .locale, .attribute("it's"), .attribute("age"), .attribute("n"),
            ]
            let rows = try rows(fixture, run, slice, fields: fields)
            #expect(rows.map(\.ordinal) == [1, 2, 3, 4])
            #expect(rows[0].token == StoreFixture.token(1))
            #expect(rows[0].values == ["user-1", "hu", nil, "1", nil])
            #expect(rows[1].values == [nil, "hu", "O'Neil", nil, "{\"a\": [1]}"])
            #expect(rows.map(\.row.isActive) == [true, true, false, true])
            #expect(rows.allSatisfy { $0.row.slice == 0 })
            #expect(rows.map(\.row.translation) == [1, 1, 0, 1])
            #expect(rows.map(\.token) == [1, 2, 4, 5].map(StoreFixture.token))
        }
    }

    @Test func aSliceIsReadInParts() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            let slice = try #require(try fixture.store.leaseNextSlice(run: run, phase: .send))
            let first = try rows(fixture, run, slice, from: 1, through: 4).map(\.ordinal)
            let second = try rows(fixture, run, slice, from: 5, through: 10).map(\.ordinal)
            #expect(first == [1, 2, 3, 4])
            #expect(second == [5, 6, 7, 8, 9, 10])
            #expect(try rows(fixture, run, slice, from: 10, through: 9).isEmpty)
        }
    }

    @Test func everySliceIsLeasedOnce() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(35)
            let run = try fixture.frozenRun(sliceSize: 10)
            let other = try Store(conninfo: fixture.conninfo, purpose: "other")
            var numbers: [Int32] = []
            while let slice = try fixture.store.leaseNextSlice(run: run, phase: .send) {
                numbers.append(slice.number)
                #expect(slice.size == (slice.number == 3 ? 5 : 10))
                #expect(!slice.wasStarted)
                if let next = try other.leaseNextSlice(run: run, phase: .send) {
                    numbers.append(next.number)
                }
            }
            #expect(numbers == [0, 1, 2, 3])
        }
    }

    @Test func aLeaseWhoseAnswerWasLostIsGivenOutAgain() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(20)
            let run = try fixture.frozenRun(sliceSize: 10)
            let lease = { (taken: [Int32]) in
                try fixture.store.leaseNextSlice(run: run, phase: .send, besides: taken)?.number
            }
            #expect(try lease([]) == 0)
            // The caller never heard of it, and asks again.
            #expect(try lease([]) == 0)
            #expect(try lease([0]) == 1)
            #expect(try lease([1]) == 0)
            #expect(try lease([0, 1]) == nil)
        }
    }

    @Test func theProbeReadsOnlyThoseToBeProbed() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(6)
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET registered_at = NULL WHERE id IN (2, 5)")
            let run = try fixture.frozenRun(probe: .stale(afterSeconds: 10 * 86_400))
            let slice = try #require(try fixture.store.leaseNextSlice(run: run, phase: .probe))
            #expect(slice.size == 2)
            #expect(try rows(fixture, run, slice, phase: .probe).map(\.ordinal) == [2, 5])
        }
    }

    /// What is left after a crash between announcement and outcomes; `rule` says what becomes of
    /// the doubt.
    @Test(arguments: [UnconfirmedRule.keep, .resend])
    func afterACrashTheThreeSetsAreExact(rule: UnconfirmedRule) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(100)
            let new = StoreFixture.newRun(unconfirmed: rule)
            let run = try fixture.frozenRun(sliceSize: 50, new: new)
            let slice = try #require(try fixture.store.leaseNextSlice(run: run, phase: .send))
            // Announced through 30; 1-8 and 11 recorded; 12 parked; the rest on the wire. One
            // beyond the mark is skipped already. The connection is lost with the next batch.
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: slice.number, through: 30)]
            try fixture.store.record(batch, run: run)
            batch = RecordBatch(phase: .send)
            batch.add(1...8, .accepted, slice: slice.number)
            batch.add(11...11, .rejected, slice: slice.number, status: 400)
            batch.add(40...40, .skipped, slice: slice.number, status: 0)
            batch.parks = [
                ParkRecord(
                    ordinal: 12, slice: 0, attempts: 1, cause: .transient,
                    notBeforeMicroseconds: 0)
            ]
            try fixture.store.record(batch, run: run)
            #expect(
                try fixture.store.claimRetries(
                    run: run, phase: .send, nowMicroseconds: 1, limit: 10) == 1)
            batch = RecordBatch(phase: .send)
            batch.announcements = [.retry(ordinals: [12])]
            try fixture.store.record(batch, run: run)

            let (taken, doubt) = try fixture.enter(new, worker: StoreFixture.worker(pid: 300))
            // 9, 10, 13 to 30 from the slice, and 12 from the retry list.
            #expect(doubt == 21)
            #expect(try fixture.store.evict(worker: run.workerID, reason: "again") == nil)
            try fixture.expectSum(taken)
            let inDoubt = [9, 10, 12] + Array(13...30)
            let sql =
                rule == .keep
                ? "SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM sortie.outcome "
                    + "WHERE outcome = 3"
                : "SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM sortie.retry "
                    + "WHERE cause = 4 AND NOT announced"
            #expect(
                try fixture.value(sql) == inDoubt.map(String.init).joined(separator: " "))

            let again = try #require(try fixture.store.leaseNextSlice(run: taken, phase: .send))
            #expect(again.number == 0)
            #expect(again.wasStarted)
            #expect(again.nextOrdinal == 31)
            let left = try rows(fixture, taken, again).map(\.ordinal)
            #expect(left == Array(31...39) + Array(41...50))
            if rule == .resend {
                #expect(try retries(fixture, taken).map(\.ordinal) == inDoubt.map(Int32.init))
            }
        }
    }

    private func retries(
        _ fixture: StoreFixture, _ run: Run, now: Int64 = 1_900_000_000_000_000,
        limit: Int = 100
    ) throws -> [Seen] {
        var result: [Seen] = []
        try fixture.claimed(run, now: now, limit: limit, fields: [.userID]) {
            row, bytes, values in result.append(Self.seen(row, bytes, values))
        }
        try fixture.freeClaims(run)
        return result
    }

    @Test func parkedRecipientsComeBackWhenTheyAreDue() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(5)
            let run = try fixture.frozenRun()
            _ = try fixture.store.leaseNextSlice(run: run, phase: .send)
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 5)]
            try fixture.store.record(batch, run: run)
            batch = RecordBatch(phase: .send)
            let due: Int64 = 2_000_000_000_000_000
            batch.parks = (1...3).map {
                ParkRecord(
                    ordinal: $0, slice: 0, attempts: UInt8($0), cause: .tooManyRequests,
                    notBeforeMicroseconds: due + Int64(3 - $0))
            }
            batch.add(4...5, .accepted, slice: 0)
            try fixture.store.record(batch, run: run)
            #expect(try fixture.value("SELECT state FROM sortie.slice") == "done")
            #expect(
                try fixture.store.rest(run: run, phase: .send)
                    == PhaseRest(slices: 0, parked: 3, nextRetryMicroseconds: due))
            #expect(try retries(fixture, run, now: due - 1).isEmpty)
            #expect(try retries(fixture, run).isEmpty)
            #expect(try retries(fixture, run, now: due + 1).map(\.ordinal) == [3, 2])
            #expect(try retries(fixture, run, now: due + 2, limit: 2).map(\.ordinal) == [3, 2])
            let row = try #require(try retries(fixture, run, now: due).first)
            #expect(row.row.attempts == 3)
            #expect(row.row.cause == .tooManyRequests)
            #expect(row.row.slice == -1)
            #expect(row.row.parkedAtMicroseconds > 1_700_000_000_000_000)
            #expect(row.values == ["user-3"])

            // Announced ones are on the wire; then one is parked again, one is done.
            _ = try fixture.store.claimRetries(
                run: run, phase: .send, nowMicroseconds: due + 1, limit: 10)
            batch = RecordBatch(phase: .send)
            batch.announcements = [.retry(ordinals: [3, 2])]
            try fixture.store.record(batch, run: run)
            #expect(try retries(fixture, run, now: due + 9).map(\.ordinal) == [1])
            batch = RecordBatch(phase: .send)
            batch.add(2...2, .accepted, slice: -1)
            batch.parks = [
                ParkRecord(
                    ordinal: 3, slice: -1, attempts: 4, cause: .transient,
                    notBeforeMicroseconds: due + 50)
            ]
            try fixture.store.record(batch, run: run)
            #expect(try retries(fixture, run, now: due + 99).map(\.row.attempts) == [1, 4])
            let counts = try fixture.store.progress(run: run, phase: .send)
            #expect(
                counts
                    == PhaseCounts(
                        total: 5, accepted: 3, rejected: 0, unknown: 0, skipped: 0, parked: 2))
            try fixture.expectSum(run)
        }
    }
}
