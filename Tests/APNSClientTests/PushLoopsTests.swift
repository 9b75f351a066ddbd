import APNSProtocol
import LinuxIO
import SendPolicy
import Testing

@testable import APNSClient

/// Several loops in one client.
@Suite struct PushLoopsTests {
    private static let batchRequests: Int32 = 50

    private func batches(_ count: Int32) -> [PushBatch] {
        (0..<count).map { number in
            let first = number * Self.batchRequests + 1
            return PushBench.batch(first...(first + Self.batchRequests - 1))
        }
    }

    private func client(
        _ bench: PushBench, _ delegates: [PushEnds], connections: Int,
        change: (inout PushClientConfiguration) -> Void = { _ in }
    ) throws -> PushClient {
        var configuration = try bench.configuration()
        configuration.connections = connections
        change(&configuration)
        return try PushClient(configuration: configuration, delegates: delegates)
    }

    @Test(
        arguments: [
            (1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 4, 2), (8, 4, 4), (16, 4, 4), (16, 1, 1),
            (64, 64, 8), (4, 1, 1),
        ])
    func theNumberOfLoopsFollowsCoresAndConnections(cores: Int, connections: Int, loops: Int) {
        #expect(PushClient.suitableLoops(cores: cores, connections: connections) == loops)
    }

    @Test(arguments: [(1, 1), (1, 4), (2, 2), (2, 5), (3, 4), (3, 64), (8, 9)])
    func theConnectionsAreDividedAndNumberedOnce(loops: Int, connections: Int) {
        let shares = (0..<loops).map { LoopShare(index: $0, count: loops) }
        let numbers = shares.flatMap { share in
            (0..<share.connections(of: connections)).map { place in
                let number = share.number(ofConnection: place)
                #expect(share.place(ofConnection: number) == place)
                return number
            }
        }
        #expect(numbers.sorted() == Array(1...connections))
        #expect(shares.allSatisfy { $0.connections(of: connections) >= 1 })
    }

    @Test(arguments: [1, 2, 3])
    func everyEntryEndsOnceAtTheDelegateThatHasItsBatch(_ loops: Int) throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let delegates = (0..<loops).map { _ in PushEnds() }
        let client = try client(bench, delegates, connections: 4)
        client.submit(batches(20))
        client.submit(batches(40).suffix(20).map { $0 })
        client.finish()
        client.join()
        let ends = delegates.map { $0.state.withLock { $0 } }
        #expect(ends.reduce(0) { $0 + $1.ends.count } == 2000)
        #expect(Set(ends.flatMap(\.ends.keys)).count == 2000)
        for (index, state) in ends.enumerated() {
            #expect(state.doubled == 0)
            #expect(state.ends.values.allSatisfy { $0 == .judged(.accepted) })
            #expect(state.ends.count % Int(Self.batchRequests) == 0)
            let numbers = Set(state.answers.values.map { Int($0.connection) })
            #expect(numbers.allSatisfy { ($0 - 1) % loops == index })
        }
        #expect(bench.server.stop().accepted.values.allSatisfy { $0 == 1 })
    }

    /// One loop's server never answers: it holds up what it has begun, the other does the rest.
    @Test func aLoopThatIsStuckHoldsUpOneBatch() throws {
        let bench = try PushBench { visit in visit.connection == 1 ? [] : [.answer(200)] }
        let delegates = [PushEnds(), PushEnds()]
        let client = try client(bench, delegates, connections: 2)
        client.submit(batches(20))
        let wanted = Int(19 * Self.batchRequests)
        var ended = [0, 0]
        while ended.reduce(0, +) < wanted {
            for (index, delegate) in delegates.enumerated() {
                let before = ended[index]
                let soon = MonotonicClock.nanoseconds() + 20_000_000
                _ = delegate.state.wait(untilNanoseconds: soon) { $0.ends.count > before }
                ended[index] = delegate.state.withLock { $0.ends.count }
            }
        }
        client.stop(drainNanoseconds: 0)
        client.join()
        let ends = delegates.flatMap { $0.state.withLock { $0.ends.values } }
        #expect(ends.count == 1000)
        #expect(ends.count { $0 == .judged(.accepted) } >= wanted)
    }

    @Test func aStopEndsWhatNoLoopHasBegun() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let delegates = [PushEnds(), PushEnds(), PushEnds()]
        let permit = SendPermit(deadlineNanoseconds: 0)
        let client = try client(bench, delegates, connections: 3) { $0.permit = permit }
        client.submit(batches(9))
        client.stop(drainNanoseconds: 0)
        client.join()
        let ends = delegates.flatMap { $0.state.withLock { $0.ends.values } }
        #expect(ends.count == 450)
        #expect(ends.allSatisfy { $0 == .notSent(.stopped) })
        #expect(bench.server.stop().visits.isEmpty)
    }

    @Test func theShareHoldsForAllLoopsTogether() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let delegates = [PushEnds(), PushEnds()]
        let permit = SendPermit()
        permit.thousandthsPerSecond = 120_000
        let client = try client(bench, delegates, connections: 4) { $0.permit = permit }
        client.submit(batches(5))
        client.finish()
        client.join()
        let answers = delegates.flatMap { $0.state.withLock { $0.answers.values } }
        let sent = answers.map(\.sentAtMicroseconds).sorted()
        #expect(sent.count == 250)
        for (index, moment) in sent.enumerated() {
            #expect(sent[index...].prefix { $0 < moment + 1_000_000 }.count <= 120)
        }
    }
}
