import Glibc
import HTTP2
import LinuxIO
import TLS
import Testing
import Wire

/// One loop with a listener on a free port of 127.0.0.1, certificates made for it, and clients.
final class Loopback {
    let poller: Poller
    let certificates: CertificateSet
    let directory: String
    private(set) var listener: WireListener?
    private(set) var connections: [ServerSide] = []
    var clients: [ClientSide] = []
    /// Set on every connection as it is accepted.
    var prepare: (ServerSide) -> Void = { _ in }

    init(
        hosts: [String] = ["127.0.0.1"], protocols: [String] = ["h2"],
        disagreement: TLSDisagreement = .refuse, beginsDaysFromNow: Int = -1,
        options: HTTP2ServerOptions = HTTP2ServerOptions()
    ) throws {
        poller = try Poller()
        certificates = try CertificateSet.make(
            hosts: hosts, beginsDaysFromNow: beginsDaysFromNow)
        directory = "/tmp/wire-tests-\(SecureRandom.uint64())"
        try FileContents.makeDirectory(directory, mode: 0o700)
        try FileContents.write(
            directory + "/ca.pem", certificates.caCertificatePEM, mode: 0o600)
        let context = try TLSContext.server(
            certificatePEM: certificates.serverCertificatePEM,
            privateKeyPEM: certificates.serverKeyPEM, protocols: protocols,
            disagreement: disagreement)
        listener = try WireListener(
            poller: poller, host: "127.0.0.1", port: 0, context: context, options: options
        ) { [unowned self] in
            let side = ServerSide()
            connections.append(side)
            prepare(side)
            return side
        }
    }

    deinit {
        listener?.close()
        connections.forEach { $0.connection?.abort() }
        clients.forEach { $0.wire?.abort() }
        unlink(directory + "/ca.pem")
        rmdir(directory)
    }

    func connect(
        trust: TLSTrust? = nil, serverName: String = "127.0.0.1", protocols: [String] = ["h2"],
        port: UInt16? = nil, through tunnel: WireTunnel? = nil
    ) throws -> ClientSide {
        let side = ClientSide()
        clients.append(side)
        let address = try #require(
            try SocketAddress.resolve(host: "127.0.0.1", port: port ?? listener?.port ?? 0).first)
        let wire = try WireClient(
            poller: poller, address: address, through: tunnel,
            context: try .client(
                trust: trust ?? .file(directory + "/ca.pem"), protocols: protocols),
            serverName: serverName, options: HTTP2ClientOptions(), handler: side)
        wire.http2.setConstantFields(
            authority: "127.0.0.1", fields: [HTTP2Field("apns-topic", "com.example.shop")])
        side.wire = wire
        return side
    }

    /// A client whose SETTINGS have arrived.
    func connected() throws -> ClientSide {
        let side = try connect()
        try run { side.wire?.http2.settingsReceived == true }
        return side
    }

    /// Turns the loop until something holds; fails after ten seconds.
    func run(
        sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
    ) throws {
        let deadline = MonotonicClock.nanoseconds() + 10_000_000_000
        while !condition() {
            guard MonotonicClock.nanoseconds() < deadline else {
                Issue.record("not reached within ten seconds", sourceLocation: sourceLocation)
                return
            }
            try poller.wait(untilNanoseconds: deadline)
        }
    }
}

/// A client's handler that keeps its requests' memory and counts.
final class ClientSide: WireClientHandler {
    var wire: WireClient?
    var opened = 0
    var closures: [WireClosure] = []
    var statuses: [Int: Int] = [:]
    var bodies: [Int: [UInt8]] = [:]
    var ends: [HTTP2StreamEnd] = []
    var endsBySlot: [Int: HTTP2StreamEnd] = [:]
    var goAways = 0
    var onClosed: (Int) -> Void = { _ in }
    var onStatus: (Int) -> Void = { _ in }
    private var memory: [UnsafeMutableRawBufferPointer] = []

    deinit { memory.forEach { $0.deallocate() } }

    func submit(_ slot: Int, body: [UInt8] = [0x7B, 0x7D]) throws {
        try wire?.http2.submit(
            path: keep(Array("/3/device/\(slot)".utf8)), body: keep(body), slot: slot)
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        memory.append(copy)
        return UnsafeRawBufferPointer(copy)
    }

    func wireOpened() { opened += 1 }
    func wireClosed(_ closure: WireClosure) { closures.append(closure) }
    func http2Status(_ status: Int, slot: Int) {
        statuses[slot] = status
        onStatus(slot)
    }
    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {}
    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        bodies[slot, default: []] += Array(bytes)
    }
    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) {
        precondition(closures.isEmpty, "a request ended after the connection")
        ends.append(end)
        endsBySlot[slot] = end
        onClosed(slot)
    }
    func http2Settings() {}
    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) { goAways += 1 }
    func http2PingAcknowledged() {}
}

/// A server's handler that answers with the request's body, unless told otherwise.
final class ServerSide: WireServerHandler {
    weak var connection: WireServerConnection?
    var opened = 0
    var closures: [WireClosure] = []
    var requests = 0
    var openStreams: Set<Int> = []
    var bodies: [Int: [UInt8]] = [:]
    var onEnded: (ServerSide, Int) -> Void = { side, slot in
        side.connection?.http2.respond(slot: slot, status: 200, body: side.bodies[slot] ?? [])
    }

    func wireAccepted(_ connection: WireServerConnection) { self.connection = connection }
    func wireOpened() { opened += 1 }
    func wireClosed(_ closure: WireClosure) {
        precondition(openStreams.isEmpty, "a stream is open after the connection")
        closures.append(closure)
    }
    func http2RequestStarted(slot: Int, streamID: Int32) {
        openStreams.insert(slot)
        bodies[slot] = []
    }
    func http2RequestField(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int
    ) {}
    func http2RequestFieldsEnded(slot: Int) {}
    func http2RequestBody(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        bodies[slot, default: []] += Array(bytes)
    }
    func http2RequestEnded(slot: Int) {
        requests += 1
        onEnded(self, slot)
    }
    func http2StreamClosed(errorCode: UInt32?, slot: Int) { openStreams.remove(slot) }
    func http2Settings() {}
    func http2PingReceived() {}
    func http2PingAcknowledged() {}
    func http2GoAway(errorCode: UInt32) {}
}

/// The sockets that some descriptor still holds and that have this port at either end; others that
/// the kernel is winding up have no inode any more.
func heldSockets(port: UInt16) throws -> Int {
    let table = try FileContents.read("/proc/self/net/tcp", limitBytes: 16 << 20)
    let hex = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - hex.count) + hex
    return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().count { line in
        let columns = line.split(separator: " ")
        return (columns[1].hasSuffix(suffix) || columns[2].hasSuffix(suffix)) && columns[9] != "0"
    }
}

/// A small generator with a seed that a failing test can print (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
