// HTTP/2 as a server that wants to know nothing: it counts requests and answers each with a bare
// 200. Header fields are not decoded: nothing depends on them, and a decoder that never looks can't
// fall out of step. So a request costs its nine-byte frame headers, and what a benchmark measures
// beside it is the sender.
//
// Bytes come in pieces that may be cut anywhere. Between pieces these are kept: what has come of a
// frame's header, how much of its payload is still to come, and the payload of a PING, which is
// sent back.

/// The server's side of one connection of the fast mode; pure.
///
/// It keeps the client to nothing but the frame size. A client's mistakes are not told from what it
/// may do.
struct FastSession {
    /// Why a connection can't go on.
    enum Failure: Error {
        /// It does not begin as HTTP/2 does.
        case noPreface
        /// A frame is longer than 16,384 bytes, the size that this side keeps to.
        case frameTooLong
        /// The client said goodbye.
        case goAway
    }

    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case continuation = 9
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headerBytes = 9
    private static let frameBytesMax = 16_384
    /// The protocol's own start value (RFC 9113, section 6.9.2); half of it is given back at once.
    private static let windowBytes = 65_535
    private static let acknowledgement: UInt8 = 0x1
    private static let endStream: UInt8 = 0x1

    private(set) var requests = 0
    private(set) var headerBlockBytes = 0
    private(set) var bodyBytes = 0
    private(set) var streamsOpen = 0
    private(set) var streamsOpenMax = 0
    private(set) var streamsAbandoned = 0
    /// What is to be sent; whoever sends it empties it.
    var output: [UInt8] = []

    private var prefaceMissing = Self.preface.count
    private var header: [UInt8] = []
    private var payloadMissing = 0
    private var kind: Kind?
    private var flags: UInt8 = 0
    private var streamID: UInt32 = 0
    private var payload: [UInt8] = []
    private var windowUsed = 0
    private var payloadBytes = 0

    /// Begins with SETTINGS.
    ///
    /// - Parameter streamsMax: What the client may have open at once.
    init(streamsMax: UInt32) {
        header.reserveCapacity(Self.headerBytes)
        // SETTINGS_MAX_CONCURRENT_STREAMS is 3 (RFC 9113, section 6.5.2).
        append(frame: 4, flags: 0, stream: 0, payloadBytes: 6)
        output += [0, 3]
        append(word: streamsMax)
    }

    /// Takes what the client sent.
    ///
    /// - Parameter bytes: Any number; frames may be cut anywhere.
    /// - Throws: Why it is over.
    mutating func receive(_ bytes: Span<UInt8>) throws(Failure) {
        var position = try takePreface(bytes)
        while position < bytes.count {
            if payloadMissing == 0 {
                position = try takeHeader(bytes, from: position)
            } else {
                position = takePayload(bytes, from: position)
            }
            if payloadMissing == 0, header.count == Self.headerBytes { try endFrame() }
        }
    }

    private mutating func takePreface(_ bytes: Span<UInt8>) throws(Failure) -> Int {
        var position = 0
        while prefaceMissing > 0, position < bytes.count {
            guard bytes[position] == Self.preface[Self.preface.count - prefaceMissing] else {
                throw .noPreface
            }
            prefaceMissing -= 1
            position += 1
        }
        return position
    }

    private mutating func takeHeader(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(Failure) -> Int {
        var position = start
        while header.count < Self.headerBytes, position < bytes.count {
            header.append(bytes[position])
            position += 1
        }
        guard header.count == Self.headerBytes else { return position }
        payloadMissing = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        guard payloadMissing <= Self.frameBytesMax else { throw .frameTooLong }
        payloadBytes = payloadMissing
        kind = Kind(rawValue: header[3])
        flags = header[4]
        streamID =
            (UInt32(header[5]) << 24 | UInt32(header[6]) << 16 | UInt32(header[7]) << 8
                | UInt32(header[8])) & 0x7FFF_FFFF
        beginFrame()
        return position
    }

    private mutating func takePayload(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let count = min(payloadMissing, bytes.count - start)
        if kind == .ping {
            for index in start..<(start + count) { payload.append(bytes[index]) }
        }
        payloadMissing -= count
        return start + count
    }

    private mutating func beginFrame() {
        switch kind {
        case .headers:
            headerBlockBytes += payloadBytes
            streamsOpen += 1
            if streamsOpen > streamsOpenMax { streamsOpenMax = streamsOpen }
        case .continuation: headerBlockBytes += payloadBytes
        case .data:
            bodyBytes += payloadBytes
            windowUsed += payloadBytes
        default: break
        }
    }

    private mutating func endFrame() throws(Failure) {
        header.removeAll(keepingCapacity: true)
        switch kind {
        case .data:
            giveWindowBack()
            if flags & Self.endStream != 0 { answer() }
        case .headers where flags & Self.endStream != 0: answer()
        case .reset:
            streamsOpen -= 1
            streamsAbandoned += 1
        case .settings where flags & Self.acknowledgement == 0:
            append(frame: 4, flags: Self.acknowledgement, stream: 0, payloadBytes: 0)
        case .ping:
            if flags & Self.acknowledgement == 0 {
                append(
                    frame: 6, flags: Self.acknowledgement, stream: 0, payloadBytes: payload.count)
                output += payload
            }
            payload.removeAll(keepingCapacity: true)
        case .goAway: throw .goAway
        default: break
        }
    }

    /// `:status: 200` is the eighth entry of HPACK's static table (RFC 7541, appendix A), so the
    /// whole answer is one byte, in a frame with END_STREAM and END_HEADERS.
    private mutating func answer() {
        requests += 1
        streamsOpen -= 1
        append(frame: 1, flags: 0x5, stream: streamID, payloadBytes: 1)
        output.append(0x88)
    }

    /// A request that does not end with this frame gets its own window back too: its body may be
    /// longer than that.
    private mutating func giveWindowBack() {
        if flags & Self.endStream == 0 { appendWindow(streamID, payloadBytes) }
        guard windowUsed > Self.windowBytes / 2 else { return }
        appendWindow(0, windowUsed)
        windowUsed = 0
    }

    private mutating func appendWindow(_ stream: UInt32, _ bytes: Int) {
        guard bytes > 0 else { return }
        append(frame: 8, flags: 0, stream: stream, payloadBytes: 4)
        append(word: UInt32(bytes))
    }

    private mutating func append(frame: UInt8, flags: UInt8, stream: UInt32, payloadBytes: Int) {
        append(word: UInt32(payloadBytes) << 8 | UInt32(frame))
        output.append(flags)
        append(word: stream)
    }

    private mutating func append(word: UInt32) {
        output.append(UInt8(truncatingIfNeeded: word >> 24))
        output.append(UInt8(truncatingIfNeeded: word >> 16))
        output.append(UInt8(truncatingIfNeeded: word >> 8))
        output.append(UInt8(truncatingIfNeeded: word))
    }
}
