import APNSProtocol
import APNSSimulator
import LinuxIO
import SendPolicy
import TLS
import Testing

@testable import APNSClient

/// Connections that end, or have to be replaced, at an awkward moment.
@Suite struct ConnectionEndTests {
    /// Stream numbers are used once (RFC 9113, section 5.1.1): a connection is replaced before they
    /// run out, without losing anybody.
    @Test(arguments: [1, 7, 100, 101])
    func aConnectionIsReplacedBeforeItsStreamNumbersRunOut(requestsMax: Int) throws {
        let bench = try PushBench(streams: 5) { _ in [.answer(200)] }
        let (ends, log) = try bench.send(100) {
            $0.limits.requestsMax = requestsMax
            $0.steadyPace.openingsPerMinuteMax = 1_000
            $0.firstPace.openingsPerMinuteMax = 1_000
        }
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(log.connections == (100 + requestsMax - 1) / requestsMax)
        #expect(log.visits.allSatisfy { $0.request <= requestsMax })
    }

    /// akka/akka-http#774: a limit that stays at zero is told as what it is, within bounds.
    @Test func aLimitThatStaysZeroEndsBounded() throws {
        let bench = try PushBench(streams: 0) { _ in [.answer(200)] }
        let (ends, log) = try bench.send(3) { $0.limits.idleNanoseconds = 100_000_000 }
        guard case .unreachable(let text) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text.contains("allows no requests"))
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
        #expect(log.visits.isEmpty)
        #expect(log.connections <= 8)
    }

    /// jchambers/pushy#184: the server answers and closes at once, again and again.
    @Test func answersBeforeACloseStand() throws {
        let bench = try PushBench(streams: 1) { visit in
            visit.request == 10 ? [.answer(200), .close] : [.answer(200)]
        }
        let (ends, log) = try bench.send(100) {
            $0.steadyPace.openingsPerMinuteMax = 1_000
            $0.firstPace.openingsPerMinuteMax = 1_000
        }
        #expect(ends.ends.count == 100)
        #expect(ends.doubled == 0)
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 100 - unknown)
        #expect(log.connections >= 10)
    }

    /// node-apn/node-apn#449, rpush/rpush#607: after a pause the next request goes out on a live
    /// connection, because an idle one is closed before a firewall forgets it.
    @Test func anIdleConnectionIsReplaced() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        var configuration = try bench.configuration()
        configuration.limits.idleNanoseconds = 100_000_000
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...1)])
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        #expect(
            bench.ends.state.wait(untilNanoseconds: deadline) { state in
                state.notes.contains { $0.kind == .closed }
            })
        client.submit([PushBench.batch(2...2)])
        client.finish()
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(bench.server.stop().connections == 2)
    }

    /// knadh/listmonk#960, knadh/listmonk#1496: the server drops the connection while the pace
    /// makes the sender wait; the next portion goes out all the same.
    @Test func aDropDuringThePauseOfThePaceStopsNothing() throws {
        let bench = try PushBench(streams: 10) { visit in
            visit.connection == 1 && visit.request == 5 ? [.answer(200), .close] : [.answer(200)]
        }
        let rate = try #require(Rate.perSecond(20))
        let (ends, log) = try bench.send(15) {
            $0.rate = rate
            $0.burst = 5
        }
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.connections == 2)
    }

    /// rpush/rpush#113, node-apn/node-apn#543, AndrewBarba/apns2#80: the last answers come late,
    /// half of them 410. They are waited for, and then nothing else is.
    @Test func theLastAnswersAreWaitedFor() throws {
        let directory = "/tmp/sortie-late-\(SecureRandom.uint64())"
        let credentials = try SimulatorCredentials.make(in: directory)
        var server = SimulatorConfiguration()
        server.scenario = SimulatorScenario(rules: [
            SimulatorScenario.Rule(
                .tokenPrefix(Array(PushBench.token(0).utf8.dropLast())),
                .delay(nanoseconds: 500_000_000)),
            SimulatorScenario.Rule(
                .tokenPrefix(Array(PushBench.token(8).utf8)),
                .reply(.answer(status: 410, reason: "Unregistered"))),
        ])
        let simulator = try Simulator(server, certificates: credentials.certificates)
        let port = try simulator.start()
        let tls = try TLSContext.client(
            trust: .file(credentials.authorityFile), protocols: ["h2"])
        for path in [credentials.keyFile, credentials.authorityFile, directory] {
            try FileContents.remove(path)
        }
        let ends = PushEnds()
        let client = try PushClient(
            configuration: try PushBench.configuration(port: port, tls: tls), delegate: ends)
        let start = MonotonicClock.nanoseconds()
        client.submit([PushBench.batch(1...40)])
        client.finish()
        client.join()
        let took = MonotonicClock.nanoseconds() - start
        #expect(took >= 500_000_000 && took < 20_000_000_000)
        let state = ends.state.withLock { $0 }
        #expect(state.ends.values.count { $0 == .judged(.accepted) } == 39)
        #expect(state.ends[8] == .judged(.rejectedToken(kind: .gone)))
        #expect(simulator.stop().tokensAccepted == 39)
    }
}
