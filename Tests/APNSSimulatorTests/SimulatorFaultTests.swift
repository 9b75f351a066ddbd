import APNSSimulator
import HTTP2
import LinuxIO
import Testing

@Suite struct SimulatorFaultTests {
    @Test func goAwayStillAnswersWhatCameBefore() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.faults.goAwayAfterRequests = 5
            configuration.opensWithOneStream = false
        }
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(20))
        #expect(sender.goAways == [9])
        #expect(answers.prefix(5).allSatisfy { $0.status == 200 && $0.end == .ended })
        #expect(answers.dropFirst(5).allSatisfy { $0.status == nil })
        #expect(answers.dropFirst(5).allSatisfy { $0.end == .notProcessed || $0.end == nil })
        #expect(fixture.simulator.snapshot().requests == 5)
    }

    @Test func droppedConnectionSaysNothing() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.faults.dropAfterRequests = 3
        }
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(5))
        try sender.wait { sender.closure != nil }
        #expect(answers.prefix(2).allSatisfy { $0.status == 200 })
        #expect(answers[2].status == nil)
        #expect(sender.goAways.isEmpty)
        #expect(fixture.simulator.snapshot().requests == 3)
    }

    @Test func refusedStreamSucceedsTheSecondTime() throws {
        // golang/go#20985: a refusal that is always the same would loop.
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.faults.refuseEvery = 3
        }
        let sender = try fixture.sender()
        let tokens = SimulatorTests.tokens(30)
        let answers = try sender.send(tokens: tokens)
        let refused = zip(tokens, answers).filter { $0.1.end == .notProcessed }.map(\.0)
        #expect(refused.count == 10)
        let again = try sender.send(tokens: refused)
        #expect(again.allSatisfy { $0.status == 200 })
        #expect(fixture.simulator.snapshot().streamsRefused == 10)
    }

    @Test func transientRefusalsDependOnTokenAndAttempt() throws {
        func failures() throws -> [[Int?]] {
            let fixture = try SimulatorFixture { configuration, _ in
                configuration.faults.transientShare = 0.5
                configuration.fates = TokenFates(
                    shares: TokenShares(), seed: 3, referenceMilliseconds: 0)
            }
            let sender = try fixture.sender()
            return try (0..<4).map { _ in
                try sender.send(tokens: SimulatorTests.tokens(100)).map(\.status)
            }
        }
        let first = try failures()
        #expect(try failures() == first)
        let counts = first.map { round in round.count { $0 == 503 } }
        #expect(counts[0] > 25 && counts[0] < 75)
        #expect(counts[3] < counts[0])
        for token in 0..<100 {
            // Once accepted, a token stays accepted.
            let rounds = first.map { $0[token] }
            #expect(rounds.drop { $0 == 503 }.allSatisfy { $0 == 200 })
        }
    }

    @Test func ignoredTokenIsNeverAnsweredAndFreesItsStreamWhenReset() throws {
        let fixture = try SimulatorFixture { configuration, _ in
            configuration.fates = TokenFates(
                shares: TokenShares(ignored: 1), seed: 1, referenceMilliseconds: 0)
            configuration.script = CancellingScript()
        }
        let sender = try fixture.sender()
        let answers = try sender.send(tokens: SimulatorTests.tokens(3))
        // The third request makes the simulator reset the connection, which ends the wait.
        #expect(answers.allSatisfy { $0.status == nil })
        #expect(fixture.simulator.snapshot().requestsIgnored == 3)
    }

    /// Cuts the connection at its third request, which is ignored like the others.
    private struct CancellingScript: SimulatorScript {
        var streamLimitAtOpening: UInt32 { 10 }

        func behaviour(forConnection number: Int) -> any SimulatorBehaviour { Behaviour() }

        final class Behaviour: SimulatorBehaviour {
            func treatment(of request: ArrivedRequest) -> RequestTreatment {
                RequestTreatment(step: request.number == 3 ? .drop : .none)
            }

            func step(after answer: GivenAnswer) -> ConnectionStep {
                .none
            }
        }
    }
}
