import APNSSimulator
import CampaignStore
import LinuxIO
import TestSupport
import Testing

@testable import CampaignRunner

private let message = #"message: { title: "Sale" }"#
private let fast = "send: { connections: 2, rate: unlimited }"

@Suite(.enabled(if: TestCluster.isExpected)) struct RehearsalTests {
    /// wultra/powerauth-push-server#180: a test against the wrong server emptied a token table.
    @Test(arguments: ["none", "all"])
    func aRehearsalChangesNoDeviceWhateverTheServerSays(probe: String) throws {
        try RunBench.with(devices: 400, shares: TokenShares(dead: 0.2)) { bench in
            let dead = (1...400).count {
                if case .dead = bench.fates.fate(of: RunBench.token($0)) { true } else { false }
            }
            let end = try bench.rehearsal(
                "\(message), preflight: { probe: \(probe), rate: unlimited }, \(fast)"
            ).execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.holds && counts.accepted == 400 - dead)
            // What a preflight would have pruned is left out of the send, as in a real run.
            #expect(probe == "all" ? counts.skipped == dead : counts.rejected == dead)
            #expect(try bench.text(Self.untouched) == "t")
            #expect(try bench.text("SELECT rehearsal FROM report.run_summary") == "t")
            #expect(try bench.number("SELECT count(*) FROM report.outcome_by_minute") == 0)
            // The database itself refuses to apply a rehearsal's answers.
            let store = try Store(conninfo: bench.conninfo, purpose: "test")
            let run = try #require(try store.findRun(id: 1))
            for phase in RunPhase.allCases {
                let summary = try store.applyTokenStatus(
                    run: run, phase: phase, marksInvalid: true)
                #expect(summary.changed == 0 && summary.kept == 0)
            }
            #expect(try bench.text(Self.untouched) == "t")
        }
    }

    private static let untouched = """
        SELECT bool_and(status = 'active' AND status_reason IS NULL)
            AND NOT EXISTS (SELECT FROM sortie.device_event) FROM sortie.device
        """

    @Test func aBrakedRehearsalIsOverAndTheRealRunBeginsAnew() throws {
        try RunBench.with(devices: 300, shares: TokenShares(otherEnvironment: 1)) { bench in
            let rest = "\(message), preflight: { probe: none }, \(fast)"
            guard
                case .braked(_, _, let text) = try bench.rehearsal(rest)
                    .execute(observer: Events())
            else {
                Issue.record("not braked")
                return
            }
            #expect(text.contains("rehearse again"))
            #expect(try bench.text("SELECT state FROM sortie.run") == "cancelled")
            #expect(try bench.text(Self.untouched) == "t")
        }
    }

    @Test func aRehearsalKeepsNoProviderToken() throws {
        try RunBench.with(devices: 10) { bench in
            let run = try bench.rehearsal(
                "\(message), preflight: { probe: none }, \(fast)", isShared: false)
            #expect(run.execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.number("SELECT count(*) FROM sortie.provider_token") == 0)
        }
    }
}
