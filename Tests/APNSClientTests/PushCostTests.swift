import APNSProtocol
import APNSSimulator
import LinuxIO
import TLS
import Testing

@testable import APNSClient

/// What pushes cost, in counts that do not depend on the machine. Each limit is what was measured
/// when it was written down, rounded up: a higher count fails, a lower one is to be written down.
@Suite struct PushCostTests {
    private static let requests: Int32 = 4_000

    private struct Cost {
        var headerBytesPerThousand = 0
        var turnsPerThousand = 0
    }

    private func measure(_ encoder: HeaderEncoder) throws -> Cost {
        let certificates = try CertificateSet.make(hosts: ["127.0.0.1"])
        var server = SimulatorConfiguration()
        server.isFast = true
        server.opensWithOneStream = false
        let simulator = try Simulator(server, certificates: certificates)
        let port = try simulator.start()
        let path = "/tmp/sortie-test-ca-\(SecureRandom.uint64()).pem"
        try FileContents.write(path, certificates.caCertificatePEM, mode: 0o600)
        let tls = try TLSContext.client(trust: .file(path), protocols: ["h2"])
        try FileContents.remove(path)
        var configuration = try PushBench.configuration(port: port, tls: tls)
        configuration.headerEncoder = encoder
        configuration.maxInFlight = 100
        let ends = CostEnds()
        let client = try PushClient(configuration: configuration, delegate: ends)
        client.submit([PushBench.batch(1...Self.requests)])
        client.finish()
        client.join()
        let statistics = simulator.stop()
        #expect(statistics.requests == Int(Self.requests))
        #expect(ends.accepted.withLock { $0 } == Int(Self.requests))
        let bytes = statistics.connections.reduce(0) { $0 + $1.headerBlockBytes }
        return Cost(
            headerBytesPerThousand: bytes * 1000 / Int(Self.requests),
            turnsPerThousand: ends.turns.withLock { $0 } * 1000 / Int(Self.requests))
    }

    @Test func aThousandPushesHaveSoManyHeaderBytes() throws {
        let cost = try measure(.own)
        #expect(cost.headerBytesPerThousand <= 57_100)
    }

    /// The way around our own encoder stays usable, and is what ours is measured against.
    @Test func theLibrarysBlocksAreFourTimesAsLong() throws {
        let (own, library) = (try measure(.own), try measure(.nghttp2))
        #expect(library.headerBytesPerThousand > 3 * own.headerBytesPerThousand)
    }

    /// A turn is one wait, and at most a read and a write for each connection. There are never more
    /// of them than one for each request, however slow the server.
    @Test func aThousandPushesTakeNoMoreThanSoManyTurns() throws {
        let cost = try measure(.own)
        #expect(cost.turnsPerThousand <= 1_020)
    }
}

/// Counts what has ended and how many turns it took.
private final class CostEnds: PushLoopDelegate, Sendable {
    let accepted = Monitor(0)
    let turns = Monitor(0)
    var stopDrainNanoseconds: Int64? { nil }
    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd) {
        if end == .judged(.accepted) { accepted.withLock { $0 += 1 } }
    }
    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64) { turns.withLock { $0 += 1 } }
    func loopNoted(_ note: LoopNote) {}
    func loopMetReason(_ code: ReasonCode, text: String) {}
    func loopFailed(_ failure: LoopFailure) {}
}
