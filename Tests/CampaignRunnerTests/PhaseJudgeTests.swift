import APNSClient
import APNSProtocol
import CampaignModel
import CampaignStore
import DocumentText
import DocumentTree
import LinuxIO
import SendPolicy
import Testing

@testable import CampaignRunner

/// The brakes of a campaign with this minimum sample and otherwise usual thresholds.
private func brakes(
    _ phase: RunPhase, minimumSample: Int, released: Set<BrakeName>
) throws -> PhaseBrakes {
    let text = """
        { campaign: sale, app: com.example.shop, environment: production, message: { title: Hi },
          preflight: { stop_if: { gone: 20%, minimum: \(minimumSample) } },
          send: { stop_if: { minimum: \(minimumSample) } } }
        """
    let tree = try DocumentText.parse(Array(text.utf8), file: "sale.json").get()
    let campaign = try CampaignReader.read(tree, file: "sale.json").get().value
    return PhaseBrakes(campaign, phase: phase, released: released)
}

/// A judge with its exchange, fed by hand.
private final class Bench {
    let exchange: PhaseExchange
    let stop = StopSwitch()
    let judge: PhaseJudge
    let batch: PushBatch

    init(
        phase: RunPhase = .send, unconfirmed: UnconfirmedRule = .keep, attemptsMax: Int = 3,
        earlierAttempts: UInt8 = 0, minimumSample: Int = 10, released: Set<BrakeName> = []
    ) throws {
        let rules = PhaseRules(
            phase: phase, unconfirmed: unconfirmed,
            retry: RetryPolicy(attemptsMax: attemptsMax, withinNanoseconds: 3600 * 1_000_000_000),
            brakes: try brakes(phase, minimumSample: minimumSample, released: released))
        exchange = PhaseExchange(
            progress: RunProgress(phase: phase, total: 100), brakes: rules.brakes)
        judge = PhaseJudge(rules: rules, exchange: exchange, stop: stop)
        var builder = PushBatchBuilder(capacity: 1)
        let payload = builder.addPayload(Array("{}".utf8))
        builder.add(
            ordinal: 7, attempts: earlierAttempts, token: Array("c0ffee".utf8).span,
            payload: payload)
        batch = builder.seal(slice: 3)
    }

    func end(_ end: PushEnd, status: UInt16 = 0, reason: ReasonCode = .none) {
        var answer = PushAnswer()
        answer.status = status
        answer.reason = reason
        answer.connection = 2
        judge.pushEnded(batch.entries[0], of: batch, answer, end)
    }

    func answer(_ status: Int, _ reason: String) throws {
        let bytes = Array(reason.utf8)
        let known = ReasonTable.code(forWireBytes: bytes.span)
        let code = try #require(known)
        end(
            .judged(Judgement.verdict(status: status, reason: code)), status: UInt16(status),
            reason: code)
    }

    /// The brake that has tripped.
    var braked: BrakeName? {
        if case .brake(let evidence) = stop.tripped { evidence.name } else { nil }
    }

    /// What has come out so far.
    func take(nowNanoseconds: Int64 = 1) -> PhaseExchange.State {
        judge.loopTurnEnded(submitted: 0, nowNanoseconds: nowNanoseconds)
        return exchange.state.withLock { $0 }
    }
}

@Suite struct PhaseJudgeTests {
    @Test func acceptedIsRecordedWithItsPlace() throws {
        let bench = try Bench()
        bench.end(.judged(.accepted), status: 200)
        let state = bench.take()
        #expect(state.outcomes.map(\.kind) == [.accepted])
        #expect(state.outcomes[0].ordinal == 7)
        #expect(state.outcomes[0].source == 3)
        #expect(state.outcomes[0].attempts == 1)
        #expect(state.outcomes[0].connection == 2)
        #expect(state.parks.isEmpty)
    }

    /// appleboy/gorush#420, appleboy/gorush#507: never again what cannot succeed.
    @Test(arguments: [
        (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, "Unregistered"),
        (410, "ExpiredToken"),
    ])
    func aRefusedTokenIsFinal(status: Int, reason: String) throws {
        let bench = try Bench()
        try bench.answer(status, reason)
        let state = bench.take()
        #expect(state.outcomes.map(\.kind) == [.rejected])
        #expect(state.parks.isEmpty)
        #expect(bench.stop.tripped == nil)
    }

