import APNSProtocol
import APNSSimulator
import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import CampaignRunner

private let message = #"message: { title: "Sale, {{ first_name | there }}", collapse: campaign }"#
private let fast = "send: { connections: 2, rate: unlimited }"

@Suite(.enabled(if: TestCluster.isExpected)) struct CampaignRunTests {
    @Test func aPlainRunReachesEverybodyOnce() throws {
        try RunBench.with(devices: 2000) { bench in
            let end = try bench.run("\(message), preflight: { probe: none }, \(fast)")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let statistics = bench.simulator.stop()
            #expect(statistics.requests == 2000)
            #expect(statistics.sendTokensAcceptedAgain == 0)
            #expect(statistics.authorizations == 1)
            #expect(
                try bench.counts()
                    == RunCounts(
                        recipients: 2000, accepted: 2000, rejected: 0, unknown: 0, skipped: 0,
                        unsent: 0))
            #expect(try bench.number("SELECT count(*) FROM sortie.outcome WHERE phase = 2") == 2000)
            #expect(try bench.text("SELECT state FROM sortie.run") == "finished")
        }
    }

    @Test func thePreflightPrunesTheDeadAndTheSendLeavesThemOut() throws {
        try RunBench.with(
            devices: 2000, shares: TokenShares(dead: 0.1, otherEnvironment: 0.02)
        ) { bench in
            let end = try bench.run(
                "\(message), preflight: { probe: all, rate: unlimited, connections: 2 }, \(fast)"
            ).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            var dead = 0
            var other = 0
            for number in 1...2000 {
                switch bench.fates.fate(of: RunBench.token(number)) {
                case .dead: dead += 1
                case .otherEnvironment: other += 1
                default: break
                }
            }
            let counts = try bench.counts()
            #expect(counts.holds && counts.unsent == 0)
            #expect(counts.skipped == dead + other)
            #expect(counts.accepted == 2000 - dead - other)
            #expect(
                try bench.number(
                    "SELECT count(*) FROM sortie.device WHERE status = 'unregistered'") == dead)
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'invalid'")
                    == other)
            let statistics = bench.simulator.stop()
            #expect(statistics.count(status: 410) == dead)
            #expect(statistics.requests == 2000 + counts.accepted)
        }
    }

    /// Pr0Ger/PyAPNs2#61, jchambers/pushy#674: a 410 for an old registration must not remove a
    /// device that registered again.
    @Test func aDeviceRegisteredAfterItsDeathStaysActive() throws {
        try RunBench.with(devices: 50, shares: TokenShares(dead: 1)) { bench in
            try bench.sql("UPDATE sortie.device SET registered_at = now() WHERE id <= 20")
            let end = try bench.run("\(message), preflight: { probe: none }, \(fast)")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'active'")
                    == 20)
            #expect(try bench.counts().rejected == 50)
        }
    }

    @Test func aWrongEnvironmentStopsAndChangesNoDevice() throws {
        try RunBench.with(devices: 500, shares: TokenShares(otherEnvironment: 1)) { bench in
            let end = try bench.run("\(message), preflight: { probe: all }, \(fast)")
                .execute(observer: Events())
            guard case .braked(_, let brake, let text) = end else {
                Issue.record("not braked: \(end)")
                return
            }
            #expect(brake == "invalid")
            #expect(text.contains("Wrong environment?"))
            #expect(try bench.number("SELECT count(*) FROM sortie.device_event") == 0)
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'active'")
                    == 500)
            #expect(try bench.text("SELECT state FROM sortie.run") == "paused")
            #expect(try bench.counts().unsent == 500)
            // 30 judged, and what was in flight meanwhile.
            #expect(bench.simulator.stop().requests <= 130)
        }
    }

    /// vapor/apns#47: a wrong key stops at once; nothing is pruned, and the next run completes.
    @Test func aWrongKeyStopsWithinAFewRequestsAndIsMended() throws {
        try RunBench.with(
            devices: 300, configure: { $0.topics = ["com.example.other"] }
        ) { bench in
            let end = try bench.run("\(message), preflight: { probe: none }, \(fast)")
                .execute(observer: Events())
            switch end {
            case .credentialsRefused, .campaignRefused: break
            default: Issue.record("not refused: \(end)")
            }
            #expect(try bench.number("SELECT count(*) FROM sortie.device_event") == 0)
            let counts = try bench.counts()
            #expect(counts.unsent == 300)
            #expect(bench.simulator.stop().requests <= 10)
        }
    }

    @Test func theSameOccurrenceNeverRunsTwice() throws {
        try RunBench.with(devices: 20) { bench in
            let rest = "\(message), preflight: { probe: none }, \(fast)"
            #expect(try bench.run(rest).execute(observer: Events()) == .finished(runID: 1))
            guard
                case .alreadyFinished(1, _) = try bench.run(rest).execute(observer: Events())
            else {
                Issue.record("it ran again")
                return
            }
            let other = try bench.run(rest, occurrence: "twice").execute(observer: Events())
            guard case .finished = other else {
                Issue.record("another occurrence did not run: \(other)")
                return
            }
            #expect(bench.simulator.stop().requests == 40)
        }
    }

    /// mautic/mautic#2215, knadh/listmonk#2816: the second start of a run that is under way.
    @Test func aRunUnderWayIsNotStartedAgain() throws {
        try RunBench.with(devices: 100) { bench in
            let rest = "\(message), preflight: { probe: none }, send: { rate: 50, burst: 1 }"
            let first = try bench.run(rest)
            let events = Events()
            let done = Monitor<RunEnd?>(nil)
            let thread = try WorkerThread.start(name: "first") {
                let end = first.execute(observer: events)
                done.withLock { $0 = end }
            }
            _ = events.state.wait(untilNanoseconds: nil) { events in
                events.contains { if case .phaseStarted = $0 { true } else { false } }
            }
            guard case .held(let text) = try bench.run(rest).execute(observer: Events()) else {
                Issue.record("it ran beside the first")
                return
            }
            #expect(text.contains("process \(ProcessFacts.processID)"))
            thread.join()
            #expect(done.withLock { $0 } == .finished(runID: 1))
            #expect(bench.simulator.stop().requests == 100)
        }
    }

    /// knadh/listmonk#2278, knadh/listmonk#2313: a stop is not the end, and going on is not
    /// starting over.
    @Test func aStoppedRunGoesOnWhereItWas() throws {
        try RunBench.with(devices: 3000) { bench in
            let rest =
                "\(message), preflight: { probe: none }, send: { connections: 2, rate: 1000 }"
            var stops = 0
            var end = RunEnd.finished(runID: 0)
            repeat {
                let run = try bench.run(rest)
                let events = Events()
                let result = Monitor<RunEnd?>(nil)
                let thread = try WorkerThread.start(name: "run") {
                    let end = run.execute(observer: events)
                    result.withLock { $0 = end }
                    events.runDid(.note("over"))
                }
                _ = events.state.wait(untilNanoseconds: nil) { events in
                    events.contains { event in
                        if case .progress(let progress) = event { return progress.done >= 500 }
                        if case .note("over") = event { return true }
                        return false
                    }
                }
                run.requestStop()
                thread.join()
                end = result.withLock { $0 } ?? end
                let counts = try bench.counts()
                #expect(counts.holds)
                #expect(counts.unknown == 0)
                stops += 1
            } while end.isStopped && stops < 20
            #expect(end == .finished(runID: 1))
            #expect(stops > 1)
            let statistics = bench.simulator.stop()
            #expect(statistics.sendTokensAcceptedAgain == 0)
            #expect(statistics.requests == 3000)
            #expect(try bench.counts().accepted == 3000)
        }
    }

    /// notifi-it/notifi#370: who is left out on purpose is no failure.
    @Test func aMissingValueSkipsOneRecipientWithItsCause() throws {
        try RunBench.with(devices: 10) { bench in
            try bench.sql("UPDATE sortie.device SET attributes = '{}' WHERE id <= 3")
            let end = try bench.run(
                #"message: { title: "Hi {{ first_name }}" }, preflight: { probe: none }, \#(fast)"#
            ).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.accepted == 7 && counts.skipped == 3)
            #expect(
                try bench.text("SELECT DISTINCT reason FROM sortie.outcome WHERE outcome = 4")
                    == "no value for first_name")
        }
    }

    @Test func aRefusedConditionPausesTheRunAndTheMendedFileStartsIt() throws {
        try RunBench.with(devices: 6) { bench in
            let broken =
                "\(message), audience: { where: 'id <' }, preflight: { probe: none }, \(fast)"
            guard
                case .campaignRefused(let text) = try bench.run(broken).execute(observer: Events())
            else {
                Issue.record("not refused")
                return
            }
            #expect(text.contains("audience.where"))
            #expect(try bench.text("SELECT state FROM sortie.run") == "paused")
            #expect(try bench.text("SELECT stop_reason FROM sortie.run").contains("syntax error"))
            let mended =
                "\(message), audience: { where: 'id < 4' }, preflight: { probe: none }, \(fast)"
            #expect(try bench.run(mended).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts().accepted == 3)
        }
    }

    /// parse-community/parse-server#3562: nobody to send to is an end, not a hang.
    @Test func anEmptyAudienceFinishesAtOnce() throws {
        try RunBench.with(devices: 5) { bench in
            let end = try bench.run(
                "\(message), audience: { locales: [fr] }, preflight: { probe: none }, \(fast)"
            ).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(try bench.counts() == RunCounts())
        }
    }

    /// node-apn/node-apn#492: unanswered pushes stay unknown without a collapse id, and are sent
    /// again under one.
    @Test func theUnansweredAreKeptOrResentAsTheCampaignSays() throws {
        let pace =
            "send: { rate: unlimited, request_timeout: 1s, retry: { attempts: 2, within: 1m }"
        for (rule, text) in [("keep", #"message: { title: Hi }"#), ("resend", message)] {
            try RunBench.with(
                devices: 40, shares: TokenShares(ignored: 0.1)
            ) { bench in
                let ignored = (1...40).count {
                    bench.fates.fate(of: RunBench.token($0)) == .ignored
                }
                let end = try bench.run(
                    "\(text), preflight: { probe: none }, \(pace), unconfirmed: \(rule) }"
                ).execute(observer: Events())
                #expect(end == .finished(runID: 1))
                let counts = try bench.counts()
                #expect(counts.unknown == ignored)
                #expect(counts.accepted == 40 - ignored)
                let attempts = try bench.number(
                    "SELECT max(attempts) FROM sortie.outcome WHERE outcome = 3")
                #expect(attempts == (rule == "keep" ? 1 : 2))
            }
        }
    }

    /// A process that was killed leaves its run in the state of that moment.
    @Test(arguments: ["sending", "canary", "preflight"])
    func aRunGoesOnFromTheStateItDiedIn(state: String) throws {
        try RunBench.with(devices: 300) { bench in
            let rest =
                "\(message), preflight: { probe: all, rate: unlimited }, "
                + "send: { rate: 50, canary: { recipients: 20 } }"
            let run = try bench.run(rest)
            let result = Monitor<RunEnd?>(nil)
            let events = Events()
            let thread = try WorkerThread.start(name: "run") {
                let end = run.execute(observer: events)
                result.withLock { $0 = end }
            }
            _ = events.state.wait(untilNanoseconds: nil) { events in
                events.contains { if case .phaseStarted(.send, _) = $0 { true } else { false } }
            }
            run.requestStop()
            thread.join()
            #expect(result.withLock { $0?.isStopped } == true)
            try bench.sql(
                "ALTER TABLE sortie.run DISABLE TRIGGER run_state_trigger; "
                    + "UPDATE sortie.run SET state = '\(state)'; "
                    + "ALTER TABLE sortie.run ENABLE TRIGGER run_state_trigger")
            #expect(try bench.run(rest).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts().accepted == 300)
            #expect(bench.simulator.stop().requests == 600)
        }
    }

    @Test func aProbeRunSendsOnlyProbes() throws {
        try RunBench.with(devices: 100, shares: TokenShares(dead: 0.2)) { bench in
            let end = try bench.run(
                "\(message), preflight: { probe: all, rate: unlimited }, \(fast)", kind: .probe
            ).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.recipients == 100 && counts.unsent == 0 && counts.holds)
            let statistics = bench.simulator.stop()
            #expect(statistics.requests == 100)
            #expect(statistics.answers.allSatisfy { $0.sends == 0 })
        }
    }
}

extension RunEnd {
    fileprivate var isStopped: Bool { if case .stopped = self { true } else { false } }
}
