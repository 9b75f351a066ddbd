import APNSProtocol
@testable import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreRunsTests {
    // riverqueue and cron users meet this daily; see phpservermon/phpservermon#9.
    @Test func ofTwoWorkersThatOpenAtOnceOneWins() throws {
        try StoreFixture.with { fixture in
            let results = Monitor<[OpenedRun]>([])
            let conninfo = fixture.conninfo
            let threads = try (1...4).map { pid in
                try WorkerThread.start(name: "open-\(pid)") {
                    do {
                        let opened = try Store(conninfo: conninfo, purpose: "test").openRun(
                            StoreFixture.newRun(), worker: StoreFixture.worker(pid: Int32(pid)),
                            isAlive: { _, _ in true })
                        results.withLock { $0.append(opened) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            threads.forEach { $0.join() }
            let opened = results.withLock { $0 }
            var created = 0
            var held = 0
            for result in opened {
                switch result {
                case .created(let run):
                    created += 1
                    #expect(run.leaseEpoch == 1)
                    #expect(run.collapseID == "sale/\(run.id)")
                case .held: held += 1
                default: Issue.record("\(result)")
                }
            }
            #expect(created == 1)
            #expect(held == 3)
        }
    }

    // phpservermon/phpservermon#9, pgdogdev/pgdog#1407: a lock left over by a crash blocked all
    // later runs.
    @Test func aRunOfADeadProcessOfThisMachineIsTakenOverAtOnce() throws {
        try StoreFixture.with { fixture in
            let first = try fixture.open()
            var asked: [String] = []
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(), worker: StoreFixture.worker(pid: 200),
                isAlive: { pid, ticks in
                    asked.append("\(pid) \(ticks)")
                    return false
                })
            guard case .resumed(let second, doubt: 0) = opened else {
                Issue.record("\(opened)")
                return
            }
            #expect(asked == ["100 5"])
            #expect(second.leaseEpoch == 2)
            #expect(second.workerID != first.workerID)
            #expect(
                try fixture.value("SELECT kind FROM sortie.run_event WHERE kind = 'takeover'")
                    != nil)
        }
    }

    @Test func aRunOfAnotherMachineIsHeldUntilItsLeaseEnds() throws {
        try StoreFixture.with { fixture in
            _ = try fixture.open(worker: StoreFixture.worker(host: "there"))
            let open = {
                try fixture.store.openRun(
                    StoreFixture.newRun(), worker: StoreFixture.worker(),
                    isAlive: { _, _ in false })
            }
            guard case .held(let worker) = try open() else {
                Issue.record("not held")
                return
            }
            #expect(worker.description == "worker 1, process 100 on there")
            #expect((10...15).contains(worker.leaseSecondsLeft))
            try fixture.store.connection.execute(
                "UPDATE sortie.worker SET started_at = now() - interval '1 hour', "
                    + "lease_expires_at = now() - interval '1 second'")
            guard case .resumed = try open() else {
                Issue.record("not taken over")
                return
            }
        }
    }

    @Test func aReleasedRunIsFreeAndItsSlicesAreOpen() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(10)
            let run = try fixture.frozenRun()
            _ = try fixture.store.leaseNextSlice(run: run, phase: .send)
            try fixture.store.leave(run: run, reason: "stopped by SIGTERM")
            #expect(try fixture.value("SELECT state FROM sortie.slice") == "open")
            let again = try fixture.open(worker: StoreFixture.worker(pid: 7), othersAlive: true)
            #expect(again.leaseEpoch == 2)
            #expect(again.isFrozen)
            #expect(again.recipients == 10)
            // The one that has gone can not free what the other holds.
            try fixture.store.leave(run: run)
            #expect(try fixture.store.findRun(id: run.id) != nil)
            #expect(try fixture.value("SELECT worker_id IS NOT NULL FROM sortie.run") == "t")
        }
    }

    /// A marketing person mends the file after APNs refused it and starts again: nobody had got
    /// anything, so the run starts afresh with the new text and the audience of now.
    @Test func aChangedDefinitionStartsAfreshWhileNothingWentOut() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 2)]
            try fixture.store.record(batch, run: run)
            var released = RecordBatch(phase: .send)
            released.parks = [1, 2].map {
                ParkRecord(
                    ordinal: $0, slice: 0, attempts: 0, cause: .released, notBeforeMicroseconds: 0)
            }
            try fixture.store.record(released, run: run)
            try fixture.store.setState(run: run, to: .paused, reason: "refused")
            try fixture.store.leave(run: run)
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET status = 'inactive' WHERE id = 3")

            let mended = try fixture.open(StoreFixture.newRun(hash: "h2"))
            #expect(mended.id == run.id)
            #expect(!mended.isFrozen)
            try fixture.store.setState(run: mended, to: .freezing)
            #expect(
                try fixture.store.freeze(run: mended, plan: FreezePlan()).recipients == 2)
            #expect(try fixture.value("SELECT count(*) FROM sortie.retry") == "0")
            try fixture.expectSum(mended)
        }
    }

    @Test(arguments: ["announced", "accepted", "unconfirmed"])
    func aChangedDefinitionIsRefusedOnceSomethingMayHaveGoneOut(how: String) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 1)]
            try fixture.store.record(batch, run: run)
            var end = RecordBatch(phase: .send)
            switch how {
            case "accepted":
                end.outcomes = [
                    OutcomeRecord(ordinal: 1, kind: .accepted, status: 200, source: 0)
                ]
            case "unconfirmed":
                end.parks = [
                    ParkRecord(
                        ordinal: 1, slice: 0, attempts: 1, cause: .unconfirmed,
                        notBeforeMicroseconds: 0)
                ]
            default: break
            }
            if !end.isEmpty { try fixture.store.record(end, run: run) }
            try fixture.store.leave(run: run)
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(hash: "h2"), worker: StoreFixture.worker(),
                isAlive: { _, _ in true })
            guard case .definitionChanged = opened else {
                Issue.record("\(opened)")
                return
            }
        }
    }

    @Test func aChangedDefinitionIsTakenBeforeTheFreezeAndRefusedAfterIt() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(1)
            let run = try fixture.open()
            try fixture.store.leave(run: run)
            let redefined = try fixture.open(StoreFixture.newRun(hash: "h2"))
            #expect(redefined.definitionHash == "h2")
            try fixture.store.setState(run: redefined, to: .freezing)
            _ = try fixture.store.freeze(run: redefined, plan: FreezePlan())
            var batch = RecordBatch(phase: .send)
            batch.announcements = [.slice(number: 0, through: 1)]
            try fixture.store.record(batch, run: redefined)
            try fixture.store.leave(run: redefined)
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(hash: "h3"), worker: StoreFixture.worker(),
                isAlive: { _, _ in true })
            guard case .definitionChanged(let stored) = opened else {
                Issue.record("\(opened)")
                return
            }
            #expect(stored.definitionHash == "h2")
        }
    }

    @Test func aFinishedRunIsNotOpenedAgain() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.frozenRun()
            try fixture.store.setState(run: run, to: .finished)
            try fixture.store.leave(run: run, reason: "finished")
            let opened = try fixture.store.openRun(
                StoreFixture.newRun(), worker: StoreFixture.worker(), isAlive: { _, _ in true })
            guard case .finished(let found) = opened else {
                Issue.record("\(opened)")
                return
            }
            #expect(found.state == .finished)
        }
    }

    @Test func everyChangeOfStateIsAllowedOrRefusedByTheDatabase() throws {
        // What may follow what; everything else may not.
        let allowed: [RunState: Set<RunState>] = [
            .planned: [.freezing, .paused, .failed, .cancelled],
            .freezing: [.preflight, .canary, .sending, .finished, .paused, .failed, .cancelled],
            .preflight: [.canary, .sending, .finished, .paused, .failed, .cancelled],
            .canary: [.sending, .paused, .failed, .cancelled],
            .sending: [.canary, .retrying, .finished, .paused, .failed, .cancelled],
            .retrying: [.sending, .finished, .paused, .failed, .cancelled],
            .paused: [
                .planned, .freezing, .preflight, .canary, .sending, .retrying, .failed, .cancelled,
            ],
            .failed: [.freezing],
        ]
        try StoreFixture.with { fixture in
            for before in RunState.allCases {
                for after in RunState.allCases {
                    let isAllowed = try fixture.store.connection.execute(
                        "SELECT sortie.state_may_follow($1, $2)",
                        [.text(before.rawValue), .text(after.rawValue)]
                    ).boolean(0, 0)
                    #expect(isAllowed == (allowed[before] ?? []).contains(after))
                }
            }
            let run = try fixture.open()
            #expect(throws: StoreError.self) {
                try fixture.store.setState(run: run, to: .sending)
            }
            try fixture.store.setState(run: run, to: .planned)
            try fixture.store.setState(run: run, to: .paused, reason: "by hand")
            let events = try fixture.store.table(named: .events, [.integer(run.id)])
            #expect(events.rows.last?[3] == "planned -> paused: by hand")
            #expect(try fixture.store.findRun(id: run.id)?.stopReason == "by hand")
        }
    }

    @Test(arguments: [nil, 0, 3600] as [Int64?])
    func expiryIsKeptWithTheRun(seconds: Int64?) throws {
        try StoreFixture.with { fixture in
            var new = StoreFixture.newRun()
            new.expiresAfterSeconds = seconds
            let run = try fixture.open(new)
            switch seconds {
            case nil: #expect(run.expiresAtSeconds == nil)
            case 0: #expect(run.expiresAtSeconds == 0)
            default:
                let now = WallClock.microseconds() / 1_000_000
                #expect((now + 3590...now + 3610).contains(run.expiresAtSeconds ?? 0))
            }
        }
    }
}