    /// vapor/apns#47, jchambers/pushy#914: a wrong key stops the run, and whoever met it first is
    /// not the loser.
    @Test(arguments: [
        (403, "InvalidProviderToken"), (403, "BadEnvironmentKeyIdInToken"),
        (403, "BadEnvironmentKeyInToken"), (403, "Forbidden"), (403, "UnrelatedKeyIdInToken"),
        (403, "ExpiredProviderToken"), (429, "TooManyProviderTokenUpdates"),
    ])
    func refusedCredentialsStopTheRunAndReleaseTheRecipient(status: Int, reason: String) throws {
        let bench = try Bench()
        try bench.answer(status, reason)
        let state = bench.take()
        #expect(state.outcomes.isEmpty)
        #expect(state.parks.map(\.cause) == [.released])
        #expect(state.parks[0].attempts == 0)
        guard case .credentials(let text) = bench.stop.tripped else {
            Issue.record(
                "not stopped for the credentials: \(String(describing: bench.stop.tripped))")
            return
        }
        #expect(text.contains("BadEnvironmentKey") || text.contains(reason))
    }

    @Test(arguments: [
        (400, "BadTopic"), (400, "BadPriority"), (400, "InvalidPushType"), (400, "PayloadEmpty"),
        (413, "PayloadTooLarge"), (400, "BadCollapseId"), (400, "BadExpirationDate"),
    ])
    func aRefusedCampaignStopsTheRun(status: Int, reason: String) throws {
        let bench = try Bench()
        try bench.answer(status, reason)
        guard case .campaign(let text) = bench.stop.tripped else {
            Issue.record("not stopped for the campaign")
            return
        }
        #expect(text.contains(reason))
        #expect(bench.take().parks.map(\.cause) == [.released])
    }

