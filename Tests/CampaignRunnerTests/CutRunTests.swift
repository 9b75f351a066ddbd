import APNSSimulator
import CampaignStore
import LinuxIO
import TestSupport
import Testing

@testable import CampaignRunner

private let message = #"message: { title: "Sale", collapse: campaign }"#

/// Runs that lose their connections or their recipients, as others reported.
@Suite(.enabled(if: TestCluster.isExpected)) struct CutRunTests {
    /// knadh/listmonk#2313, knadh/listmonk#2070: after an error people got three to five copies.
    /// Here everything is cut after a quarter, a half and three quarters, and the run is stopped
    /// and gone on with besides.
    @Test func cutsAtEachQuarterCostNobodyASecondPush() throws {
        let cuts = [500, 1000, 1500].map { number in
            SimulatorScenario.Rule(.requestInAll(number), .step(.drop), timesMax: 1)
        }
        try RunBench.with(
            devices: 2000, configure: { $0.scenario = SimulatorScenario(rules: cuts) }
        ) { bench in
            let rest =
                "\(message), preflight: { probe: none }, send: { connections: 1, rate: 1000, "
                + "burst: 1, max_in_flight: 50, unconfirmed: keep }"
            var ends: [RunEnd?] = []
            repeat {
                let run = try bench.run(rest)
                let events = Events()
                let ended = try bench.inBackground(run, events)
                events.waitForAQuarterOrTheEnd()
                run.requestStop()
                ends.append(ended())
                #expect(try bench.counts().holds)
            } while ends.last != .finished(runID: 1) && ends.count < 8
            #expect(ends.last == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.accepted + counts.unknown == 2000 && counts.unsent == 0)
            #expect(counts.unknown <= 3 * 50)
            let statistics = bench.simulator.stop()
            #expect(statistics.sendTokensAcceptedAgain == 0)
            #expect(statistics.requests <= 2000)
        }
    }

    /// parse-community/parse-server#3562: a campaign whose recipients were all gone stayed
    /// "running" for ever.
    @Test func anAudienceOfTheDeadEndsWithNobodySentTo() throws {
        try RunBench.with(devices: 10, shares: TokenShares(dead: 1)) { bench in
            let rest = "\(message), preflight: { probe: all, rate: unlimited }"
            #expect(try bench.run(rest).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts() == RunCounts(recipients: 10, skipped: 10))
            #expect(try bench.text("SELECT state FROM sortie.run") == "finished")
            // Whoever is known to be dead is in no audience any more.
            let next = try bench.run(rest, occurrence: "next").execute(observer: Events())
            #expect(next == .finished(runID: 2))
            #expect(try bench.counts() == RunCounts())
            #expect(bench.simulator.stop().requests == 10)
        }
    }

    /// parse-community/parse-server#3562: some of ten are dead, the others get theirs.
    @Test func theDeadOfASmallAudienceAreSkippedAndTheOthersSentTo() throws {
        try RunBench.with(devices: 10, shares: TokenShares(dead: 0.3)) { bench in
            let dead = (1...10).count { number in
                if case .dead = bench.fates.fate(of: RunBench.token(number)) { true } else { false }
            }
            try #require(dead > 0 && dead < 10)
            let end = try bench.run("\(message), preflight: { probe: all, rate: unlimited }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(
                try bench.counts()
                    == RunCounts(recipients: 10, accepted: 10 - dead, skipped: dead))
            #expect(
                try bench.text("SELECT DISTINCT reason FROM sortie.outcome WHERE outcome = 4")
                    == "pruned")
        }
    }
}

extension Events {
    fileprivate func waitForAQuarterOrTheEnd() {
        let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
        _ = state.wait(untilNanoseconds: deadline) { events in
            events.contains { event in
                switch event {
                case .progress(let progress): progress.done >= 500
                case .phaseEnded: true
                default: false
                }
            }
        }
    }
}
