import APNSSimulator
import HTTP2
import LinuxIO
import Testing

@Suite struct SimulatorScenarioTests {
    private typealias Rule = SimulatorScenario.Rule

    private static func fixture(
        streams: UInt32 = 100, _ rules: [SimulatorScenario.Rule]
    ) throws -> SimulatorFixture {
        try SimulatorFixture { configuration, _ in
            configuration.maxConcurrentStreams = streams
            configuration.opensWithOneStream = false
            configuration.scenario = SimulatorScenario(rules: rules)
        }
    }

    @Test func answersComeAsWritten() throws {
        let fixture = try Self.fixture([
            Rule(
                .afterRequests(1),
                .reply(
                    .answer(
                        ScriptedAnswer(
                            status: 503, reason: "ServiceUnavailable", retryAfterSeconds: 7)))),
            Rule(
                .afterRequests(2),
                .reply(
                    .answer(
                        ScriptedAnswer(
                            status: 410, reason: "Unregistered", timestampMilliseconds: 12)))),
            Rule(
                .afterRequests(3),
                .reply(.answer(ScriptedAnswer(status: 502, body: Array("<html>".utf8))))),
        ])
        let answers = try fixture.sender().send(tokens: SimulatorTests.tokens(4))
        #expect(answers.map(\.status) == [503, 410, 502, 200])
        #expect(answers[0].fields["retry-after"] == "7")
        #expect(answers[1].body == #"{"reason":"Unregistered","timestamp":12}"#)
        #expect(answers[2].body == "<html>")
    }

    @Test func aRuleAppliesNoMoreOftenThanItsTimes() throws {
        let fixture = try Self.fixture([
            Rule(
                .everyRequests(1), .reply(.answer(status: 429, reason: "TooManyRequests")),
                timesMax: 2)
        ])
        let answers = try fixture.sender().send(tokens: SimulatorTests.tokens(4))
        #expect(answers.count { $0.status == 429 } == 2)
        #expect(answers.count { $0.status == 200 } == 2)
    }

