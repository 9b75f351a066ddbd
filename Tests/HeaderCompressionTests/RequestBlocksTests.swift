import HTTP2
import HeaderCompression
import Testing

/// A client whose frames are read one by one by a peer that decodes header blocks as nghttp2 does.
private final class BlockPeer: HTTP2ClientHandler {
    struct Request: Equatable {
        var path: String
        var authorization: String
    }

    private(set) var client: HTTP2Client?
    /// By slot.
    private(set) var open: [Int: Request] = [:]
    private(set) var streams: [Int32] = []
    private(set) var seen: [[Inflater.Field]] = []
    private(set) var headerFrameBytes: [Int] = []
    private var submitted: [Request] = []
    private let inflater = Inflater()
    private var unacknowledged: [[Int]] = []
    private var token = ""
    private var memory: [UnsafeMutableRawBufferPointer] = []
    private var isPrefaceRead = false

    init(_ encoder: HTTP2HeaderEncoder = .own) throws {
        var options = HTTP2ClientOptions()
        options.headerEncoder = encoder
        client = try HTTP2Client(options: options, handler: self)
        use(token: "bearer first")
    }

    deinit { memory.forEach { $0.deallocate() } }

    func use(token: String) {
        self.token = token
        client?.setConstantFields(
            authority: "api.push.apple.com",
            fields: [HTTP2Field("apns-topic", "com.example"), HTTP2Field("authorization", token)])
    }

    func submit(slot: Int, path: String) throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: path.utf8.count, alignment: 1)
        bytes.copyBytes(from: path.utf8)
        memory.append(bytes)
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<(slot % 2)])
        try client?.submit(path: UnsafeRawBufferPointer(bytes), body: body, slot: slot)
        open[slot] = Request(path: path, authorization: token)
    }

    // MARK: - Frames

    func feed(type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) throws {
        let count = payload.count
        var frame = [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + [type, flags]
        frame += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
        try (frame + payload).withUnsafeBytes { try client?.receive($0) }
    }

    /// SETTINGS with these table sizes, and 100 streams.
    func feedSettings(tableSizes: [Int]) throws {
        var payload: [UInt8] = [0, 3, 0, 0, 0, 100]
        for size in tableSizes {
            payload += [0, 1] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        }
        unacknowledged.append(tableSizes)
        try feed(type: 4, payload)
    }

    /// Reads everything the client has to send.
    func read() throws {
        var bytes = try #require(try client?.takeOutput(maximumBytes: 1 << 20) { Array($0) })
        if !isPrefaceRead, bytes.count >= 24 {
            isPrefaceRead = true
            bytes.removeFirst(24)
        }
        while !bytes.isEmpty {
            let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            let frame = Array(bytes.prefix(9 + length))
            bytes.removeFirst(9 + length)
            try read(frame)
        }
    }

    private func read(_ frame: [UInt8]) throws {
        switch frame[3] {
        case 1:
            // END_HEADERS, and nothing but END_STREAM beside it.
            #expect(frame[4] & ~1 == 4)
            headerFrameBytes.append(frame.count - 9)
            seen.append(try inflater.decode(Array(frame[9...])))
            streams.append(frame[5...8].reduce(0) { $0 << 8 | Int32($1) })
        case 4 where frame[4] == 1:
            guard !unacknowledged.isEmpty else { break }
            for size in unacknowledged.removeFirst() { inflater.limitTable(toBytes: size) }
        default: #expect(frame[3] != 9)
        }
    }

    // MARK: - What the client tells

    func http2Status(_ status: Int, slot: Int) {}
    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {}
    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {}
    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) { open[slot] = nil }
    func http2Settings() {}
    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) {}
    func http2PingAcknowledged() {}
}

/// Header blocks of our own in the frames of nghttp2.
@Suite struct RequestBlocksTests {
    private static let path = "/3/device/" + String(repeating: "0a1b2c3d", count: 8)

    private func texts(_ fields: [Inflater.Field]) -> [String: String] {
        var texts: [String: String] = [:]
        for field in fields {
            texts[String(decoding: field.name, as: UTF8.self)] =
                String(decoding: field.value, as: UTF8.self)
        }
        return texts
    }

