import APNSProtocol
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected)) struct StoreCanaryTests {
    private func due(_ fixture: StoreFixture, _ run: Run) throws -> [Int32] {
        var ordinals: [Int32] = []
        try fixture.claimed(run, now: 2000) { row, _, _ in ordinals.append(row.ordinal) }
        try fixture.freeClaims(run)
        return ordinals
    }

    private func slice(_ fixture: StoreFixture, _ run: Run) throws -> Slice? {
        try fixture.store.leaseNextSlice(run: run, phase: .send)
    }

    private func park(_ fixture: StoreFixture, _ run: Run, _ ordinals: [Int32]) throws -> Bool {
        try fixture.store.parkCanary(run: run, ordinals: ordinals, nowMicroseconds: 1000)
    }

    @Test func itWaitsInTheRetryListAndIsLeftOutOfItsSlices() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(25)
            let run = try fixture.frozenRun(sliceSize: 10)
            #expect(try park(fixture, run, [1, 9, 17, 25]))
            try fixture.expectSum(run)
            #expect(try due(fixture, run) == [1, 9, 17, 25])
            #expect(
                try fixture.value("SELECT DISTINCT sortie.park_cause_name(cause) FROM sortie.retry")
                    == "canary")
            let slice = try #require(try slice(fixture, run))
            #expect(slice.recorded == 2 && slice.wasStarted && slice.nextOrdinal == 1)
            var ordinals: [Int32] = []
            try fixture.store.streamRecipients(
                run: run, phase: .send, slice: slice, from: 1, through: 10,
                columns: RecipientColumns(fields: [])
            ) { row, _, _ in ordinals.append(row.ordinal) }
            #expect(ordinals == [2, 3, 4, 5, 6, 7, 8, 10])
        }
    }

    @Test func parkingAgainChangesNothing() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            #expect(try park(fixture, run, [1, 6]))
            #expect(
                try fixture.store.claimRetries(
                    run: run, phase: .send, nowMicroseconds: 2000, limit: 1) == 1)
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.retry(ordinals: [1])]
            try fixture.store.record(batch, run: run)
            batch = RecordBatch(phase: .send)
            batch.outcomes = [OutcomeRecord(ordinal: 1, kind: .accepted, status: 200, source: -1)]
            try fixture.store.record(batch, run: run)
            #expect(try park(fixture, run, [1, 6]))
            #expect(try due(fixture, run) == [6])
            #expect(try slice(fixture, run)?.recorded == 2)
            try fixture.expectSum(run)
        }
    }

    @Test func aSliceThatIsAllCanaryIsDone() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(4)
            let run = try fixture.frozenRun(sliceSize: 2)
            #expect(try park(fixture, run, [1, 2, 3]))
            #expect(try slice(fixture, run)?.number == 1)
        }
    }

    @Test func nobodyGoesFirstOnceAnOtherMayHaveGone() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 3)]
            try fixture.store.record(batch, run: run)
            #expect(try !park(fixture, run, [1, 6]))
            #expect(try due(fixture, run).isEmpty)
        }
    }

    /// A crash with a part of the canary on the wire: that part is in doubt, the other is not.
    @Test(arguments: [UnconfirmedRule.keep, .resend])
    func aCrashLeavesOnlyTheAnnouncedInDoubt(rule: UnconfirmedRule) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(30)
            let new = StoreFixture.newRun(unconfirmed: rule)
            let run = try fixture.frozenRun(sliceSize: 10, new: new)
            #expect(try park(fixture, run, [1, 11, 21]))
            try fixture.claimed(run, now: 2000) { _, _, _ in }
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.retry(ordinals: [1, 11])]
            try fixture.store.record(batch, run: run)
            let (next, doubt) = try fixture.enter(new)
            #expect(doubt == 2)
            #expect(try park(fixture, next, [1, 11, 21]))
            try fixture.expectSum(next)
            let counts = try fixture.store.canaryCounts(run: next, ordinals: [1, 11, 21])
            let ended = rule == .keep ? 2 : 0
            #expect(counts == CanaryCounts(ended: ended, sent: ended, rejected: 0))
        }
    }

    @Test func countsLeaveOutWhoWasSkippedAndWhoIsGone() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            #expect(try park(fixture, run, [1, 2, 3, 4, 5, 6]))
            var batch = RecordBatch(phase: .send)
            batch.outcomes = [
                OutcomeRecord(ordinal: 1, kind: .accepted, status: 200, source: -1),
                OutcomeRecord(ordinal: 2, kind: .rejected, status: 400, source: -1),
                OutcomeRecord(ordinal: 3, kind: .rejected, status: 410, source: -1),
                OutcomeRecord(ordinal: 4, kind: .unknown, source: -1),
                OutcomeRecord(ordinal: 5, kind: .skipped, source: -1),
                // Not of the canary.
                OutcomeRecord(ordinal: 9, kind: .rejected, status: 400, source: 0),
            ]
            try fixture.store.record(batch, run: run)
            #expect(
                try fixture.store.canaryCounts(run: run, ordinals: [1, 2, 3, 4, 5, 6])
                    == CanaryCounts(ended: 5, sent: 4, rejected: 1))
        }
    }

    /// The canary raises a slice's count beyond its mark; that must not hide who is in doubt.
    @Test func aCanaryHidesNoDoubtFromANewDefinition() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            #expect(try park(fixture, run, [5, 9]))
            var batch = RecordBatch(phase: .send)
            for ordinal: Int32 in [5, 9] {
                batch.outcomes.append(
                    OutcomeRecord(ordinal: ordinal, kind: .rejected, status: 400, source: -1))
            }
            batch.announcements = [.slice(number: 0, through: 2)]
            try fixture.store.record(batch, run: run)
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(hash: "h2"), worker: StoreFixture.worker(),
                isAlive: { _, _ in false })
            guard case .definitionChanged = opened else {
                Issue.record("\(opened)")
                return
            }
        }
    }

    @Test func aWorkerThatLostTheRunParksNobody() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            let next = try fixture.open()
            #expect(throws: StoreError.self) { try park(fixture, run, [1]) }
            #expect(try due(fixture, next).isEmpty)
        }
    }
}