    @Test func aRuleForOneConnectionLeavesTheOthersInPeace() throws {
        let fixture = try Self.fixture([
            Rule(.everyRequests(2), .reply(.reset(code: 7)), connections: [2])
        ])
        let first = try fixture.sender()
        #expect(
            try first.send(tokens: SimulatorTests.tokens(2)).map(\.end) == [.ended, .ended])
        let second = try fixture.sender()
        #expect(
            try second.send(tokens: SimulatorTests.tokens(2)).map(\.end)
                == [.ended, .notProcessed])
    }

    @Test func tokensAreKnownByTheirBeginningInEitherCase() throws {
        let fixture = try Self.fixture([
            Rule(
                .tokenPrefix(Array("c0ffee07".utf8)),
                .reply(.answer(status: 400, reason: "BrandNewReason")))
        ])
        let tokens = ["C0FFEE07", "c0ffee07", "c0ffee08"].map {
            String(repeating: $0, count: 8)
        }
        let answers = try fixture.sender().send(tokens: tokens)
        #expect(answers.map(\.status) == [400, 400, 200])
    }

    @Test func theSameTokensAreInTheShareAgain() throws {
        let fixture = try Self.fixture([Rule(.tokenShare(0.5), .reply(.reset(code: 2)))])
        let tokens = SimulatorTests.tokens(60)
        let sender = try fixture.sender()
        let first = try sender.send(tokens: tokens).map(\.end)
        let second = try sender.send(tokens: tokens).map(\.end)
        #expect(first == second)
        #expect((10...50).contains(first.count { $0 == .ended }))
    }

    @Test func requestsAreCountedOverAllConnections() throws {
        let fixture = try Self.fixture([
            Rule(.requestInAll(3), .reply(.answer(status: 500, reason: "InternalServerError")))
        ])
        let first = try fixture.sender()
        #expect(try first.send(tokens: SimulatorTests.tokens(2)).map(\.status) == [200, 200])
        let second = try fixture.sender()
        #expect(try second.send(tokens: SimulatorTests.tokens(2)).map(\.status) == [500, 200])
    }

    @Test func headsWithoutAnEndAndResetsAfterAnAnswerAreSent() throws {
        let fixture = try Self.fixture([
            Rule(
                .afterRequests(1),
                .reply(.answer(ScriptedAnswer(status: 200, ending: .resetAfter(code: 0))))),
            Rule(
                .afterRequests(2),
                .reply(.answer(ScriptedAnswer(status: 200, ending: .never)))),
        ])
        let answers = try fixture.sender().send(tokens: SimulatorTests.tokens(3), endsAfter: 2)
        #expect(answers.map(\.status) == [200, 200, 200])
        #expect(answers.map(\.end) == [.ended, nil, .ended])
    }

    // MARK: - Steps of the connection

    /// amphp/http-client#276: two steps, and everything up to the second is answered.
    @Test func aFarewellComesInTwoSteps() throws {
        let farewell = ConnectionFarewell(
            errorCode: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8),
            noticeNanoseconds: 30_000_000)
        let fixture = try Self.fixture([
            Rule(.everyRequests(1), .delay(nanoseconds: 60_000_000)),
            Rule(.afterRequests(2), .step(.farewell(farewell))),
        ])
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(2))
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(sender.goAways == [.max, 3])
    }

    @Test func aFarewellMayKeepTheLowerHalf() throws {
        let fixture = try Self.fixture([
            Rule(.everyRequests(1), .delay(nanoseconds: 50_000_000)),
            Rule(.afterRequests(5), .step(.farewell(ConnectionFarewell(last: .half)))),
        ])
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(5))
        #expect(sender.goAways == [5])
        #expect(answers.count { $0.end == .notProcessed } == 2)
        #expect(fixture.simulator.snapshot().tokensAccepted == 3)
    }

    @Test func aLimitChangesByTheClock() throws {
        let fixture = try Self.fixture([
            Rule(.after(nanoseconds: 20_000_000), .step(.streamLimit(3))),
            Rule(.every(nanoseconds: 40_000_000), .step(.streamLimit(7))),
        ])
        let sender = try fixture.sender()
        try sender.wait { sender.streamLimits.count >= 4 }
        #expect(sender.streamLimits.prefix(4) == [100, 3, 7, 7])
    }

    @Test func aConnectionThatStopsReadingReadsAgain() throws {
        let fixture = try Self.fixture([
            Rule(.afterRequests(1), .step(.stopReading(nanoseconds: 50_000_000)))
        ])
        let sender = try fixture.sender()
        try sender.send(tokens: SimulatorTests.tokens(1))
        let start = MonotonicClock.nanoseconds()
        try sender.send(tokens: SimulatorTests.tokens(1))
        #expect(MonotonicClock.nanoseconds() - start > 20_000_000)
    }

    @Test func aConnectionThatStopsAnsweringAnswersLater() throws {
        let fixture = try Self.fixture([
            Rule(.afterRequests(2), .step(.stopAnswering(nanoseconds: 50_000_000)))
        ])
        let sender = try fixture.sender()
        let start = MonotonicClock.nanoseconds()
        try sender.send(tokens: SimulatorTests.tokens(5))
        #expect(MonotonicClock.nanoseconds() - start > 40_000_000)
        #expect(fixture.simulator.snapshot().answered == 5)
    }

    @Test func aConnectionThatClosesHalfIsSeenToEnd() throws {
        let fixture = try Self.fixture([Rule(.afterRequests(1), .step(.closeHalf))])
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(1))
        #expect(answers[0].status == 200)
        try sender.wait { sender.closure != nil }
    }

    @Test func aFloodOfSettingsHasItsRate() throws {
        let flood = ConnectionFlood(
            frame: .settings, perSecond: 1_000, nanoseconds: 100_000_000)
        let fixture = try Self.fixture([Rule(.after(nanoseconds: 0), .step(.flood(flood)))])
        let sender = try fixture.sender()
        try sender.wait { sender.streamLimits.count > 50 }
        #expect(sender.streamLimits.allSatisfy { $0 == 100 })
    }

    // MARK: - The mood

    private static func moody(_ mood: APNSMood) throws -> SimulatorFixture {
        try SimulatorFixture { configuration, credentials in
            configuration.mood = mood
            configuration.credential = credentials.rule
        }
    }

    /// openradar 27870881, jchambers/pushy#476, jchambers/pushy#732: one stream at first, all after
    /// a success, one after a rejection, all again.
    @Test func theLimitFollowsSuccessAndRejection() throws {
        let fixture = try SimulatorFixture { configuration, credentials in
            configuration.mood = APNSMood(streams: 50)
            configuration.credential = credentials.rule
            configuration.scenario = SimulatorScenario(rules: [
                SimulatorScenario.Rule(
                    .afterRequests(2), .reply(.answer(status: 400, reason: "BadDeviceToken"))),
                SimulatorScenario.Rule(
                    .afterRequests(4), .reply(.answer(status: 410, reason: "Unregistered"))),
            ])
        }
        let sender = try fixture.sender()
        let fields = TestSender.fields(authorization: try fixture.authorization())
        for _ in 1...5 { try sender.send(tokens: SimulatorTests.tokens(1), fields: fields) }
        try sender.wait { sender.streamLimits.count == 4 }
        #expect(sender.streamLimits == [1, 50, 1, 50])
    }

    @Test func tooManyBadTokensEndTheConnection() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.mood = APNSMood(badTokensMax: 3)
            configuration.scenario = SimulatorScenario(rules: [
                SimulatorScenario.Rule(
                    .everyRequests(1), .reply(.answer(status: 400, reason: "BadDeviceToken")))
            ])
        }
        let sender = try fixture.sender()
        for _ in 1...3 { try sender.send(tokens: SimulatorTests.tokens(1)) }
        try sender.wait { !sender.goAways.isEmpty }
        #expect(sender.goAways == [5])
    }

    /// jchambers/pushy closes such a connection because no later token cures it.
    @Test func anExpiredProviderTokenStaysWithItsConnection() throws {
        let fixture = try Self.moody(APNSMood())
        let sender = try fixture.sender()
        let old = TestSender.fields(authorization: try fixture.authorization(ageSeconds: 3700))
        let new = TestSender.fields(authorization: try fixture.authorization())
        #expect(try sender.send(tokens: SimulatorTests.tokens(1), fields: old)[0].status == 403)
        let again = try sender.send(tokens: SimulatorTests.tokens(1), fields: new)
        #expect(again[0].body == #"{"reason":"ExpiredProviderToken"}"#)
        let other = try fixture.sender()
        #expect(try other.send(tokens: SimulatorTests.tokens(1), fields: new)[0].status == 200)
    }

    @Test func aBusyServiceAnswers503ForAWhile() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.mood = APNSMood(
                busyAfterNanoseconds: 0, busyNanoseconds: 3_600_000_000_000, busyShare: 1)
        }
        let answer = try fixture.sender().send(tokens: SimulatorTests.tokens(1))[0]
        #expect(answer.status == 503)
        #expect(answer.body == #"{"reason":"ServiceUnavailable"}"#)
    }
}