    @Test(arguments: [HTTP2HeaderEncoder.own, .nghttp2])
    func bothEncodersSendTheSameFields(_ encoder: HTTP2HeaderEncoder) throws {
        let peer = try BlockPeer(encoder)
        try peer.feedSettings(tableSizes: [])
        for slot in 0..<4 { try peer.submit(slot: slot, path: Self.path) }
        try peer.read()
        #expect(peer.seen.count == 4)
        for fields in peer.seen {
            #expect(
                fields.map { String(decoding: $0.name, as: UTF8.self) } == [
                    ":method", ":scheme", ":authority", ":path", "apns-topic", "authorization",
                ])
            #expect(texts(fields)[":path"] == Self.path)
            #expect(texts(fields)["authorization"] == "bearer first")
        }
    }

    @Test func requestsSubmittedEarlierKeepTheirFields() throws {
        let peer = try BlockPeer()
        try peer.feedSettings(tableSizes: [])
        try peer.submit(slot: 0, path: "/a")
        peer.use(token: "bearer second")
        try peer.submit(slot: 1, path: "/b")
        peer.use(token: "bearer third")
        try peer.submit(slot: 2, path: "/c")
        try peer.read()
        #expect(
            peer.seen.map { texts($0)["authorization"] } == [
                "bearer first", "bearer second", "bearer third",
            ])
    }

    /// A peer that wants no table gets none, from the first block on.
    @Test func theFirstSettingsMayForbidATable() throws {
        let peer = try BlockPeer()
        try peer.feedSettings(tableSizes: [0])
        for slot in 0..<3 { try peer.submit(slot: slot, path: Self.path) }
        try peer.read()
        #expect(peer.seen.allSatisfy { texts($0)[":path"] == Self.path })
    }

    /// A path so long that the block would need a second frame is refused, and nothing is sent.
    @Test func aBlockThatNeedsASecondFrameIsRefused() throws {
        let peer = try BlockPeer()
        try peer.feedSettings(tableSizes: [])
        #expect(throws: HTTP2Error.self) {
            try peer.submit(slot: 0, path: String(repeating: "/", count: 16_384))
        }
        #expect(peer.client?.openStreams == 0)
        // The code of "X" is longer than "X": the largest block there can be.
        try peer.submit(slot: 0, path: String(repeating: "X", count: 16_000))
        try peer.read()
        #expect(peer.headerFrameBytes.count == 1)
        #expect(peer.headerFrameBytes.allSatisfy { $0 <= 16_384 })
    }

    /// Requests, renewals, withdrawals, ends and changed tables in any order.
    @Test(arguments: (1...60).map { UInt64($0) * 32_452_843 })
    func thePeerSeesEachRequestAsItWasSubmitted(_ seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let peer = try BlockPeer()
        try peer.feedSettings(tableSizes: [])
        var expected: [BlockPeer.Request] = []
        for step in 0..<400 {
            switch Int.random(in: 0..<30, using: &generator) {
            case 0: peer.use(token: "bearer \(step) \(String(repeating: "t", count: step % 90))")
            case 1:
                let sizes = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    [0, 100, 300, 4096, 70_000].randomElement(using: &generator) ?? 0
                }
                try peer.feedSettings(tableSizes: sizes)
            case 2: peer.client?.ping()
            case 3: peer.client?.cancel(slot: Int.random(in: 0..<40, using: &generator))
            case 4..<10:
                // The peer refuses some of its streams, so that slots are used again.
                guard let stream = peer.streams.randomElement(using: &generator) else { break }
                try peer.feed(type: 3, stream: stream, [0, 0, 0, 7])
            case 10..<14:
                let before = peer.seen.count
                let waiting = peer.open.values
                try peer.read()
                let fresh = peer.seen[before...].map(texts)
                expected = expected.filter { waiting.contains($0) }
                #expect(fresh.count <= expected.count, "seed \(seed)")
                for fields in fresh {
                    let request = BlockPeer.Request(
                        path: fields[":path"] ?? "",
                        authorization: fields["authorization"] ?? "")
                    #expect(expected.contains(request), "seed \(seed)")
                }
                expected = []
            default:
                let slot = Int.random(in: 0..<40, using: &generator)
                guard peer.open[slot] == nil else { break }
                try peer.submit(slot: slot, path: "/3/device/\(step)")
                if let request = peer.open[slot] { expected.append(request) }
            }
        }
        #expect(peer.seen.count > 20, "seed \(seed)")
    }
}
