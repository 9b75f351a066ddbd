import APNSProtocol
import APNSSimulator
import LinuxIO
import SendPolicy
import TLS
import TestSupport
import Testing

@testable import APNSClient

/// What a permit changes for a client that sends to the simulator.
@Suite struct SendPermitTests {
    /// A simulator, a client and its permit.
    private final class Stage {
        let permit: SendPermit
        let ends = PushEnds()
        let client: PushClient
        private let simulator: Simulator

        init(permit: SendPermit, connections: Int = 1) throws {
            self.permit = permit
            let certificates = try CertificateSet.make(hosts: ["127.0.0.1"])
            var configuration = SimulatorConfiguration()
            configuration.opensWithOneStream = false
            simulator = try Simulator(configuration, certificates: certificates)
            let port = try simulator.start()
            let path = "/tmp/sortie-test-ca-\(SecureRandom.uint64()).pem"
            try FileContents.write(path, certificates.caCertificatePEM, mode: 0o600)
            let tls = try TLSContext.client(trust: .file(path), protocols: ["h2"])
            try FileContents.remove(path)
            var settings = try PushBench.configuration(port: port, tls: tls)
            settings.connections = connections
            settings.permit = permit
            client = try PushClient(configuration: settings, delegate: ends)
        }

        func waitForEnds(_ count: Int) {
            _ = ends.state.wait(untilNanoseconds: nil) { $0.ends.count >= count }
        }

        func finish() -> (PushEnds.State, SimulatorStatistics) {
            client.finish()
            client.join()
            return (ends.state.withLock { $0 }, simulator.stop())
        }
    }

    @Test func nothingBeginsAtOrAfterTheDeadline() throws {
        let stage = try Stage(permit: SendPermit(deadlineNanoseconds: 0))
        stage.client.submit([PushBench.batch(1...50)])
        stage.client.stop(drainNanoseconds: 0)
        let (ends, server) = stage.finish()
        #expect(server.requests == 0)
        #expect(ends.ends.values.count { $0 == .notSent(.stopped) } == 50)
    }

    @Test func aDeadlineThatMovesForwardLetsItGoOn() throws {
        let stage = try Stage(permit: SendPermit(deadlineNanoseconds: 0))
        stage.client.submit([PushBench.batch(1...50)])
        stage.permit.deadlineNanoseconds = MonotonicClock.nanoseconds() + 60_000_000_000
        stage.waitForEnds(50)
        stage.permit.deadlineNanoseconds = 0
        stage.client.submit([PushBench.batch(51...60)])
        stage.permit.deadlineNanoseconds = .max
        let (ends, server) = stage.finish()
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(ends.ends.count == 60)
        #expect(server.requests == 60)
    }

