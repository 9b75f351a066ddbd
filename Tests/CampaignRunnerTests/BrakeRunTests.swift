import APNSSimulator
import CampaignStore
import PostgreSQL
import SendPolicy
import TestSupport
import Testing

@testable import CampaignRunner

private let noPreflight = "message: { title: Hi }, preflight: { probe: none }"

/// Each brake in a whole run: it stops, the run says why and is resumable, and it can be released.
@Suite(.enabled(if: TestCluster.isExpected)) struct BrakeRunTests {
    /// Runs until the brake trips, checks what every brake leaves behind, and goes on with it off.
    private func expectBrake(
        _ brake: BrakeName, _ bench: RunBench, _ rest: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = try bench.run(rest).execute(observer: Events())
        guard case .braked(1, brake.rawValue, let text) = end else {
            Issue.record("not braked by \(brake): \(end)", sourceLocation: sourceLocation)
            return
        }
        #expect(text.contains("--release-brake \(brake)"), sourceLocation: sourceLocation)
        #expect(text.contains(brake.setting), sourceLocation: sourceLocation)
        let stopped = try bench.counts()
        #expect(stopped.holds && stopped.unsent > 0, sourceLocation: sourceLocation)
        #expect(try bench.text("SELECT state FROM sortie.run") == "paused")
        #expect(
            try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'active'")
                == stopped.recipients, sourceLocation: sourceLocation)
        #expect(
            try bench.text(
                "SELECT count(*) || ' ' || min(detail->>'name') || ' ' "
                    + "|| bool_and((detail->>'bad')::int > (detail->>'threshold')::numeric "
                    + "* (detail->>'total')::int) FROM report.run_event WHERE kind = 'brake'")
                == "1 \(brake) true", sourceLocation: sourceLocation)

        let again = try bench.run(rest, released: [brake]).execute(observer: Events())
        #expect(again == .finished(runID: 1), sourceLocation: sourceLocation)
        let counts = try bench.counts()
        #expect(counts.holds && counts.unsent == 0, sourceLocation: sourceLocation)
        #expect(
            try bench.text(
                "SELECT detail->>'name' FROM report.run_event WHERE kind = 'brake released'")
                == brake.rawValue, sourceLocation: sourceLocation)
    }

    /// wultra/powerauth-push-server#180, parse-community/parse-server#6052: nobody's token is to
    /// blame for a wrong environment, also if somebody insists on going on.
    @Test func invalid() throws {
        try RunBench.with(devices: 400, shares: TokenShares(otherEnvironment: 1)) { bench in
            try expectBrake(
                .invalid, bench, "\(noPreflight), send: { rate: 100, stop_if: { minimum: 20 } }")
            #expect(try bench.number("SELECT count(*) FROM sortie.device_event") == 0)
            #expect(bench.simulator.stop().requests == 400)
        }
    }

    /// A mended setting makes good answers; the bad ones before it still say nothing.
    @Test func devicesRefusedBeforeTheBrakeAreNotMarkedAfterIt() throws {
        try RunBench.with(devices: 400, shares: TokenShares(otherEnvironment: 0.5)) { bench in
            let rest = "\(noPreflight), send: { rate: 100, stop_if: { minimum: 20 } }"
            guard case .braked = try bench.run(rest).execute(observer: Events()) else {
                Issue.record("the brake holds")
                return
            }
            // From here on every token is good: those that are not are switched off.
            for number in 1...400
            where bench.fates.fate(of: RunBench.token(number)) == .otherEnvironment {
                try bench.sql(
                    "UPDATE sortie.device SET status = 'inactive' WHERE id = \(number) AND "
                        + "NOT EXISTS (SELECT FROM sortie.outcome WHERE ordinal = \(number))")
            }
            #expect(try bench.run(rest).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts().rejected > 0)
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'invalid'")
                    == 0)
        }
    }

    @Test func gone() throws {
        try RunBench.with(devices: 300, shares: TokenShares(dead: 1)) { bench in
            try expectBrake(
                .gone, bench,
                "message: { title: Hi }, preflight: { probe: all, rate: 100, "
                    + "stop_if: { minimum: 20 } }")
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'unregistered'")
                    == 300)
            #expect(try bench.counts().skipped == 300)
        }
    }

    @Test func unknown() throws {
        try RunBench.with(devices: 400, shares: TokenShares(ignored: 0.7)) { bench in
            let ignored = (1...400).count {
                bench.fates.fate(of: RunBench.token($0)) == .ignored
            }
            try expectBrake(
                .unknown, bench,
                "\(noPreflight), send: { rate: 200, max_in_flight: 20, request_timeout: 200ms, "
                    + "stop_if: { minimum: 20 } }")
            #expect(try bench.counts().unknown == ignored)
        }
    }

    @Test func errors() throws {
        try RunBench.with(
            devices: 400, configure: { $0.faults.transientShare = 1 }
        ) { bench in
            try expectBrake(
                .errors, bench,
                "\(noPreflight), send: { rate: 100, retry: { attempts: 1 }, "
                    + "stop_if: { minimum: 20 } }")
            #expect(try bench.counts().rejected == 400)
        }
    }

    /// What the preflight pruned is taken back when the main send shows that something is wrong.
    @Test func aBrakeInTheMainSendTakesThePreflightsPruningBack() throws {
        try RunBench.with(
            devices: 400, shares: TokenShares(dead: 0.2),
            configure: { $0.faults.transientShare = 1 }
        ) { bench in
            let events = Events()
            let end = try bench.run(
                "message: { title: Hi }, preflight: { probe: all, rate: unlimited }, "
                    + "send: { rate: 100, stop_if: { minimum: 20 } }"
            ).execute(observer: events)
            guard case .braked(_, "errors", _) = end else {
                Issue.record("\(end)")
                return
            }
            let dead = (1...400).count {
                if case .dead = bench.fates.fate(of: RunBench.token($0)) { true } else { false }
            }
            #expect(events.notes.contains { $0.hasPrefix("\(dead) devices") })
            #expect(
                try bench.number("SELECT count(*) FROM sortie.device WHERE status = 'active'")
                    == 400)
        }
    }
}
