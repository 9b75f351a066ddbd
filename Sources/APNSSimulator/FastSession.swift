// HTTP/2 as a server that wants to know nothing: it counts requests and answers each with a bare
// 200. Header fields are not decoded: nothing depends on them, and a decoder that never looks can't
// fall out of step. So a request costs its nine-byte frame headers, and what a benchmark measures
// beside it is the sender. Where a share of the tokens is dead, the path alone is read, and those
// are answered as APNs does: 410 with reason and timestamp.
//
// Bytes come in pieces that may be cut anywhere. Between pieces these are kept: what has come of a
// frame's header, how much of its payload is still to come, and the payloads that are looked at: a
// PING's, which is sent back, a WINDOW_UPDATE's, and a HEADERS frame's if paths are read.

internal import APNSProtocol
internal import HeaderCompression

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
        case window = 8
        case continuation = 9
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headerBytes = 9
    private static let frameBytesMax = 16_384
    /// The protocol's own start value (RFC 9113, section 6.9.2); half of it is given back at once.
    private static let windowBytes = 65_535
    private static let acknowledgement: UInt8 = 0x1
    private static let endStream: UInt8 = 0x1
    private static let endHeaders: UInt8 = 0x4
    private static let padded: UInt8 = 0x8
    private static let priority: UInt8 = 0x20
    private static let pathPrefix = Array("/3/device/".utf8)

    private(set) var requests = 0
    /// Of those, answered with 410.
    private(set) var gone = 0
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
    /// Tells the dead from the living; nil: nobody looks.
    private let fates: TokenFates?
    private let reader = RequestPathReader()
    private var path: [UInt8] = []
    /// Open streams whose token is dead, with the time of death in milliseconds since 1970.
    private var dead: [UInt32: Int64] = [:]
    /// How many bytes of bodies the client takes.
    private var windowLeft = Self.windowBytes

    /// Begins with SETTINGS.
    ///
    /// - Parameters:
    ///   - streamsMax: What the client may have open at once.
    ///   - fates: Tells which tokens are dead; other fates are not known here.
    init(streamsMax: UInt32, fates: TokenFates? = nil) {
        self.fates = fates
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
        if kind == .ping || kind == .window || (kind == .headers && fates != nil) {
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
        if kind == .headers, let fates { judge(fates) }
        switch kind {
        case .data:
            giveWindowBack()
            if flags & Self.endStream != 0 { answer() }
        case .headers where flags & Self.endStream != 0: answer()
        case .reset:
            streamsOpen -= 1
            streamsAbandoned += 1
            dead[streamID] = nil
        case .settings where flags & Self.acknowledgement == 0:
            append(frame: 4, flags: Self.acknowledgement, stream: 0, payloadBytes: 0)
        case .ping:
            if flags & Self.acknowledgement == 0 {
                append(
                    frame: 6, flags: Self.acknowledgement, stream: 0, payloadBytes: payload.count)
                output += payload
            }
        case .window:
            if streamID == 0, payload.count == 4 {
                windowLeft += payload.reduce(0) { $0 << 8 | Int($1) }
            }
        case .goAway: throw .goAway
        default: break
        }
        if !payload.isEmpty { payload.removeAll(keepingCapacity: true) }
    }

    /// Remembers the stream if its token is dead. Whose path can't be read, lives.
    private mutating func judge(_ fates: TokenFates) {
        var first = 0
        var last = payload.count
        if flags & Self.padded != 0, let padding = payload.first {
            first = 1
            last -= Int(padding)
        }
        if flags & Self.priority != 0 { first += 5 }
        guard first < last else { return }
        // Taken out meanwhile: a look into it and a change of self exclude each other.
        var path = self.path
        self.path = []
        defer { self.path = path }
        reader.read(payload.span.extracting(first..<last), into: &path)
        guard path.starts(with: Self.pathPrefix) else { return }
        let hash = TokenHash.value(
            of: path.span.extracting(droppingFirst: Self.pathPrefix.count), seed: fates.seed)
        if case .dead(let timestamp) = fates.fate(ofHash: hash) { dead[streamID] = timestamp }
    }

    /// `:status: 200` is the eighth entry of HPACK's static table (RFC 7541, appendix A), so the
    /// whole answer is one byte, in a frame with END_STREAM and END_HEADERS.
    private mutating func answer() {
        requests += 1
        streamsOpen -= 1
        if !dead.isEmpty, let timestamp = dead.removeValue(forKey: streamID) {
            return answerGone(timestamp)
        }
        append(frame: 1, flags: 0x5, stream: streamID, payloadBytes: 1)
        output.append(0x88)
    }

    /// `:status` with a value of its own is a literal with the name of that same entry. Without
    /// room in the client's window the body is left out.
    private mutating func answerGone(_ timestampMilliseconds: Int64) {
        gone += 1
        var body = Array("{\"reason\":\"Unregistered\",\"timestamp\":".utf8)
        JSONText.appendNumber(timestampMilliseconds, to: &body)
        body.append(UInt8(ascii: "}"))
        let hasBody = body.count <= windowLeft
        append(
            frame: 1, flags: Self.endHeaders | (hasBody ? 0 : Self.endStream), stream: streamID,
            payloadBytes: 5)
        output += [0x08, 0x03, UInt8(ascii: "4"), UInt8(ascii: "1"), UInt8(ascii: "0")]
        guard hasBody else { return }
        windowLeft -= body.count
        append(frame: 0, flags: Self.endStream, stream: streamID, payloadBytes: body.count)
        output += body
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
