import APNSProtocol
import APNSSimulator
import HTTP2
import LinuxIO
import TLS
import Testing

@Suite struct SimulatorTests {
    static func tokens(_ count: Int) -> [String] {
        (0..<count).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
    }

    @Test func goodRequestIsAcceptedUnderAnUpperCaseID() throws {
        let fixture = try SimulatorFixture()
        let answer = try fixture.sender().send(tokens: Self.tokens(1))[0]
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(answer.end == .ended)
        let id = try #require(answer.fields["apns-id"])
        #expect(id.count == 36)
        #expect(id == id.uppercased())
        #expect(answer.fields["apns-unique-id"] == nil)
    }

    @Test func ownIDComesBackAsSent() throws {
        let fixture = try SimulatorFixture()
        let id = "123e4567-e89b-12d3-a456-4266554400a0"
        let fields = TestSender.fields() + [HTTP2Field("apns-id", id)]
        let answers = try fixture.sender().send(tokens: Self.tokens(3), fields: fields)
        #expect(answers.allSatisfy { $0.fields["apns-id"] == id })
    }

    @Test func sandboxAddsAUniqueID() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.environment = .sandbox
        }
        let answers = try fixture.sender().send(tokens: Self.tokens(2))
        let ids = answers.compactMap { $0.fields["apns-unique-id"] }
        #expect(Set(ids).count == 2)
        #expect(answers.allSatisfy { $0.fields["apns-id"] != $0.fields["apns-unique-id"] })
    }

    @Test func fatesAreAnswered() throws {
        let shares = TokenShares(dead: 0.3, otherEnvironment: 0.2, wrongTopic: 0.1)
        let fates = TokenFates(
            shares: shares, seed: 5, referenceMilliseconds: 1_800_000_000_000)
        let fixture = try SimulatorFixture { configuration, _ in configuration.fates = fates }
        let tokens = Self.tokens(300)
        let answers = try fixture.sender().send(tokens: tokens)
        for (token, answer) in zip(tokens, answers) {
            switch fates.fate(of: token) {
            case .good:
                #expect(answer.status == 200)
            case .dead(let time):
                #expect(answer.status == 410)
                #expect(answer.body == #"{"reason":"Unregistered","timestamp":\#(time)}"#)
            case .otherEnvironment:
                #expect(answer.status == 400)
                #expect(answer.body == #"{"reason":"BadDeviceToken"}"#)
            case .wrongTopic:
                #expect(answer.body == #"{"reason":"DeviceTokenNotForTopic"}"#)
            case .ignored:
                Issue.record("no token is ignored")
            }
        }
        let statistics = fixture.simulator.snapshot()
        #expect(statistics.requests == 300)
        #expect(statistics.answered == 300)
        #expect(statistics.count(status: 410) == answers.count { $0.status == 410 })
        #expect(statistics.tokensAccepted == answers.count { $0.status == 200 })
    }

    @Test func connectionOpensWithOneStreamUntilTheFirstGoodAnswer() throws {
        // ostinelli/apnotic#28: with a provider token the service starts with one stream.
        let fixture = try SimulatorFixture { configuration, credentials in
            configuration.credential = credentials.rule
            configuration.maxConcurrentStreams = 500
        }
        let sender = try fixture.sender()
        let wrong = TestSender.fields(
            authorization: try fixture.authorization(teamID: "ZZZZZZZZZZ"))
        try sender.send(tokens: Self.tokens(2), fields: wrong)
        #expect(sender.streamLimits == [1])
        let good = TestSender.fields(authorization: try fixture.authorization())
        let answers = try sender.send(tokens: Self.tokens(50), fields: good)
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(sender.streamLimits == [1, 500])
        #expect(fixture.simulator.snapshot().streamsOpenMax > 1)
    }

    @Test func everyConnectionIsCountedApart() throws {
        let fixture = try SimulatorFixture()
        for count in 1...3 { try fixture.sender().send(tokens: Self.tokens(count)) }
        let statistics = fixture.simulator.stop()
        #expect(statistics.connectionsOpened == 3)
        #expect(statistics.connections.map(\.requests).sorted() == [1, 2, 3])
        #expect(statistics.requestsInOneSecondMax == 3)
        #expect(statistics.requests == 6)
    }

    @Test func tokensAcceptedAgainAreFoundSendsAndProbesApart() throws {
        let fixture = try SimulatorFixture()
        let sender = try fixture.sender()
        let probe = [
            HTTP2Field("apns-topic", RequestFixture.topic),
            HTTP2Field("apns-push-type", "background"), HTTP2Field("apns-priority", "5"),
        ]
        try sender.send(tokens: Self.tokens(5), fields: probe, body: RequestFixture.probe)
        try sender.send(tokens: Self.tokens(4))
        #expect(fixture.simulator.snapshot().sendTokensAcceptedAgain == 0)
        #expect(fixture.simulator.snapshot().probeTokensAcceptedAgain == 0)
        try sender.send(tokens: Self.tokens(3))
        try sender.send(tokens: Self.tokens(3))
        try sender.send(tokens: Self.tokens(2), fields: probe, body: RequestFixture.probe)
        let statistics = fixture.simulator.stop()
        #expect(statistics.sendTokensAcceptedAgain == 3)
        #expect(statistics.probeTokensAcceptedAgain == 2)
        #expect(statistics.answers.map(\.sends) == [10])
        #expect(statistics.answers.map(\.probes) == [7])
    }

    @Test func answersTakeAsLongAsTheyShould() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.latency = AnswerLatency(fixedMilliseconds: 30, jitterMilliseconds: 20)
            configuration.opensWithOneStream = false
        }
        let sender = try fixture.sender()
        let start = MonotonicClock.nanoseconds()
        let answers = try sender.send(tokens: Self.tokens(100))
        #expect(MonotonicClock.nanoseconds() - start >= 30_000_000)
        #expect(answers.allSatisfy { $0.status == 200 })
    }

    @Test func slowServerAnswersAtItsOwnPace() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.answersPerSecond = 500
        }
        let start = MonotonicClock.nanoseconds()
        try fixture.sender().send(tokens: Self.tokens(101))
        #expect(MonotonicClock.nanoseconds() - start >= 200_000_000)
    }

    @Test func fastModeJudgesNothing() throws {
        let fixture = try SimulatorFixture { configuration, credentials in
            configuration.isFast = true
            configuration.credential = credentials.rule
        }
        let sender = try fixture.sender()
        let fields = [HTTP2Field("apns-priority", "nonsense")]
        let answers = try sender.send(tokens: Self.tokens(40) + Self.tokens(2), fields: fields)
        #expect(answers.allSatisfy { $0.status == 200 && $0.fields.isEmpty && $0.body.isEmpty })
        let statistics = fixture.simulator.stop()
        #expect(statistics.requests == 42)
        #expect(statistics.bodyBytes == 42 * RequestFixture.alert.utf8.count)
        #expect((1..<statistics.headerBytes).contains(statistics.headerBlockBytes))
        #expect(statistics.sendTokensAcceptedAgain == 2)
    }

    @Test func fastModeThatFollowsNoTokenAnswersTheSame() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.isFast = true
            configuration.tracksTokens = false
        }
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: Self.tokens(300))
        #expect(answers.allSatisfy { $0.status == 200 && $0.fields.isEmpty && $0.body.isEmpty })
        let statistics = fixture.simulator.snapshot()
        #expect(statistics.requests == 300)
        #expect(statistics.count(status: 200) == 300)
        #expect(statistics.bodyBytes == 300 * RequestFixture.alert.utf8.count)
        #expect(statistics.headerBlockBytes > 300)
        #expect(statistics.connectionsOpened == 1)
        #expect(statistics.connections.map(\.requests) == [300])
        #expect(fixture.simulator.stop().requests == 300)
    }

    @Test func fastModeKnowsTheDead() throws {
        let shares = TokenShares(dead: 0.5)
        let fates = TokenFates(shares: shares, seed: 7, referenceMilliseconds: 1_700_000_000_000)
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.isFast = true
            configuration.tracksTokens = false
            configuration.fates = fates
        }
        let tokens = Self.tokens(200)
        let answers = try fixture.sender().send(tokens: tokens)
        for (token, answer) in zip(tokens, answers) {
            if case .dead(let timestamp) = fates.fate(of: token) {
                #expect(answer.status == 410)
                let body = "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}"
                #expect(answer.body == body)
            } else {
                #expect(answer.status == 200)
            }
        }
        let statistics = fixture.simulator.stop()
        #expect((60...140).contains(statistics.count(status: 410, reason: "Unregistered")))
        #expect(statistics.tokensAccepted == 0)
    }

    @Test func transcriptHasTheRequestsWordByWord() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.transcriptRequestsMax = 2
        }
        try fixture.sender().send(tokens: Self.tokens(3))
        let transcript = fixture.simulator.transcript()
        #expect(transcript.count == 2)
        #expect(transcript[1].token == Self.tokens(2)[1])
        #expect(transcript[0]["apns-push-type"] == "alert")
        #expect(transcript[0][":method"] == "POST")
        #expect(transcript[0]["apns-collapse-id"] == nil)
        #expect(transcript[0].body == Array(RequestFixture.alert.utf8))
        #expect(transcript.map(\.number) == [1, 2])
        #expect(transcript[0].ruling == .accepted)
    }

    @Test func filesAreForTheirOwnerOnly() throws {
        let fixture = try SimulatorFixture()
        #expect(try FileContents.modeBits(fixture.credentials.keyFile) == 0o600)
        #expect(fixture.credentials.keyFile.hasSuffix("AuthKey_\(fixture.credentials.keyID).p8"))
        #expect(fixture.credentials.keyID.count == 10)
        #expect(fixture.credentials.teamID.count == 10)
    }

    @Test func portThatIsTakenIsSaid() throws {
        let fixture = try SimulatorFixture()
        var configuration = SimulatorConfiguration()
        configuration.port = fixture.port
        let second = try Simulator(configuration, certificates: fixture.credentials.certificates)
        let error = #expect(throws: SimulatorError.self) { _ = try second.start() }
        #expect(error?.description.contains("127.0.0.1:\(fixture.port)") == true)
    }

    @Test func stoppedSimulatorStillTellsItsStatistics() throws {
        let fixture = try SimulatorFixture()
        try fixture.sender().send(tokens: Self.tokens(2))
        let final = fixture.simulator.stop()
        #expect(final.requests == 2)
        #expect(fixture.simulator.snapshot() == final)
        #expect(fixture.simulator.stop() == final)
    }
}
