import HTTP2

/// A client and a server joined in memory, with what each of them was told.
final class Conversation {
    let clientEvents = ClientRecorder()
    let serverEvents = ServerRecorder()
    let client: HTTP2Client
    let server: HTTP2Server
    private var buffers: [UnsafeMutableRawBufferPointer] = []

    init(
        clientOptions: HTTP2ClientOptions = HTTP2ClientOptions(),
        serverOptions: HTTP2ServerOptions = HTTP2ServerOptions()
    ) throws {
        client = try HTTP2Client(options: clientOptions, handler: clientEvents)
        server = try HTTP2Server(options: serverOptions, handler: serverEvents)
        serverEvents.server = server
        client.setConstantFields(
            authority: "api.example.com",
            fields: [
                HTTP2Field("apns-topic", "com.example.shop"),
                HTTP2Field("authorization", "bearer abc", indexing: .never),
            ])
    }

    deinit { buffers.forEach { $0.deallocate() } }

    /// Exchanges prefaces and SETTINGS.
    static func open(
        clientOptions: HTTP2ClientOptions = HTTP2ClientOptions(),
        serverOptions: HTTP2ServerOptions = HTTP2ServerOptions()
    ) throws -> Conversation {
        let made = try Conversation(clientOptions: clientOptions, serverOptions: serverOptions)
        try made.pump()
        return made
    }

    /// Memory that stays valid as long as the conversation.
    func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1), alignment: 1)
        copy.copyBytes(from: bytes)
        buffers.append(copy)
        return UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    func submit(_ slot: Int, path: String = "/3/device/00", body: [UInt8] = [0x7B, 0x7D]) throws {
        try client.submit(path: keep(Array(path.utf8)), body: keep(body), slot: slot)
    }

    // MARK: - Moving bytes

    func takeFromClient() throws -> [UInt8] {
        try client.takeOutput(maximumBytes: 65_536) { Array($0) }
    }

    func takeFromServer() throws -> [UInt8] {
        try server.takeOutput(maximumBytes: 65_536) { Array($0) }
    }

    func feedClient(_ bytes: [UInt8], chunk: () -> Int = { Int.max }) throws {
        try feed(bytes, chunk, client)
    }

    func feedServer(_ bytes: [UInt8], chunk: () -> Int = { Int.max }) throws {
        try feed(bytes, chunk, server)
    }

    private func feed(_ bytes: [UInt8], _ chunk: () -> Int, _ session: some HTTP2Session) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(chunk()))
            rest = rest.dropFirst(part.count)
            try part.withUnsafeBytes { try session.receive($0) }
        }
    }

    /// Moves bytes both ways until neither side has any more.
    func pump(chunk: () -> Int = { Int.max }) throws {
        while true {
            let toServer = try takeFromClient()
            try feedServer(toServer, chunk: chunk)
            let toClient = try takeFromServer()
            try feedClient(toClient, chunk: chunk)
            if toServer.isEmpty && toClient.isEmpty { return }
        }
    }
}

/// Everything a client's handler was told.
final class ClientRecorder: HTTP2ClientHandler {
    struct Answer: Equatable {
        var status: Int?
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    var answers: [Int: Answer] = [:]
    var ends: [Int: [HTTP2StreamEnd]] = [:]
    var settings = 0
    var goAways: [(last: Int32, code: UInt32, text: String)] = []
    var pings = 0
    var onStatus: (Int) -> Void = { _ in }
    var onClosed: (HTTP2StreamEnd, Int) -> Void = { _, _ in }

    func http2Status(_ status: Int, slot: Int) {
        answers[slot] = Answer(status: status)
        onStatus(slot)
    }

    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {
        answers[slot]?.headers[text(name)] = text(value)
    }

    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        answers[slot]?.body += Array(bytes)
    }

    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) {
        ends[slot, default: []].append(end)
        onClosed(end, slot)
    }

    func http2Settings() { settings += 1 }

    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) {
        goAways.append((lastStreamID, errorCode, String(decoding: debugData, as: UTF8.self)))
    }

    func http2PingAcknowledged() { pings += 1 }
}

/// Everything a server's handler was told; answers as told to.
final class ServerRecorder: HTTP2ServerHandler {
    struct Request: Equatable {
        var streamID: Int32
        var fields: [String] = []
        var body: [UInt8] = []
    }

    weak var server: HTTP2Server?
    var open: [Int: Request] = [:]
    var complete: [Request] = []
    var closed: [UInt32?] = []
    var openMost = 0
    var pingsReceived = 0
    var pingsAcknowledged = 0
    var settings = 0
    var goAways: [UInt32] = []
    /// Called when a request's fields are complete.
    var onFields: (HTTP2Server, Int) -> Void = { _, _ in }
    /// Called when a request is complete; answers 200 unless replaced.
    var onEnded: (HTTP2Server, Int) -> Void = { $0.respond(slot: $1, status: 200) }

    func http2RequestStarted(slot: Int, streamID: Int32) {
        precondition(open[slot] == nil, "slot in use")
        open[slot] = Request(streamID: streamID)
        openMost = max(openMost, open.count)
    }

    func http2RequestField(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int
    ) {
        open[slot]?.fields.append("\(text(name))=\(text(value))")
    }

    func http2RequestFieldsEnded(slot: Int) {
        if let server { onFields(server, slot) }
    }

    func http2RequestBody(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        open[slot]?.body += Array(bytes)
    }

    func http2RequestEnded(slot: Int) {
        if let request = open[slot] { complete.append(request) }
        if let server { onEnded(server, slot) }
    }

    func http2StreamClosed(errorCode: UInt32?, slot: Int) {
        precondition(open.removeValue(forKey: slot) != nil, "closed twice")
        closed.append(errorCode)
    }

    func http2Settings() { settings += 1 }
    func http2PingReceived() { pingsReceived += 1 }
    func http2PingAcknowledged() { pingsAcknowledged += 1 }
    func http2GoAway(errorCode: UInt32) { goAways.append(errorCode) }
}

func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

/// Frames by hand, for peers that do what no library would.
enum RawFrame {
    static func bytes(
        type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let count = UInt32(payload.count)
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
            + bigEndian(stream) + payload
    }

    static func data(stream: UInt32, _ payload: [UInt8], end: Bool = false) -> [UInt8] {
        bytes(type: 0, flags: end ? 1 : 0, stream: stream, payload)
    }

    /// A complete header block of literals without indexing (RFC 7541, section 6.2.2).
    static func headers(
        stream: UInt32, _ fields: [(String, String)], end: Bool = false
    ) -> [UInt8] {
        let block: [UInt8] = fields.flatMap { field in
            [0] + string(field.0) + string(field.1)
        }
        return bytes(type: 1, flags: end ? 5 : 4, stream: stream, block)
    }

    static func reset(stream: UInt32, code: UInt32) -> [UInt8] {
        bytes(type: 3, stream: stream, bigEndian(code))
    }

    /// SETTINGS with one value (RFC 9113, section 6.5).
    static func settings(_ id: UInt8, _ value: UInt32) -> [UInt8] {
        bytes(type: 4, stream: 0, [0, id] + bigEndian(value))
    }

    static let emptySettings = bytes(type: 4, stream: 0)
    static let ping = bytes(type: 6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8])

    static func goAway(last: UInt32, code: UInt32, _ text: String = "") -> [UInt8] {
        bytes(type: 7, stream: 0, bigEndian(last) + bigEndian(code) + Array(text.utf8))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// Lengths up to 126 fit into the 7-bit prefix.
    private static func string(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count)] + Array(text.utf8)
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
