import Glibc
import HTTP2
import LinuxIO
import TLS
import Testing
import Wire

@Suite struct WireClientTests {
    @Test func fiveThousandRequestsAreEchoed() throws {
        let loop = try Loopback()
        let client = try loop.connected()
        var next = 100
        let body: (Int) -> [UInt8] = { slot in Array(repeating: UInt8(slot), count: 50 + slot) }
        client.onClosed = { [unowned client] slot in
            guard client.bodies[slot] == body(slot) else { return }
            client.bodies[slot] = []
            guard next < 5_000 else { return }
            next += 1
            try? client.submit(slot, body: body(slot))
        }
        for slot in 0..<100 { try client.submit(slot, body: body(slot)) }
        client.wire?.flush()
        try loop.run { client.ends.count == 5_000 }
        #expect(client.ends.allSatisfy { $0 == .ended })
        #expect(loop.connections.first?.requests == 5_000)

        client.wire?.close()
        #expect(client.closures.map(\.description) == ["closed by this side"])
        try loop.run { loop.connections.first?.closures.count == 1 }
        #expect(loop.listener?.openConnections == 0)
    }

    /// 20 MB each way at once: neither side's socket takes it all in one turn.
    @Test func largeBodiesWaitForTheSocketAndArrive() throws {
        var options = HTTP2ServerOptions()
        options.initialWindowBytes = 1_000_000
        let loop = try Loopback(options: options)
        let client = try loop.connected()
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for slot in 0..<100 { try client.submit(slot, body: body) }
        client.wire?.flush()
        try loop.run { client.ends.count == 100 }
        #expect((0..<100).allSatisfy { client.bodies[$0] == body })
    }

    /// matthewpowell/pushnotify#3, edamov/pushok#126: an authority that is not trusted, another
    /// name, an expired certificate.
    @Test(arguments: ["authority", "name", "expiry"])
    func aServerThatCannotProveItselfGetsNoRequest(fault: String) throws {
        let loop = try Loopback(
            hosts: [fault == "name" ? "other.example" : "127.0.0.1"],
            beginsDaysFromNow: fault == "expiry" ? -60 : -1)
        let client = try loop.connect(trust: fault == "authority" ? .system : nil)
        try client.submit(0)
        try loop.run { !client.closures.isEmpty }
        guard case .tls(let error) = client.closures.first, case .verification = error.kind else {
            Issue.record("closed with \(client.closures)")
            return
        }
        #expect(client.opened == 0)
        #expect(client.ends == [.notProcessed])
        #expect(loop.connections.allSatisfy { $0.requests == 0 })
        try loop.run { loop.connections.first?.closures.count == 1 }
    }

    /// apple/swift-nio-examples#12, jchambers/pushy#808: a peer that does not choose h2.
    @Test(
        arguments: [
            (["http/1.1"], .refuse), (["http/1.1"], .proceed), ([], .proceed),
        ] as [([String], TLSDisagreement)])
    func aServerWithoutHTTP2IsRefused(protocols: [String], disagreement: TLSDisagreement) throws {
        let loop = try Loopback(protocols: protocols, disagreement: disagreement)
        let client = try loop.connect()
        try loop.run { !client.closures.isEmpty }
        guard case .noHTTP2(nil) = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
        #expect(client.opened == 0)
    }

    @Test func anotherProtocolThatTheServerChoseIsNamed() throws {
        let loop = try Loopback(protocols: ["http/1.1"])
        let client = try loop.connect(protocols: ["h2", "http/1.1"])
        try loop.run { !client.closures.isEmpty }
        guard case .noHTTP2("http/1.1"?) = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
    }

    @Test func nobodyListeningIsASystemError() throws {
        let loop = try Loopback()
        let port = try #require(loop.listener?.port)
        loop.listener?.close()
        let client = try loop.connect(port: port)
        try client.submit(0)
        try loop.run { !client.closures.isEmpty }
        guard case .system(let error) = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
        #expect(error.code == ECONNREFUSED)
        #expect(client.ends == [.notProcessed])
    }

    /// chvanikoff/apns4ex#23: a port that takes connections and stays silent.
    @Test func aSilentPeerIsGivenUpByAbortOnly() throws {
        let loop = try Loopback()
        let silent = try ListeningSocket(host: "127.0.0.1", port: 0)
        let client = try loop.connect(port: silent.port)
        try client.submit(0)
        try loop.poller.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 50_000_000)
        #expect(client.closures.isEmpty)
        client.wire?.abort(.endOfFile)
        #expect(client.closures.map(\.description) == ["closed by the peer"])
        #expect(client.ends == [.notProcessed])
        client.wire?.abort()
        client.wire?.close()
        client.wire?.flush()
        #expect(client.closures.count == 1)
    }

    @Test func aPeerThatIsNotTLSIsATLSError() throws {
        let loop = try Loopback()
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
        let client = try loop.connect(port: listener.port)
        try loop.poller.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 1_000_000_000)
        guard let accepted = try listener.accept() else {
            Issue.record("nobody connected")
            return
        }
        let text = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        _ = text.withUnsafeBytes { StreamSocket.write(accepted.raw, from: $0) }
        try loop.run { !client.closures.isEmpty }
        guard case .tls = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
    }

    @Test(arguments: ["abort", "close", "submit"])
    func callbacksMayCallTheConnection(action: String) throws {
        let loop = try Loopback()
        let client = try loop.connected()
        client.onStatus = { [unowned client] slot in
            guard slot == 3 else { return }
            switch action {
            case "abort": client.wire?.abort()
            case "close": client.wire?.close()
            default:
                try? client.submit(50)
                client.wire?.flush()
            }
        }
        for slot in 0..<10 { try client.submit(slot) }
        client.wire?.flush()
        let expected = action == "submit" ? 11 : 10
        try loop.run { client.ends.count == expected }
        if action == "submit" {
            #expect(client.closures.isEmpty)
        } else {
            try loop.run { client.closures.count == 1 }
            #expect(client.statuses.count >= 4)
        }
        #expect(client.endsBySlot.count == expected)
    }

    @Test func socketsAreClosedHoweverAConnectionEnds() throws {
        let loop = try Loopback()
        let port = try #require(loop.listener?.port)
        #expect(try heldSockets(port: port) == 1)
        for round in 0..<60 {
            let client = round % 6 < 2 && round % 5 < 2 ? try loop.connect() : try loop.connected()
            try client.submit(0)
            client.wire?.flush()
            switch round % 6 {
            case 0: client.wire?.abort()
            case 1: client.wire?.close()
            case 2: loop.connections.last?.connection?.close()
            case 3: loop.connections.last?.connection?.abort()
            case 4: client.onClosed = { [unowned client] _ in client.wire?.close() }
            default: loop.connections.last?.onEnded = { side, _ in side.connection?.abort() }
            }
            try loop.run { client.closures.count == 1 }
        }
        try loop.run { loop.listener?.openConnections == 0 }
        #expect(try heldSockets(port: port) == 1)
        loop.listener?.close()
        #expect(try heldSockets(port: port) == 0)
    }
}
