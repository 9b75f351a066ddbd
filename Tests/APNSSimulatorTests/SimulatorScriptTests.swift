import APNSSimulator
import HTTP2
import LinuxIO
import Testing

@Suite struct SimulatorScriptTests {
    /// Treats each request by its number on the connection.
    private struct Script: SimulatorScript {
        var streamLimitAtOpening: UInt32 = 100
        let treat: @Sendable (Int, String) -> RequestTreatment
        var after: @Sendable (Int) -> ConnectionStep = { _ in .none }

        func behaviour(forConnection number: Int) -> any SimulatorBehaviour { Behaviour(self) }

        final class Behaviour: SimulatorBehaviour {
            private let script: Script

            init(_ script: Script) { self.script = script }

            func treatment(of request: ArrivedRequest) -> RequestTreatment {
                script.treat(request.number, request.token)
            }

            func step(after answer: GivenAnswer) -> ConnectionStep {
                script.after(answer.status)
            }
        }
    }

    private static func fixture(_ script: Script) throws -> SimulatorFixture {
        try SimulatorFixture { configuration, _ in configuration.script = script }
    }

    @Test func otherAnswersTakeThePlaceOfTheJudges() throws {
        let fixture = try Self.fixture(
            Script { number, _ in
                RequestTreatment(
                    reply: number == 2 ? .answer(status: 429, reason: "TooManyRequests") : .judged)
            })
        let answers = try fixture.sender().send(tokens: SimulatorTests.tokens(3))
        #expect(answers.map(\.status) == [200, 429, 200])
        #expect(answers[1].body == #"{"reason":"TooManyRequests"}"#)
        let statistics = fixture.simulator.snapshot()
        #expect(statistics.count(status: 429, reason: "TooManyRequests") == 1)
        #expect(statistics.tokensAccepted == 2)
    }

    @Test func tokenIsKnownToTheScript() throws {
        let tokens = SimulatorTests.tokens(3)
        let fixture = try Self.fixture(
            Script { _, token in
                RequestTreatment(
                    reply: token == SimulatorTests.tokens(3)[1] ? .reset(code: 2) : .judged)
            })
        let answers = try fixture.sender().send(tokens: tokens)
        #expect(answers.map(\.end) == [.ended, .reset(code: 2), .ended])
        #expect(fixture.simulator.snapshot().streamsReset == 1)
    }

    @Test func streamLimitFallsAfterARejection() throws {
        // jchambers/pushy#476: a rejected push made the service lower the limit to 1.
        var script = Script { number, _ in
            RequestTreatment(
                reply: number == 1 ? .answer(status: 400, reason: "BadDeviceToken") : .judged)
        }
        script.after = { .streamLimit($0 == 200 ? 100 : 1) }
        let fixture = try Self.fixture(script)
        let sender = try fixture.sender()
        try sender.send(tokens: SimulatorTests.tokens(1))
        try sender.wait { sender.streamLimits.count == 2 }
        #expect(sender.streamLimits == [100, 1])
        try sender.send(tokens: SimulatorTests.tokens(1))
        try sender.wait { sender.streamLimits.count == 3 }
        #expect(sender.streamLimits == [100, 1, 100])
    }

    @Test func goAwayMayNameAnEarlierStream() throws {
        // amphp/http-client#276: what is above the last stream was not processed.
        let fixture = try Self.fixture(
            Script { number, _ in
                guard number == 4 else { return RequestTreatment(reply: .ignored) }
                return RequestTreatment(
                    reply: .ignored,
                    step: .goAway(lastStreamID: 3, errorCode: 0, debugData: [UInt8(ascii: "x")]))
            })
        let sender = try fixture.sender()
        try sender.send(tokens: SimulatorTests.tokens(4), endsAfter: 2)
        #expect(sender.goAways == [3])
        #expect(sender.answers.map(\.end) == [nil, nil, .notProcessed, .notProcessed])
    }

    @Test func requestsAfterAGoAwayAreNotAcceptedAlthoughTheyCameWithIt() throws {
        // Without a number the last stream that arrived is named; what came in the same read is
        // above it, and its answer would never leave.
        let fixture = try Self.fixture(
            Script { number, _ in
                let step = ConnectionStep.goAway(lastStreamID: nil, errorCode: 0, debugData: [])
                return RequestTreatment(step: number == 2 ? step : .none)
            })
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(6))
        let answered = answers.count { $0.status == 200 }
        #expect(answers.count { $0.end == .notProcessed } == 6 - answered)
        #expect(fixture.simulator.snapshot().tokensAccepted == answered)
    }

    @Test func delayedAnswerOfAnEndedConnectionDoesNotReachTheNext() throws {
        let fixture = try Self.fixture(
            Script { number, _ in
                RequestTreatment(delayNanoseconds: number == 1 ? 0 : 100_000_000)
            })
        let first = try fixture.sender()
        try first.send(tokens: SimulatorTests.tokens(3), endsAfter: 1)
        first.end()
        // The next connection takes the place of the first; its second answer is a late one too.
        let next = try fixture.sender()
        let answers = try next.send(tokens: SimulatorTests.tokens(2))
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(fixture.simulator.snapshot().answered == 3)
    }

    @Test func delayedAnswersOvertakeOneAnother() throws {
        let fixture = try Self.fixture(
            Script { number, _ in
                RequestTreatment(delayNanoseconds: number == 1 ? 50_000_000 : 0)
            })
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(2))
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(sender.order == [1, 0])
    }

    @Test func senderThatLeavesAbandonsItsRequests() throws {
        let fixture = try Self.fixture(
            Script { number, _ in
                // The first is answered at once: by then the others, sent with it, have arrived.
                RequestTreatment(delayNanoseconds: number == 1 ? 0 : 1_000_000_000_000_000)
            })
        let sender = try fixture.sender()
        try sender.send(tokens: SimulatorTests.tokens(3), endsAfter: 1)
        sender.end()
        let statistics = fixture.simulator.stop()
        #expect(statistics.requests == 3)
        #expect(statistics.answered == 1)
        #expect(statistics.streamsAbandoned == 2)
    }
}