    @Test(arguments: [(500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown")])
    func aPassingFailureIsParked(status: Int, reason: String) throws {
        let bench = try Bench()
        try bench.answer(status, reason)
        let state = bench.take()
        #expect(state.outcomes.isEmpty)
        #expect(state.parks.map(\.cause) == [.transient])
        #expect(state.parks[0].attempts == 1)
    }

    /// curl/curl#5119, PerfectlySoft/Perfect-Notifications#10: retries end.
    @Test(arguments: [(1, true), (2, false)])
    func theLastAttemptsAnswerIsFinal(earlier: Int, isParked: Bool) throws {
        let bench = try Bench(attemptsMax: 3, earlierAttempts: UInt8(earlier))
        try bench.answer(503, "ServiceUnavailable")
        let state = bench.take()
        #expect(state.parks.count == (isParked ? 1 : 0))
        #expect(state.outcomes.map(\.kind) == (isParked ? [] : [.rejected]))
    }

    /// node-apn/node-apn#258, Apple forum thread 95283: TooManyRequests concerns one device; it
    /// waits alone.
    @Test func tooManyRequestsParksTheOneDevice() throws {
        let bench = try Bench()
        try bench.answer(429, "TooManyRequests")
        #expect(bench.take().parks.map(\.cause) == [.tooManyRequests])
        #expect(bench.stop.tripped == nil)
    }

    /// node-apn/node-apn#492: an unanswered request is not sent again unless the campaign says so.
    @Test(arguments: [UnknownCause.deadline, .connectionLost, .streamReset])
    func theUnansweredStayUnknownUnlessTheCampaignResends(cause: UnknownCause) throws {
        let keeping = try Bench(unconfirmed: .keep)
        keeping.end(.unknown(cause))
        let kept = keeping.take()
        #expect(kept.outcomes.map(\.kind) == [.unknown])
        #expect(kept.parks.isEmpty)
        let resending = try Bench(unconfirmed: .resend)
        resending.end(.unknown(cause))
        let resent = resending.take()
        #expect(resent.outcomes.isEmpty)
        #expect(resent.parks.map(\.cause) == [.unconfirmed])
        #expect(resent.parks[0].attempts == 1)
    }

    @Test func whatWasNotSentIsReleasedWithoutAnAttempt() throws {
        let bench = try Bench(earlierAttempts: 1)
        bench.end(.notSent(.stopped))
        let state = bench.take()
        #expect(state.parks.map(\.cause) == [.released])
        #expect(state.parks[0].attempts == 1)
        #expect(state.submitted == 1)
    }

    /// golang/go#20985: one stream refused for ever must not loop.
    @Test func aStreamRefusedTooOftenIsParkedAndEndsRejected() throws {
        let first = try Bench()
        first.end(.notSent(.refusedTooOften))
        #expect(first.take().parks.map(\.cause) == [.refused])
        let last = try Bench(attemptsMax: 3, earlierAttempts: 2)
        last.end(.notSent(.refusedTooOften))
        #expect(last.take().outcomes.map(\.kind) == [.rejected])
    }

    /// wultra/powerauth-push-server#180, parse-community/parse-server#6052: a wrong app or
    /// environment refuses everybody; nobody is to blame.
    @Test func manyInvalidTokensTripTheBrake() throws {
        let bench = try Bench(minimumSample: 10)
        for _ in 0..<9 { try bench.answer(400, "BadDeviceToken") }
        #expect(bench.stop.tripped == nil)
        try bench.answer(400, "BadDeviceToken")
        guard case .brake(let evidence) = bench.stop.tripped else {
            Issue.record("the brake did not trip")
            return
        }
        #expect(evidence.name == .invalid)
        #expect(evidence.bad == 10)
        #expect(!bench.take().brakes.allowsMarking)
    }

    @Test func fewInvalidTokensAmongManyGoodOnesDoNot() throws {
        let bench = try Bench(minimumSample: 10)
        for _ in 0..<99 { bench.end(.judged(.accepted), status: 200) }
        try bench.answer(400, "BadDeviceToken")
        #expect(bench.stop.tripped == nil)
        #expect(bench.take().brakes.allowsMarking)
    }

    @Test func aSampleTooSmallToStopIsStillNoGroundToMark() throws {
        let bench = try Bench(minimumSample: 10)
        try bench.answer(400, "BadDeviceToken")
        #expect(bench.stop.tripped == nil)
        #expect(!bench.take().brakes.allowsMarking)
    }

    @Test func goneTokensTripOnlyThePreflightsBrake() throws {
        let probing = try Bench(phase: .probe)
        for _ in 0..<10 { try probing.answer(410, "Unregistered") }
        guard case .brake(let evidence) = probing.stop.tripped else {
            Issue.record("the brake did not trip")
            return
        }
        #expect(evidence.name == .gone)
        let sending = try Bench(phase: .send)
        for _ in 0..<10 { try sending.answer(410, "Unregistered") }
        #expect(sending.stop.tripped == nil)
    }

    /// One silent server or network would make a whole audience unknown.
    @Test(arguments: [
        (UnknownCause.deadline, true), (.streamReset, true), (.connectionLost, false),
    ])
    func manyUnansweredTripTheBrakeWhileThereIsAConnection(
        cause: UnknownCause, isAtOnce: Bool
    ) throws {
        let bench = try Bench(minimumSample: 10)
        for _ in 0..<4 { bench.end(.judged(.accepted), status: 200) }
        for _ in 0..<5 { bench.end(.unknown(cause)) }
        #expect(bench.braked == nil)
        bench.end(.unknown(cause))
        // 6 of 10 are too many. A lost connection is judged when somebody answers again: a network
        // that is gone has an end of its own.
        #expect((bench.braked == .unknown) == isAtOnce)
        bench.end(.judged(.accepted), status: 200)
        #expect(bench.braked == .unknown)
    }

    @Test func halfUnansweredIsAllowed() throws {
        let bench = try Bench(minimumSample: 10)
        for _ in 0..<50 { bench.end(.judged(.accepted), status: 200) }
        for _ in 0..<50 { bench.end(.unknown(.deadline)) }
        #expect(bench.braked == nil)
        bench.end(.unknown(.deadline))
        #expect(bench.braked == .unknown)
    }

    @Test func unansweredProbesTripNothing() throws {
        let bench = try Bench(phase: .probe, minimumSample: 10)
        for _ in 0..<100 { bench.end(.unknown(.deadline)) }
        #expect(bench.stop.tripped == nil)
    }

    @Test(arguments: ["ServiceUnavailable", "Shutdown"])
    func aMinuteOfTroubleTripsTheBrake(reason: String) throws {
        let bench = try Bench(minimumSample: 10)
        let minute: Int64 = 60_000_000_000
        for _ in 0..<1000 { bench.end(.judged(.accepted), status: 200) }
        _ = bench.take(nowNanoseconds: minute)
        for _ in 0..<10 { try bench.answer(503, reason) }
        _ = bench.take(nowNanoseconds: minute + 1)
        #expect(bench.braked == nil)
        for _ in 0..<10 { try bench.answer(503, reason) }
        _ = bench.take(nowNanoseconds: 3 * minute)
        #expect(bench.braked == .errors)
    }

    /// golang/go#20985: 429 for one device is no trouble of APNs'.
    @Test func busyDevicesTripNothing() throws {
        let bench = try Bench(minimumSample: 10)
        for _ in 0..<100 { try bench.answer(429, "TooManyRequests") }
        _ = bench.take()
        #expect(bench.stop.tripped == nil)
    }

    @Test func aReleasedBrakeStopsNothingAndStillForbidsMarking() throws {
        let bench = try Bench(minimumSample: 10, released: [.invalid])
        for _ in 0..<50 { try bench.answer(400, "BadDeviceToken") }
        #expect(!bench.take().brakes.allowsMarking)
        #expect(bench.stop.tripped == nil)
        let other = try Bench(minimumSample: 10, released: [.unknown, .errors, .canary, .gone])
        for _ in 0..<50 { try other.answer(400, "BadDeviceToken") }
        #expect(other.braked == .invalid)
    }

    @Test func releasedBrakesOfTheMainSend() throws {
        let bench = try Bench(minimumSample: 10, released: [.unknown, .errors])
        for _ in 0..<100 { bench.end(.unknown(.deadline)) }
        for _ in 0..<100 { try bench.answer(503, "ServiceUnavailable") }
        _ = bench.take()
        #expect(bench.stop.tripped == nil)
    }
}
