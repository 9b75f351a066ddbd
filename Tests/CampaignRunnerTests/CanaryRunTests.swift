import APNSSimulator
import CampaignStore
import LinuxIO
import PostgreSQL
import SendPolicy
import TestSupport
import Testing

@testable import CampaignRunner

private let noPreflight = "message: { title: Hi }, preflight: { probe: none }"

/// Checks the sum at every progress report of a run.
private final class SumWatch: RunObserver {
    private let bench: RunBench
    private(set) var sums: [Bool] = []

    init(_ bench: RunBench) {
        self.bench = bench
    }

    func runDid(_ event: RunEvent) {
        sums.append((try? bench.counts().holds) ?? false)
    }
}

@Suite(.enabled(if: TestCluster.isExpected)) struct CanaryRunTests {
    /// Recipients 1, 11, 21 … of 600 are a canary of 60.
    private let isFirst = "(ordinal - 1) % 10 = 0"

    @Test func theCanaryIsSpreadOverTheAudienceAndGoesBeforeTheOthers() throws {
        try RunBench.with(devices: 600) { bench in
            let watch = SumWatch(bench)
            let end = try bench.run(
                "\(noPreflight), send: { rate: 300, canary: { recipients: 60 } }"
            ).execute(observer: watch)
            #expect(end == .finished(runID: 1))
            #expect(watch.sums.count > 3 && watch.sums.allSatisfy { $0 })
            #expect(
                try bench.text(
                    """
                    SELECT max(sent_at + latency_us * interval '1 microsecond')
                            FILTER (WHERE \(isFirst))
                        < min(sent_at) FILTER (WHERE NOT \(isFirst)) FROM sortie.outcome
                    """) == "t")
            #expect(try bench.counts().accepted == 600)
            #expect(
                try bench.text(
                    "SELECT string_agg(text, ', ' ORDER BY event_id) FROM report.run_event "
                        + "WHERE kind = 'state'")
                    == "planned -> freezing, freezing -> canary, canary -> sending, "
                    + "sending -> finished")
            let statistics = bench.simulator.stop()
            #expect(statistics.requests == 600)
            #expect(statistics.sendTokensAcceptedAgain == 0)
        }
    }

    @Test(arguments: ["canary: { recipients: 0 }", "canary: { recipients: 300 }", "rate: 1500"])
    func withoutACanaryEverybodyIsSentToAtOnce(setting: String) throws {
        try RunBench.with(devices: 300) { bench in
            let end = try bench.run("\(noPreflight), send: { \(setting) }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(
                try bench.number("SELECT count(*) FROM report.run_event WHERE kind = 'canary'")
                    == 0)
            #expect(bench.simulator.stop().requests == 300)
        }
    }

    @Test func aRefusedCanaryHoldsTheOthersBackUntilItIsReleased() throws {
        try RunBench.with(devices: 600, shares: TokenShares(otherEnvironment: 0.15)) { bench in
            let bad = stride(from: 1, through: 600, by: 10).count {
                bench.fates.fate(of: RunBench.token($0)) == .otherEnvironment
            }
            #expect(bad > 6)
            let rest =
                "\(noPreflight), send: { canary: { recipients: 60 }, stop_if: { invalid: 90% } }"
            // The second start knows already, and sends nothing.
            for _ in 1...2 {
                guard
                    case .braked(1, "canary", let text) = try bench.run(rest)
                        .execute(observer: Events())
                else {
                    Issue.record("the canary did not stop it")
                    return
                }
                #expect(text.contains("\(bad) of 60"))
                #expect(
                    try bench.counts()
                        == RunCounts(
                            recipients: 600, accepted: 60 - bad, rejected: bad, unknown: 0,
                            skipped: 0, unsent: 540))
                #expect(
                    try bench.number(
                        "SELECT count(*) FROM sortie.outcome WHERE \(isFirst)") == 60)
            }
            #expect(
                try bench.text(
                    "SELECT min(detail::text) FROM sortie.run_event WHERE kind = 'brake'")
                    == #"{"bad": \#(bad), "name": "canary", "total": 60, "threshold": 0.1}"#)
            let end = try bench.run(rest, released: [.canary]).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(try bench.counts().unsent == 0)
            #expect(try bench.number("SELECT count(*) FROM sortie.device_event") == 0)
            #expect(bench.simulator.stop().requests == 600)
        }
    }

    /// APNs does not count a 410 as an error: many removed apps are no wrong setting.
    @Test func goneDevicesDoNotStopTheCanary() throws {
        try RunBench.with(devices: 300, shares: TokenShares(dead: 0.5)) { bench in
            let end = try bench.run("\(noPreflight), send: { canary: { recipients: 50 } }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
        }
    }

    /// jaylfc/taOS#2801: after a good canary bad tokens are marked, its own included.
    @Test func aCanaryThatHeldLetsBadTokensBeMarked() throws {
        try RunBench.with(devices: 600, shares: TokenShares(otherEnvironment: 0.03)) { bench in
            let end = try bench.run("\(noPreflight), send: { canary: { recipients: 60 } }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let bad = try bench.counts().rejected
            #expect(bad > 0)
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'invalid'")
                    == bad)
        }
    }

    /// Recipients that APNs can't take at the moment do not hold the others up.
    @Test func aBusyCanaryIsParkedAndTheOthersFollow() throws {
        try RunBench.with(
            devices: 300, configure: { $0.faults.transientShare = 0.5 }
        ) { bench in
            let watch = SumWatch(bench)
            let end = try bench.run(
                "\(noPreflight), send: { canary: { recipients: 50 }, "
                    + "retry: { attempts: 10, delay: 500ms } }"
            ).execute(observer: watch)
            #expect(end == .finished(runID: 1))
            #expect(watch.sums.allSatisfy { $0 })
            #expect(try bench.counts().unsent == 0)
            #expect(bench.simulator.stop().sendTokensAcceptedAgain == 0)
        }
    }

    /// Stops again and again, inside the canary and after it: everybody is sent to once, and
    /// nobody but the canary before it is judged.
    @Test func aStoppedCanaryGoesOnAndIsNotRepeated() throws {
        try RunBench.with(devices: 600) { bench in
            let rest = "\(noPreflight), send: { rate: 100, burst: 1, canary: { recipients: 60 } }"
            var end = RunEnd.finished(runID: 0)
            var starts = 0
            repeat {
                // Later and later, so that a slow machine comes to the end too.
                end = try stopped(
                    bench.run(rest), afterNanoseconds: 400_000_000 + Int64(starts) * 50_000_000)
                starts += 1
                let counts = try bench.counts()
                #expect(counts.holds && counts.unknown == 0)
                let isJudged = try bench.number(
                    "SELECT count(*) FROM report.run_event WHERE kind = 'canary'")
                if isJudged == 0 {
                    #expect(
                        try bench.number(
                            "SELECT count(*) FROM sortie.outcome WHERE NOT \(isFirst)") == 0)
                }
            } while end != .finished(runID: 1) && starts < 60
            #expect(end == .finished(runID: 1))
            #expect(starts > 2)
            #expect(try bench.counts().accepted == 600)
            let statistics = bench.simulator.stop()
            #expect(statistics.requests == 600)
            #expect(statistics.sendTokensAcceptedAgain == 0)
        }
    }

    /// A file that is mended after a canary that nobody accepted starts afresh.
    @Test func aMendedFileBeginsWithACanaryOfItsOwn() throws {
        try RunBench.with(devices: 300, shares: TokenShares(otherEnvironment: 1)) { bench in
            let rest = "\(noPreflight), send: { canary: { recipients: 50 } }"
            guard case .braked = try bench.run(rest).execute(observer: Events()) else {
                Issue.record("the canary did not stop it")
                return
            }
            let mended =
                "\(noPreflight), audience: { where: \"d.id > 100\" }, "
                + "send: { canary: { recipients: 20 } }"
            guard
                case .braked(1, "canary", let text) = try bench.run(mended)
                    .execute(observer: Events())
            else {
                Issue.record("the second canary did not stop it")
                return
            }
            #expect(text.contains("20 of 20"))
            #expect(try bench.counts().unsent == 180)
        }
    }

    /// Executes a run and stops it after a while; its end.
    private func stopped(_ run: CampaignRun, afterNanoseconds: Int64) throws -> RunEnd {
        let result = Monitor<RunEnd?>(nil)
        let thread = try WorkerThread.start(name: "run") {
            let end = run.execute(observer: Events())
            result.withLock { $0 = end }
            result.signal()
        }
        _ = result.wait(untilNanoseconds: MonotonicClock.nanoseconds() + afterNanoseconds) {
            $0 != nil
        }
        run.requestStop()
        thread.join()
        return try #require(result.withLock { $0 })
    }
}
