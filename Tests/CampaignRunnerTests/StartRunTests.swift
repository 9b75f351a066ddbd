import APNSSimulator
import CampaignStore
import LinuxIO
import TestSupport
import Testing

@testable import CampaignRunner

private let rest = """
    message: { title: "Sale", collapse: campaign, expires_after: 1h }, preflight: { probe: none }
    """

/// Planned starts, by a whole run.
@Suite(.enabled(if: TestCluster.isExpected)) struct StartRunTests {
    /// A schedule so many seconds from now, by the database's clock.
    private func schedule(_ bench: RunBench, inSeconds seconds: Int, _ more: String = "") throws
        -> String
    {
        let at = try bench.text(
            "SELECT to_char((now() + interval '\(seconds) seconds') AT TIME ZONE 'UTC', "
                + "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        return "\(rest), schedule: { at: \"\(at)\"\(more) }"
    }

    private func late(_ run: String, _ bench: RunBench) throws -> CampaignRun {
        let (campaign, bytes) = try bench.campaign(run)
        var request = RunRequest(
            campaign: campaign, definition: bytes, occurrence: "once", kind: .campaign,
            database: bench.conninfo, endpoint: bench.endpoint, startedBy: "test", version: "test")
        request.allowsLate = true
        return CampaignRun(request)
    }

    @Test func aStartBeforeItsTimeWaitsAndHoldsTheRun() throws {
        try RunBench.with(devices: 10) { bench in
            let planned = try schedule(bench, inSeconds: 4)
            let events = Events()
            let ended = try bench.inBackground(try bench.run(planned), events)
            _ = events.state.wait(untilNanoseconds: nil) { events in
                events.contains { if case .note = $0 { true } else { false } }
            }
            #expect(events.notes.first?.hasPrefix("Planned for ") == true)
            #expect(try bench.text("SELECT state FROM sortie.run") == "planned")
            guard case .held = try bench.run(planned).execute(observer: Events()) else {
                Issue.record("a second start did not find it held")
                return
            }
            #expect(ended() == .finished(runID: 1))
            #expect(try bench.counts().accepted == 10)
            // Nobody was sent to before, and the hour until expiry counts from the beginning.
            let check = """
                SELECT min(o.sent_at) >= r.started_at + interval '2 seconds'
                    AND r.expires_at > r.started_at + interval '1 hour 1 second'
                FROM sortie.outcome AS o JOIN sortie.run AS r ON r.id = o.run_id GROUP BY r.id
                """
            #expect(try bench.text(check) == "t")
        }
    }

    /// mautic/mautic#9880, knadh/listmonk#2816: two starts of one campaign sent it twice.
    @Test func ofStartsInTheSameSecondOneSends() throws {
        try RunBench.with(devices: 200) { bench in
            let plain = "\(rest), send: { connections: 1, rate: 200, burst: 1 }"
            let waits = try (0..<3).map { _ in
                try bench.inBackground(try bench.run(plain), Events())
            }
            let ends = waits.map { $0() }
            #expect(ends.count { $0 == .finished(runID: 1) } == 1)
            let others = ends.count { end in
                switch end {
                case .held, .alreadyFinished: true
                default: false
                }
            }
            #expect(others == 2, "\(ends)")
            #expect(bench.simulator.stop().requests == 200)
        }
    }

    @Test func aWaitCanBeEndedAndBegunAgain() throws {
        try RunBench.with(devices: 10) { bench in
            let run = try bench.run(try schedule(bench, inSeconds: 3600))
            let events = Events()
            let ended = try bench.inBackground(run, events)
            _ = events.state.wait(untilNanoseconds: nil) { !$0.isEmpty }
            run.requestStop()
            guard case .stopped(1, _) = ended() else {
                Issue.record("not stopped")
                return
            }
            let state = "SELECT state || ' from ' || paused_from FROM sortie.run"
            #expect(try bench.text(state) == "paused from planned")
            // The schedule is no part of what a run has to keep.
            let now = try bench.run(try schedule(bench, inSeconds: -1)).execute(observer: Events())
            #expect(now == .finished(runID: 1))
            #expect(try bench.counts().accepted == 10)
        }
    }

    @Test func aMissedStartSendsNothingUntilTheOperatorWantsIt() throws {
        try RunBench.with(devices: 10) { bench in
            let planned = try schedule(bench, inSeconds: -7200, ", not_later_than: 1h")
            for _ in 0..<2 {
                guard case .missed(1, let text) = try bench.run(planned).execute(observer: Events())
                else {
                    Issue.record("not missed")
                    return
                }
                #expect(text.contains("2 h ago") && text.contains("--late"), "\(text)")
                #expect(try bench.text("SELECT state FROM sortie.run") == "failed")
                #expect(
                    try bench.text("SELECT stop_reason FROM sortie.run")
                        .hasPrefix("missed its start: planned for "))
            }
            #expect(bench.simulator.snapshot().requests == 0)
            #expect(try late(planned, bench).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts().accepted == 10)
        }
    }

    @Test func aStartDaysAheadRecordsNothing() throws {
        try RunBench.with(devices: 1) { bench in
            let planned = try schedule(bench, inSeconds: 9 * 86_400 + 100)
            guard case .tooEarly(let text) = try bench.run(planned).execute(observer: Events())
            else {
                Issue.record("not too early")
                return
            }
            #expect(text.contains("in 9 d"), "\(text)")
            #expect(try bench.number("SELECT count(*) FROM sortie.run") == 0)
        }
    }

    @Test func anUnknownZoneSendsNothing() throws {
        try RunBench.with(devices: 1) { bench in
            let run = try bench.run("\(rest), schedule: { at: 2026-12-05T10:00, zone: Mars/Base }")
            guard case .campaignRefused(let text) = run.execute(observer: Events()) else {
                Issue.record("not refused")
                return
            }
            #expect(text.contains("schedule.zone: there is no time zone \"Mars/Base\""))
            #expect(try bench.number("SELECT count(*) FROM sortie.run") == 0)
        }
    }

    /// knadh/listmonk#2278: changing the rate of a campaign under way ended it. Here it is stopped,
    /// made slower in its file, and gone on with; late as it may be.
    @Test func aRunGoesOnAtAnotherPaceHoweverLate() throws {
        try RunBench.with(devices: 1000) { bench in
            let fast = "\(rest), send: { connections: 1, rate: 500, burst: 1 }"
            let run = try bench.run(fast)
            let events = Events()
            let ended = try bench.inBackground(run, events)
            events.waitForProgress(atLeast: 300)
            run.requestStop()
            guard case .stopped = ended() else {
                Issue.record("not stopped")
                return
            }
            #expect(try bench.counts().holds)
            let slow =
                try schedule(bench, inSeconds: -7200, ", not_later_than: 1h")
                + ", send: { connections: 2, rate: 200, max_rate: 300 } # slower"
            let again = Events()
            #expect(try bench.run("\(slow)\n").execute(observer: again) == .finished(runID: 1))
            #expect(try bench.counts().accepted == 1000)
            #expect(again.notes.contains { $0.hasPrefix("This run had begun, so it goes on") })
            #expect(try bench.text("SELECT definition FROM sortie.run").contains("# slower"))
            #expect(bench.simulator.stop().sendTokensAcceptedAgain == 0)
        }
    }

    @Test func anotherTextIsRefusedOnceSomethingWentOut() throws {
        try RunBench.with(devices: 1000) { bench in
            let pace = "send: { connections: 1, rate: 500, burst: 1 }"
            let run = try bench.run("\(rest), \(pace)")
            let events = Events()
            let ended = try bench.inBackground(run, events)
            events.waitForProgress(atLeast: 100)
            run.requestStop()
            _ = ended()
            let other = rest.replacing("Sale", with: "Sales")
            guard
                case .campaignRefused = try bench.run("\(other), \(pace)")
                    .execute(observer: Events())
            else {
                Issue.record("not refused")
                return
            }
            #expect(try bench.text("SELECT definition FROM sortie.run").contains("\"Sale\""))
        }
    }
}
