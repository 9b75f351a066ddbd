import APNSProtocol
import APNSSimulator
import HTTP2
import LinuxIO
import TLS
import Wire

/// A simple client of one simulator on one connection, driven by the test's own thread.
final class TestSender: WireClientHandler {
    struct Answer: Equatable {
        var status: Int?
        var fields: [String: String] = [:]
        var body = ""
        var end: HTTP2StreamEnd?
    }

    enum Failure: Error { case deadline, closed }

    static let deadlineNanoseconds: Int64 = 60_000_000_000

    private let poller: Poller
    private var wire: WireClient?
    /// Paths and bodies: a request that has not ended still needs them.
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    private(set) var answers: [Answer] = []
    private(set) var isOpen = false
    private(set) var closure: WireClosure?
    private(set) var streamLimits: [UInt32] = []
    private(set) var goAways: [Int32] = []
    /// The slots of ended requests in the order they ended.
    private(set) var order: [Int] = []

    init(port: UInt16, authorityFile: String) throws {
        poller = try Poller()
        let context = try TLSContext.client(trust: .file(authorityFile), protocols: ["h2"])
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
        wire = try WireClient(
            poller: poller, address: address, context: context, serverName: "127.0.0.1",
            options: HTTP2ClientOptions(), handler: self)
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    /// Ends the connection; before the last reference goes, as callbacks follow.
    func end() { wire?.abort() }

    /// The fields of an alert with a token.
    static func fields(
        authorization: [UInt8]? = nil, topic: String = RequestFixture.topic
    ) -> [HTTP2Field] {
        var fields = [
            HTTP2Field("apns-topic", topic), HTTP2Field("apns-push-type", "alert"),
            HTTP2Field("apns-priority", "10"),
        ]
        if let authorization {
            fields.append(
                HTTP2Field(name: "authorization", value: authorization, indexing: .never))
        }
        return fields
    }

    /// Sends requests as the stream limit allows and waits until each has ended, or so many.
    @discardableResult
    func send(
        tokens: [String], fields: [HTTP2Field] = fields(), body: String = RequestFixture.alert,
        endsAfter: Int? = nil
    ) throws -> [Answer] {
        let body = Self.copy(body)
        let paths = tokens.map { Self.copy("/3/device/\($0)") }
        buffers += paths + [body]
        answers = Array(repeating: Answer(), count: tokens.count)
        order = []
        guard let wire else { throw Failure.closed }
        wire.http2.setConstantFields(authority: "localhost", fields: fields)
        var next = 0
        try wait { [self] in
            while next < paths.count, wire.http2.settingsReceived, wire.http2.acceptsRequests,
                wire.http2.openStreams < Int(wire.http2.peerMaxConcurrentStreams)
            {
                try wire.http2.submit(
                    path: UnsafeRawBufferPointer(paths[next]), body: UnsafeRawBufferPointer(body),
                    slot: next)
                next += 1
            }
            wire.flush()
            return order.count >= endsAfter ?? tokens.count || closure != nil
        }
        return answers
    }

    /// Turns the loop until a condition holds.
    func wait(until condition: () throws -> Bool) throws {
        let deadline = MonotonicClock.nanoseconds() + Self.deadlineNanoseconds
        while try !condition() {
            guard MonotonicClock.nanoseconds() < deadline else { throw Failure.deadline }
            try poller.wait(untilNanoseconds: deadline)
        }
    }

    private static func copy(_ text: String) -> UnsafeMutableRawBufferPointer {
        let bytes = Array(text.utf8)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
        return buffer
    }

    func http2Status(_ status: Int, slot: Int) { answers[slot].status = status }

    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {
        answers[slot].fields[String(decoding: name, as: UTF8.self)] =
            String(decoding: value, as: UTF8.self)
    }

    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        answers[slot].body += String(decoding: bytes, as: UTF8.self)
    }

    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) {
        answers[slot].end = end
        order.append(slot)
    }

    func http2Settings() {
        if let limit = wire?.http2.peerMaxConcurrentStreams { streamLimits.append(limit) }
    }

    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) {
        goAways.append(lastStreamID)
    }

    func http2PingAcknowledged() {}

    func wireOpened() { isOpen = true }

    func wireClosed(_ closure: WireClosure) { self.closure = closure }
}
