import APNSProtocol
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

/// Several workers on one run, and people who ask things of them.
@Suite(.enabled(if: TestCluster.isExpected)) struct StoreWorkersTests {
    /// A run in the state sending with its lead and one more worker, each with a store.
    private func withTwo(
        devices: Int = 40, new: NewRun = StoreFixture.newRun(),
        _ body: (_ fixture: StoreFixture, _ lead: Run, _ helper: Run) throws -> Void
    ) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(devices)
            let lead = try fixture.frozenRun(sliceSize: 10, new: new)
            try body(fixture, lead, try join(fixture, lead))
        }
    }

    private func join(_ fixture: StoreFixture, _ run: Run, host: String = "there") throws -> Run {
        let joined = try fixture.store.joinRun(
            id: run.id, worker: StoreFixture.worker(pid: 300, host: host))
        guard case .joined(let helper) = joined else { throw Unexpected(text: "\(joined)") }
        return helper
    }

    private func expire(_ fixture: StoreFixture, _ run: Run) throws {
        try fixture.store.connection.execute(
            """
            UPDATE sortie.worker SET started_at = now() - interval '1 hour',
                lease_expires_at = now() - interval '1 second' WHERE id = $1
            """, [.integer(Int64(run.workerID))])
    }

    private func announce(
        _ fixture: StoreFixture, _ run: Run, slice: Slice, through: Int32
    ) throws {
        var batch = RecordBatch(phase: .send)
        batch.announcements = [.slice(number: slice.number, through: through)]
        try fixture.store.record(batch, run: run)
    }

    // MARK: - Joining and leading

    @Test func oneLeadsAndTheOthersHelp() throws {
        try withTwo { fixture, lead, helper in
            #expect(lead.isLead && !helper.isLead)
            #expect(lead.workerID != helper.workerID)
            #expect(
                try fixture.store.peers(run: lead).map(\.id) == [
                    lead.workerID, helper.workerID,
                ])
            var candidate = helper
            #expect(try !fixture.store.takeLead(of: &candidate))
            try fixture.store.leave(run: lead)
            #expect(try fixture.store.takeLead(of: &candidate))
            #expect(candidate.leaseEpoch == lead.leaseEpoch + 1)
            #expect(throws: StoreError.self) {
                try fixture.store.setState(run: lead, to: .retrying)
            }
            try fixture.store.setState(run: candidate, to: .retrying)
        }
    }

    @Test func aRunOfAnotherRecordProtocolIsNotJoined() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.frozenRun()
            try fixture.store.connection.execute("UPDATE sortie.run SET protocol = 1")
            let joined = try fixture.store.joinRun(
                id: run.id, worker: StoreFixture.worker(host: "there"))
            guard case .otherProtocol = joined else { throw Unexpected(text: "\(joined)") }
        }
    }

    @Test func thereIsNothingToJoinWithoutARunOrAfterItsEnd() throws {
        try StoreFixture.with { fixture in
            let worker = StoreFixture.worker()
            #expect(try fixture.store.joinRun(id: 99, worker: worker) == .missing)
            let run = try fixture.frozenRun()
            #expect(try fixture.store.openRuns() == [run.id])
            try fixture.store.setState(run: run, to: .finished)
            #expect(try fixture.store.openRuns().isEmpty)
            guard case .closed = try fixture.store.joinRun(id: run.id, worker: worker) else {
                throw Unexpected(text: "joined")
            }
        }
    }

    // MARK: - Eviction and what is learnt late

    @Test func evictionSettlesTheDoubtAndFreesTheRest() throws {
        try withTwo { fixture, lead, helper in
            let store = fixture.store
            _ = try #require(try store.leaseNextSlice(run: lead, phase: .send))
            let slice = try #require(try store.leaseNextSlice(run: helper, phase: .send))
            try announce(fixture, helper, slice: slice, through: slice.firstOrdinal + 3)
            #expect(try store.evict(worker: helper.workerID, reason: "its lease ran out") == nil)
            try expire(fixture, helper)
            #expect(try store.evict(worker: helper.workerID, reason: "its lease ran out") == 4)
            #expect(throws: StoreError.self) { try store.heartbeat(run: helper) }
            #expect(
                try fixture.value(
                    "SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM sortie.outcome "
                        + "WHERE outcome = 3 AND worker_id = \(helper.workerID)") == "11 12 13 14")
            // What the lead holds is untouched; the other slice is to be had again.
            let again = try #require(try store.leaseNextSlice(run: lead, phase: .send))
            #expect(again.number == slice.number && again.nextOrdinal == 15)
            try fixture.expectSum(lead)
        }
    }

    /// A machine that loses its power in the middle of a transaction leaves a session that holds
    /// the worker's row, for as long as the server lets it.
    @Test func anEvictionDoesNotWaitForASessionThatStandsStill() throws {
        try withTwo { fixture, lead, helper in
            let frozen = try Store(conninfo: fixture.conninfo, purpose: "frozen")
            try expire(fixture, helper)
            try frozen.connection.executeScript(
                "BEGIN; SELECT FROM sortie.worker WHERE id = \(helper.workerID) FOR UPDATE",
                name: "test")
            let error = #expect(throws: StoreError.self) {
                try fixture.store.evict(worker: helper.workerID, reason: "test")
            }
            #expect(error?.isRetryable == true && error?.isConnectionLost == false)
            // Nor does a person who wants a pause.
            let wish = RunWish(kind: .pause, by: "ann", text: "paused by ann")
            #expect(try fixture.store.ask(runID: lead.id, wish) == nil)
            try frozen.connection.executeScript("ROLLBACK", name: "test")
            #expect(try fixture.store.evict(worker: helper.workerID, reason: "test") == 0)
        }
    }

    /// One that is lost in the middle of a COPY: the server's own limits do not end it there.
    @Test func anEvictionEndsTheSessionOfAWorkerThatIsLostWhileItRecords() throws {
        try withTwo { fixture, _, helper in
            let lost = try Store(conninfo: fixture.conninfo, purpose: "lost")
            let limits = PGTransactionLimits(
                idleMilliseconds: 600_000, statementMilliseconds: 600_000,
                applicationName: "sortie worker \(helper.workerID)")
            #expect(throws: StoreError.self) {
                try lost.connection.withTransaction(limits: limits) { () throws(StoreError) in
                    try lost.run(
                        "worker_heartbeat",
                        [.integer(Int64(helper.workerID)), .integer(1), .integer(0)])
                    try copyWhileEvicted(lost, helper, fixture.store)
                }
            }
            #expect(throws: StoreError.self) { try lost.run("clock_now") }
        }
    }

    /// Begins to copy outcomes; before a row is sent the worker is evicted.
    private func copyWhileEvicted(
        _ lost: Store, _ helper: Run, _ store: Store
    ) throws(StoreError) {
        _ = try lost.connection.copyIn(
            "COPY sortie.outcome_\(helper.id) (run_id, ordinal) FROM STDIN (FORMAT binary)",
            name: "test"
        ) { (_, _) throws(StoreError) in
            // While its lease holds, it is left alone.
            #expect(throws: StoreError.self) {
                try store.evict(worker: helper.workerID, reason: "test")
            }
            #expect(try store.evict(worker: helper.workerID, reason: "test", force: true) == 0)
        }
    }

    /// A batch holds the worker's row until its commit; the reader leases the next slice meanwhile.
    @Test func aSliceIsLeasedWhileABatchIsRecorded() throws {
        try withTwo { fixture, _, helper in
            let recording = try Store(conninfo: fixture.conninfo, purpose: "recording")
            try recording.connection.executeScript(
                "BEGIN; UPDATE sortie.worker SET last_batch = last_batch + 1 "
                    + "WHERE id = \(helper.workerID)", name: "test")
            // If it waits after all, it fails.
            try fixture.store.connection.executeScript("SET lock_timeout = '5s'", name: "test")
            #expect(try fixture.store.leaseNextSlice(run: helper, phase: .send)?.number == 0)
            try recording.connection.executeScript("ROLLBACK", name: "test")
        }
    }

    /// Else a slice could be leased to a worker whose slices were just freed, for ever.
    @Test func aWorkerIsNotEndedWhileASliceIsLeasedToIt() throws {
        try withTwo { fixture, _, helper in
            let leasing = try Store(conninfo: fixture.conninfo, purpose: "leasing")
            try leasing.connection.executeScript("BEGIN", name: "test")
            #expect(try leasing.leaseNextSlice(run: helper, phase: .send)?.number == 0)
            #expect(throws: StoreError.self) {
                try fixture.store.evict(
                    worker: helper.workerID, reason: "test", force: true)
            }
            try leasing.connection.executeScript("COMMIT", name: "test")
            #expect(
                try fixture.store.evict(
                    worker: helper.workerID, reason: "test", force: true) == 0)
            #expect(
                try fixture.value("SELECT state FROM sortie.slice WHERE number = 0 AND phase = 2")
                    == "open")
            #expect(throws: StoreError.self) {
                try leasing.leaseNextSlice(run: helper, phase: .send)
            }
        }
    }

    @Test func aLateAnswerReplacesTheDoubtOnce() throws {
        try withTwo { fixture, lead, helper in
            let store = fixture.store
            let slice = try #require(try store.leaseNextSlice(run: helper, phase: .send))
            try announce(fixture, helper, slice: slice, through: slice.firstOrdinal + 4)
            try store.evict(worker: helper.workerID, reason: "test", force: true)
            var late = RecordBatch(phase: .send)
            late.add(1...2, .accepted, slice: 0)
            late.add(3...3, .rejected, slice: 0, status: 400)
            late.add(4...4, .unknown, slice: 0, status: 0)
            // Beyond the mark: somebody else sends to this one.
            late.add(6...6, .accepted, slice: 0)
            #expect(
                try store.recordLate(late, run: helper) == LateResult(replaced: 3, unparked: 0))
            #expect(
                try store.recordLate(late, run: helper) == LateResult(replaced: 0, unparked: 0))
            let counts = try store.progress(run: lead, phase: .send)
            #expect(counts.accepted == 2 && counts.rejected == 1 && counts.unknown == 2)
            try fixture.expectSum(lead)
        }
    }

    @Test func aLateAnswerSparesWhoWouldBeSentToAgain() throws {
        try withTwo(new: StoreFixture.newRun(unconfirmed: .resend)) { fixture, lead, helper in
            let store = fixture.store
            let slice = try #require(try store.leaseNextSlice(run: helper, phase: .send))
            try announce(fixture, helper, slice: slice, through: slice.firstOrdinal + 2)
            #expect(try store.evict(worker: helper.workerID, reason: "test", force: true) == 3)
            // One of the three is about to be sent to again when the answers come.
            #expect(
                try store.claimRetries(
                    run: lead, phase: .send, nowMicroseconds: 4_000_000_000_000_000, limit: 1) == 1)
            var late = RecordBatch(phase: .send)
            late.add(1...3, .accepted, slice: 0)
            #expect(
                try store.recordLate(late, run: helper) == LateResult(replaced: 0, unparked: 2))
            #expect(try store.rest(run: lead, phase: .send).parked == 1)
            try fixture.expectSum(lead)
        }
    }

    @Test func aWorkerThatIsNotEvictedHasNoLateAnswers() throws {
        try withTwo { fixture, _, helper in
            let slice = try #require(
                try fixture.store.leaseNextSlice(run: helper, phase: .send))
            try announce(fixture, helper, slice: slice, through: slice.lastOrdinal)
            var batch = RecordBatch(phase: .send)
            batch.add(1...10, .accepted, slice: 0)
            #expect(
                try fixture.store.recordLate(batch, run: helper)
                    == LateResult(replaced: 0, unparked: 0))
            #expect(try fixture.value("SELECT count(*) FROM sortie.outcome") == "0")
        }
    }

    // MARK: - Shares

    @Test func sharesNeverExceedTheWhole() throws {
        try withTwo(new: StoreFixture.newRun(maxRate: 9)) { fixture, lead, helper in
            let store = fixture.store
            #expect(try store.takeShare(run: lead, wanted: 9_000) == 9_000)
            #expect(try store.takeShare(run: helper, wanted: 4_500) == 0)
            let heard = try store.heartbeat(run: lead, share: 4_500)
            #expect(heard.maxRateThousandths == 9_000 && heard.workers == 2 && heard.rank == 0)
            #expect(try store.takeShare(run: helper, wanted: 9_000) == 4_500)
            #expect(try store.heartbeat(run: helper, share: 4_500).rank == 1)
            // One that has left may have sent a moment ago.
            try store.leave(run: lead)
            #expect(try store.takeShare(run: helper, wanted: 9_000) == 4_500)
            try fixture.store.connection.execute(
                "UPDATE sortie.worker SET ended_at = ended_at - interval '2 seconds' "
                    + "WHERE ended_at IS NOT NULL")
            #expect(try store.takeShare(run: helper, wanted: 9_000) == 9_000)
        }
    }

    // MARK: - People

    @Test(arguments: [RunWish.Kind.pause, .cancel])
    func aWishStopsLeasesAtOnceAndTheRunWhenTheLastHasLeft(kind: RunWish.Kind) throws {
        try withTwo { fixture, lead, helper in
            let store = fixture.store
            let wish = RunWish(kind: kind, by: "ann", text: "\(kind.rawValue) by ann")
            #expect(try store.ask(runID: lead.id, wish) == nil)
            #expect(try store.heartbeat(run: helper).wish == wish)
            #expect(try store.leaseNextSlice(run: lead, phase: .send) == nil)
            #expect(
                try store.claimRetries(
                    run: lead, phase: .send, nowMicroseconds: 0, limit: 1) == 0)
            #expect(try store.leave(run: lead) == .sending)
            #expect(try store.leave(run: helper) == (kind == .pause ? .paused : .cancelled))
            let run = try #require(try store.findRun(id: lead.id))
            #expect(run.wish == nil && run.stopReason == wish.text)
            #expect(run.pauseCause == (kind == .pause ? .request : nil))
            if kind == .cancel {
                #expect(throws: StoreError.self) { try store.resume(runID: run.id, by: "bob") }
            }
        }
    }

    @Test func aPauseOfAPersonHoldsAgainstAnotherStart() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            try fixture.store.leave(run: run, reason: "stopped", pause: .stop)
            let wish = RunWish(kind: .pause, by: "ann", text: "paused by ann")
            #expect(try fixture.store.ask(runID: run.id, wish) == .paused)
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(), worker: StoreFixture.worker(), isAlive: { _, _ in true })
            guard case .pausedByRequest = opened else { throw Unexpected(text: "\(opened)") }
            #expect(try fixture.store.openRuns().isEmpty)
            #expect(try fixture.store.resume(runID: run.id, by: "bob") == .sending)
            #expect(try fixture.store.openRuns() == [run.id])
            #expect(try fixture.open().state == .sending)
        }
    }

    @Test func aWishIsGrantedByTheEvictionOfTheLast() throws {
        try withTwo { fixture, lead, helper in
            let wish = RunWish(kind: .cancel, by: "ann", text: "cancelled by ann")
            #expect(try fixture.store.ask(runID: lead.id, wish) == nil)
            try fixture.store.evict(worker: lead.workerID, reason: "test", force: true)
            #expect(try fixture.store.findRun(id: lead.id)?.state == .sending)
            try fixture.store.evict(worker: helper.workerID, reason: "test", force: true)
            #expect(try fixture.store.findRun(id: lead.id)?.state == .cancelled)
        }
    }

    @Test func thePeopleInPsqlHaveTheSameDoors() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.frozenRun()
            try fixture.store.leave(run: run)
            let ask = { (sql: String) throws -> String? in
                try fixture.value("SELECT sortie.\(sql)")
            }
            #expect(try ask("pause_run(\(run.id))") == "paused")
            #expect(try ask("resume_run(\(run.id), 'ann')") == "sending")
            #expect(try ask("cancel_run(\(run.id))") == "cancelled")
            let error = #expect(throws: PGError.self) { try ask("pause_run(\(run.id))") }
            #expect(error?.message == "run \(run.id) is cancelled already")
            #expect(throws: PGError.self) { try ask("pause_run(99)") }
        }
    }

    // MARK: - Leaving

    @Test func onlyTheLastOneOutPausesTheRun() throws {
        try withTwo { fixture, lead, helper in
            let first = try fixture.store.leave(run: lead, reason: "stopped", pause: .stop)
            #expect(first == .sending)
            let last = try fixture.store.leave(run: helper, reason: "stopped", pause: .stop)
            #expect(last == .paused)
            #expect(try fixture.store.findRun(id: lead.id)?.pauseCause == .stop)
            #expect(try fixture.store.leave(run: helper) == nil)
        }
    }

    @Test func aWorkerThatCouldNotRecordEverythingLeavesNobodyBehind() throws {
        try withTwo { fixture, lead, helper in
            let slice = try #require(
                try fixture.store.leaseNextSlice(run: helper, phase: .send))
            try announce(fixture, helper, slice: slice, through: slice.firstOrdinal + 1)
            try fixture.store.leave(run: helper)
            #expect(try fixture.store.progress(run: lead, phase: .send).unknown == 2)
            try fixture.expectSum(lead)
        }
    }

    @Test func statusSaysWhoHoldsWhatAndWhatComesNext() throws {
        try withTwo(new: StoreFixture.newRun(maxRate: 100)) { fixture, lead, helper in
            _ = try fixture.store.leaseNextSlice(run: helper, phase: .send)
            let roles =
                "SELECT string_agg(role || ' ' || slices_held, ', ' ORDER BY worker_id) "
                + "FROM report.run_worker"
            #expect(try fixture.value(roles) == "leads 0, works 1")
            try expire(fixture, helper)
            #expect(try fixture.value(roles) == "leads 0, lost 1")
            let next = "SELECT next_step FROM report.run_status"
            #expect(try fixture.value(next) == "the main send goes on")
            try fixture.store.leave(run: lead, reason: "stopped", pause: .stop)
            #expect(
                try fixture.value(next)
                    == "nothing until it is resumed: sortie resume \(lead.id)")
        }
    }
}
