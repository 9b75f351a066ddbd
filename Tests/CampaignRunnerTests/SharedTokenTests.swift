import APNSClient
import APNSSimulator
import CampaignStore
import LinuxIO
import TestSupport
import Testing

@testable import CampaignRunner

private let rest = """
    message: { title: "Sale" }, preflight: { probe: none }, \
    send: { connections: 4, rate: unlimited }
    """

@Suite(.enabled(if: TestCluster.isExpected)) struct SharedTokenTests {
    /// pigeon#226, AndrewBarba/apns2#44, kylebrowning/APNSwift#34: a restart is no reason for
    /// another token.
    @Test func runsInARowAndProcessesSideBySideUseOneToken() throws {
        try RunBench.with(devices: 300) { bench in
            for occurrence in ["one", "two"] {
                let end = try bench.restarted().run(rest, occurrence: occurrence)
                    .execute(observer: Events())
                guard case .finished = end else {
                    Issue.record("\(end)")
                    return
                }
            }
            let threads = try ["three", "four"].map { occurrence in
                let run = try bench.restarted().run(rest, occurrence: occurrence)
                return try WorkerThread.start(name: occurrence) {
                    _ = run.execute(observer: Events())
                }
            }
            threads.forEach { $0.join() }
            let statistics = bench.simulator.stop()
            #expect(statistics.requests == 1_200)
            #expect(statistics.authorizations == 1)
            #expect(try bench.number("SELECT count(*) FROM sortie.provider_token") == 1)
        }
    }

    /// AndrewBarba/apns2#44: only a token that is due is followed by another.
    @Test func aTokenOfAnotherMachineIsRenewedWhenItIsDue() throws {
        try RunBench.with(devices: 20) { bench in
            for (occurrence, minutes) in [("one", 0), ("two", 44), ("three", 2)] {
                try bench.sql(
                    "UPDATE sortie.provider_token SET boot_id = 'elsewhere', "
                        + "issued_at = issued_at - interval '\(minutes) minutes'")
                _ = try bench.restarted().run(rest, occurrence: occurrence)
                    .execute(observer: Events())
                let tokens = bench.simulator.snapshot().authorizations
                #expect(tokens == (occurrence == "three" ? 2 : 1), "\(occurrence)")
            }
            #expect(bench.simulator.stop().count(status: 200) == 60)
        }
    }

    /// Pr0Ger/PyAPNs2#113, edamov/pushok#92: a token that APNs calls expired is replaced once, in
    /// the database too, and nobody is lost over it.
    @Test func anExpiredTokenIsReplacedOnceAndTheRunGoesOn() throws {
        try RunBench.with(devices: 2_000) { bench in
            // What the run finds is two hours old, though its row says otherwise.
            let old = try bench.oldToken(secondsAgo: 7_200)
            try bench.keep(old)
            let events = Events()
            let end = try bench.restarted().run(rest).execute(observer: events)
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.accepted == 2_000)
            let statistics = bench.simulator.stop()
            #expect(statistics.count(status: 403) > 0)
            #expect(statistics.sendTokensAcceptedAgain == 0)
            #expect(statistics.authorizations == 2)
            #expect(
                try bench.text(
                    "SELECT jwt <> '\(old)' AND after_refusal FROM sortie.provider_token")
                    == "t")
        }
    }

    /// As a clock that is wrong makes it: the replacement is refused too.
    @Test func aReplacementThatIsRefusedTooStopsTheRun() throws {
        try RunBench.with(devices: 500) { bench in
            let old = try bench.oldToken(secondsAgo: 7_200)
            try bench.keep(old)
            try bench.sql("UPDATE sortie.provider_token SET after_refusal = true")
            let end = try bench.restarted().run(rest).execute(observer: Events())
            guard case .credentialsRefused(let text) = end else {
                Issue.record("\(end)")
                return
            }
            #expect(text.contains("clock"))
            #expect(!text.contains(old))
            let counts = try bench.counts()
            #expect(counts.unsent == 500 && counts.holds)
            #expect(bench.simulator.stop().authorizations == 1)
        }
    }

    @Test(arguments: [(0, false), (60, false), (-60, false), (61, true), (-3_700, true)])
    func clocksThatDifferByMoreThanAMinuteAreSaid(seconds: Int64, isSaid: Bool) {
        let warning = ClockSkew(aheadMicroseconds: seconds * 1_000_000).warning
        #expect((warning != nil) == isSaid)
        if let warning {
            #expect(warning.contains(seconds > 0 ? "61 s ahead of" : "3700 s behind"))
        }
    }
}
