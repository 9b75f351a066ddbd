import APNSProtocol
import LinuxIO
import SendPolicy
import Testing

@testable import APNSClient

/// Hosts of several addresses, some of them dead.
@Suite struct AddressTests {
    private static func address(_ host: String, _ port: UInt16) throws -> SocketAddress {
        try #require(try SocketAddress.resolve(host: host, port: port).first)
    }

    /// A port that nobody listens on.
    private static func closedPort(_ host: String) -> UInt16 {
        // Without IPv6 on this machine connecting fails even sooner.
        guard let socket = try? ListeningSocket(host: host, port: 0) else { return 9 }
        return socket.port
    }

    /// jchambers/pushy#885: an IPv6 address that nobody answers at, and an IPv4 one that works. The
    /// same opening goes on with the other address.
    @Test func aRefusedAddressCostsNoOpening() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let dead = try Self.address("::1", Self.closedPort("::1"))
        let good = try Self.address("127.0.0.1", bench.server.port)
        let (ends, log) = try bench.send(50) {
            $0.lookUp = { (_, _) throws(SystemError) in [dead, good] }
            $0.firstPace.failuresMax = 1
        }
        #expect(ends.failure == nil)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 50)
        #expect(log.connections == 1)
        #expect(ends.notes.count { $0.kind == .attemptFailed } == 1)
        // Opened and closed are in balance: from them the run tells how many are open.
        #expect(ends.notes.count { $0.kind == .opened } == 1)
        #expect(ends.notes.count { $0.kind == .closed } <= 1)
    }

    /// jchambers/pushy#885: some of the addresses drop packets. Each connection is at a good one
    /// after the time of one TCP attempt, and the dead ones are not tried again.
    @Test func addressesThatDropPacketsCostLittle() throws {
        let bench = try PushBench(streams: 1) { _ in [.answer(200)] }
        let holes = try (0..<2).map { _ in try BlackHole() }
        let good = try Self.address("127.0.0.1", bench.server.port)
        let all = holes.map(\.address) + [good]
        let start = MonotonicClock.nanoseconds()
        let (ends, _) = try bench.send(2_000) {
            $0.lookUp = { (_, _) throws(SystemError) in all }
            $0.limits.connectingNanoseconds = 200_000_000
            $0.firstPace.failuresMax = 1
            $0.connections = 3
        }
        #expect(ends.failure == nil)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 2_000)
        #expect(MonotonicClock.nanoseconds() - start < 20_000_000_000)
        let left = ends.notes.filter { $0.text.contains("no answer within") }
        // No connection was at a dead address twice; those that began together may meet there.
        #expect(Set(left.map { "\($0.connection) \($0.text)" }).count == left.count)
    }

    @Test func onlyDeadAddressesEndWithinTheFailures() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let hole = try BlackHole()
        let address = hole.address
        let (ends, log) = try bench.send(2) {
            $0.lookUp = { (_, _) throws(SystemError) in [address] }
            $0.limits.connectingNanoseconds = 100_000_000
        }
        guard case .unreachable(let text) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text == "connect to \(address): no answer within 0 s")
        #expect(log.connections == 0)
    }

    /// However many addresses are tried, the opening has one deadline.
    @Test func theOpeningDeadlineCoversAllAddresses() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let hole = try BlackHole()
        let address = hole.address
        let (ends, _) = try bench.send(2) {
            $0.lookUp = { (_, _) throws(SystemError) in [address] }
            $0.limits.openingNanoseconds = 100_000_000
            $0.firstPace.failuresMax = 2
        }
        #expect(
            ends.failure
                == .unreachable("no TLS connection within 0 s: \(address) does not answer"))
    }

    @Test func everyOpeningLooksTheNameUpAgain() throws {
        let bench = try PushBench { visit in
            visit.request == 10 ? [.answer(200), .abort] : [.answer(200)]
        }
        let lookUps = Monitor(0)
        let good = try Self.address("127.0.0.1", bench.server.port)
        let (ends, log) = try bench.send(60) {
            $0.maxInFlight = 1
            $0.lookUp = { (_, _) throws(SystemError) in
                lookUps.withLock { $0 += 1 }
                return [good]
            }
        }
        #expect(ends.ends.count == 60)
        #expect(log.connections > 2)
        #expect(lookUps.withLock { $0 } >= log.connections)
    }

    @Test func aNameWithoutAddressIsNoCrash() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let (ends, _) = try bench.send(2) { $0.lookUp = { (_, _) throws(SystemError) in [] } }
        #expect(ends.failure == .unreachable("127.0.0.1 has no address"))
    }
}