    /// What is on the wire when the deadline passes is still heard.
    @Test func answersAreReadAfterTheDeadline() throws {
        let permit = SendPermit()
        let bench = try PushBench(streams: 20) { visit in
            // Whatever is answered from here on is answered after the deadline.
            if visit.request == 10 { permit.deadlineNanoseconds = 0 }
            return [.answer(200)]
        }
        var configuration = try bench.configuration()
        configuration.permit = permit
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...100)])
        _ = bench.ends.state.wait(untilNanoseconds: nil) { $0.ends.count >= 10 }
        client.stop(drainNanoseconds: 30_000_000_000)
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        let visits = bench.server.stop().visits.count
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == visits)
        #expect(ends.ends.values.count { $0 == .notSent(.stopped) } == 100 - visits)
        #expect(visits <= 40)
    }

    /// The turns of a loop that may not begin anything: it sleeps and does not spin.
    @Test func aLoopThatMayNotSendSleeps() throws {
        let turns = CountedTurns()
        let permit = SendPermit(deadlineNanoseconds: 0)
        let certificates = try CertificateSet.make(hosts: ["127.0.0.1"])
        let simulator = try Simulator(SimulatorConfiguration(), certificates: certificates)
        let port = try simulator.start()
        var settings = try PushBench.configuration(
            port: port, tls: try TLSContext.client(trust: .system, protocols: ["h2"]))
        settings.permit = permit
        let client = try PushClient(configuration: settings, delegate: turns)
        client.submit([PushBench.batch(1...5)])
        for round in 0..<40 {
            let before = turns.count.withLock { $0 }
            permit.thousandthsPerSecond = 0
            if round == 20 { permit.deadlineNanoseconds = .max }
            _ = turns.count.wait(untilNanoseconds: nil) { $0 > before }
        }
        client.stop(drainNanoseconds: 0)
        client.join()
        _ = simulator.stop()
        // One for each wake at most, and a few for beginning and end.
        #expect(turns.count.withLock { $0 } <= 50)
    }

    @Test(arguments: [1, 3])
    func noSecondHoldsMoreThanTheShareOverAllConnections(_ connections: Int) throws {
        let permit = SendPermit()
        permit.thousandthsPerSecond = 150_000
        let stage = try Stage(permit: permit, connections: connections)
        stage.client.submit([PushBench.batch(1...300)])
        let (ends, server) = stage.finish()
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        let sent = ends.answers.values.map(\.sentAtMicroseconds).sorted()
        for (index, moment) in sent.enumerated() {
            let inSecond = sent[index...].prefix { $0 < moment + 1_000_000 }.count
            #expect(inSecond <= 150)
        }
        #expect(server.requestsInOneSecondMax <= 150)
        #expect(server.connectionsOpened == connections)
    }

    @Test func aShareOfNothingHoldsUntilItIsRaised() throws {
        let permit = SendPermit()
        permit.thousandthsPerSecond = 0
        let stage = try Stage(permit: permit)
        stage.client.submit([PushBench.batch(1...10)])
        permit.thousandthsPerSecond = 1_000_000
        stage.waitForEnds(10)
        permit.thousandthsPerSecond = nil
        stage.client.submit([PushBench.batch(11...500)])
        let (ends, server) = stage.finish()
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(server.requests == 500)
    }

    @Test func oneShareHoldsForTwoClients() throws {
        let permit = SendPermit()
        permit.thousandthsPerSecond = 100_000
        let first = try Stage(permit: permit)
        let second = try Stage(permit: permit)
        first.client.submit([PushBench.batch(1...100)])
        second.client.submit([PushBench.batch(1...100)])
        let ends = [first.finish().0, second.finish().0]
        let sent = ends.flatMap { $0.answers.values.map(\.sentAtMicroseconds) }.sorted()
        #expect(sent.count == 200)
        for (index, moment) in sent.enumerated() {
            #expect(sent[index...].prefix { $0 < moment + 1_000_000 }.count <= 100)
        }
    }

    /// The connection's own pace holds beside a larger share.
    @Test func theSlowerOfShareAndRateCounts() throws {
        let permit = SendPermit()
        permit.thousandthsPerSecond = 100_000_000
        let bench = try PushBench { _ in [.answer(200)] }
        let rate = try #require(Rate.perSecond(100))
        let (ends, _) = try bench.send(60) {
            $0.permit = permit
            $0.rate = rate
            $0.burst = 1
        }
        let sent = ends.answers.values.map(\.sentAtMicroseconds).sorted()
        #expect((sent.last ?? 0) - (sent.first ?? 0) >= 585_000)
    }
}

/// Counts a loop's turns.
private final class CountedTurns: PushLoopDelegate, Sendable {
    let count = Monitor(0)
    var stopDrainNanoseconds: Int64? { nil }
    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd) {}
    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64) {
        count.withLock { $0 += 1 }
        count.signal()
    }
    func loopNoted(_ note: LoopNote) {}
    func loopMetReason(_ code: ReasonCode, text: String) {}
    func loopFailed(_ failure: LoopFailure) {}
}
