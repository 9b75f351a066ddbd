import APNSSimulator
import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@testable import CampaignRunner

private let message = #"message: { title: "Sale", collapse: campaign }, preflight: { probe: none }"#

/// Faults that users of other senders reported, met by a whole run.
@Suite(.enabled(if: TestCluster.isExpected)) struct FieldReportTests {
    private func scenario(_ rules: [SimulatorScenario.Rule]) -> (inout SimulatorConfiguration) ->
        Void
    {
        { $0.scenario = SimulatorScenario(rules: rules) }
    }

    private func answer(_ status: Int, _ reason: String) -> SimulatorScenario.Action {
        .reply(.answer(ScriptedAnswer(status: status, reason: reason)))
    }

    /// parse-community/node-apn#31: the payload is too large for everybody; nobody is asked twice,
    /// and the run stops after the first answers.
    @Test func aPayloadTooLargeForAllStopsAfterAFew() throws {
        let rules = [SimulatorScenario.Rule(.chance(1), answer(413, "PayloadTooLarge"))]
        try RunBench.with(devices: 400, configure: scenario(rules)) { bench in
            let end = try bench.run("\(message), send: { connections: 2, rate: unlimited }")
                .execute(observer: Events())
            guard case .campaignRefused(let text) = end else {
                Issue.record("not refused: \(end)")
                return
            }
            #expect(text.contains("PayloadTooLarge"))
            #expect(try bench.counts().unsent == 400)
            #expect(try bench.number("SELECT count(*) FROM sortie.device_event") == 0)
            #expect(bench.simulator.stop().requests <= 50)
        }
    }

    /// ostinelli/apnotic#109: InvalidProviderToken for a while; the run stops, changes nothing, and
    /// the next start completes it.
    @Test func refusedCredentialsThatCureThemselvesNeedOnlyAnotherStart() throws {
        let rules = [
            SimulatorScenario.Rule(.chance(1), answer(403, "InvalidProviderToken"), timesMax: 1)
        ]
        try RunBench.with(devices: 200, configure: scenario(rules)) { bench in
            let rest = "\(message), send: { connections: 1, rate: unlimited }"
            guard case .credentialsRefused = try bench.run(rest).execute(observer: Events()) else {
                Issue.record("not refused")
                return
            }
            #expect(try bench.counts().unsent == 200)
            #expect(try bench.run(rest).execute(observer: Events()) == .finished(runID: 1))
            #expect(try bench.counts().accepted == 200)
            #expect(bench.simulator.stop().sendTokensAcceptedAgain == 0)
        }
    }

    /// rpush/rpush#331, rpush/rpush#93: one failure made a whole batch go again. Here one answer of
    /// 500 and one cut connection cost no neighbour a second push.
    @Test func onlyWhatFailedGoesAgain() throws {
        let rules = [
            SimulatorScenario.Rule(
                .requestInAll(100), answer(500, "InternalServerError"), timesMax: 1),
            SimulatorScenario.Rule(.requestInAll(300), .step(.drop), timesMax: 1),
        ]
        try RunBench.with(devices: 500, configure: scenario(rules)) { bench in
            let send =
                "send: { connections: 2, rate: unlimited, unconfirmed: keep, "
                + "retry: { attempts: 3, within: 1m, delay: 1s } }"
            let end = try bench.run("\(message), \(send)").execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.holds && counts.unsent == 0)
            #expect(counts.accepted + counts.unknown == 500)
            #expect(
                try bench.number("SELECT count(*) FROM sortie.outcome WHERE attempts > 1") == 1)
            #expect(bench.simulator.stop().sendTokensAcceptedAgain == 0)
        }
    }

    /// sideshow/apns2#171: whether Apple sends Retry-After is not known; who sends it is heard.
    @Test func anAskedPauseIsKept() throws {
        let busy = ScriptedAnswer(
            status: 503, reason: "ServiceUnavailable", retryAfterSeconds: 2)
        let rules = [SimulatorScenario.Rule(.requestInAll(5), .reply(.answer(busy)), timesMax: 1)]
        try RunBench.with(devices: 20, configure: scenario(rules)) { bench in
            let retry = "retry: { attempts: 3, within: 1m, delay: 1s }"
            let end = try bench.run("\(message), send: { rate: unlimited, \(retry) }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            #expect(try bench.counts().accepted == 20)
            let pause = "extract(epoch FROM max(sent_at) - min(sent_at)) >= 2"
            #expect(try bench.text("SELECT \(pause) FROM sortie.outcome") == "t")
        }
    }

    /// RocketChat/Rocket.Chat#11813: old pushes sent after a restart. What is put off beyond the
    /// message's time to live is not sent any more.
    @Test func whatWaitedBeyondTheMessagesTimeIsSkipped() throws {
        let busy = ScriptedAnswer(
            status: 503, reason: "ServiceUnavailable", retryAfterSeconds: 3)
        let rules = [SimulatorScenario.Rule(.requestInAll(5), .reply(.answer(busy)), timesMax: 1)]
        try RunBench.with(devices: 20, configure: scenario(rules)) { bench in
            let short =
                #"message: { title: "Sale", expires_after: 2s }, preflight: { probe: none }"#
            let retry = "retry: { attempts: 3, within: 1m, delay: 1s }"
            let end = try bench.run("\(short), send: { rate: unlimited, \(retry) }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.accepted == 19 && counts.skipped == 1)
            #expect(
                try bench.text("SELECT reason FROM sortie.outcome WHERE outcome = 4") == "expired")
        }
    }

    /// rpush/rpush#276, adobkin/php-apn#7: a bad token first, in the middle and last does not stop
    /// the rest.
    @Test func badTokensDoNotStopTheRest() throws {
        let rules = [1, 50, 100].map { number in
            SimulatorScenario.Rule(
                .tokenPrefix(Array(RunBench.token(number).utf8)), answer(400, "BadDeviceToken"))
        }
        try RunBench.with(devices: 100, configure: scenario(rules)) { bench in
            let end = try bench.run("\(message), send: { rate: unlimited }")
                .execute(observer: Events())
            #expect(end == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.accepted == 97 && counts.rejected == 3)
        }
    }

    /// parse-community/parse-server#4315: the list is fixed at the start; who registers later is
    /// not in it, who dies meanwhile is left out with the cause.
    @Test func theAudienceIsFixedAndTheDeadAreLeftOut() throws {
        try RunBench.with(devices: 600) { bench in
            let run = try bench.run("\(message), send: { connections: 1, rate: 200, burst: 1 }")
            let events = Events()
            let ended = try bench.inBackground(run, events)
            events.waitForProgress(atLeast: 20)
            try bench.sql("UPDATE sortie.device SET status = 'inactive' WHERE id > 550")
            try bench.sql(
                "INSERT INTO sortie.device (app, environment, token) VALUES "
                    + "('com.example.shop', 'production', repeat('ab', 32))")
            #expect(ended() == .finished(runID: 1))
            let counts = try bench.counts()
            #expect(counts.recipients == 600 && counts.accepted == 550 && counts.skipped == 50)
            #expect(
                try bench.text("SELECT DISTINCT reason FROM sortie.outcome WHERE outcome = 4")
                    == "pruned")
        }
    }
}
