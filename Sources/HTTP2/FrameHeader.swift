/// The nine bytes before every frame (RFC 9113, section 4.1), as far as a session looks at them.
struct FrameHeader {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case settings = 4
        case ping = 6
        case goAway = 7
        case continuation = 9
    }

    /// Nil for the kinds nobody here looks at.
    let type: Kind?
    private let rawType: UInt8
    let flags: UInt8
    let streamID: Int32
    /// The payload's length.
    let length: Int

    static let size = 9
    /// END_STREAM of DATA and HEADERS (RFC 9113, sections 6.1 and 6.2).
    static let endStream: UInt8 = 0x1
    /// END_HEADERS of HEADERS (RFC 9113, section 6.2).
    static let endHeaders: UInt8 = 0x4
    /// ACK of SETTINGS and PING (RFC 9113, sections 6.5 and 6.7).
    static let acknowledgement: UInt8 = 0x1

    /// Reads the header at the start of `frame`; nil if there are not enough bytes.
    ///
    /// A client's first output is the connection preface, 24 bytes of text, not a frame; the byte
    /// in the place of the type is a blank there, which is no type.
    init?(_ frame: UnsafeRawBufferPointer) {
        guard frame.count >= Self.size else { return nil }
        // Sound: nine bytes are there.
        rawType = unsafe frame[3]
        type = Kind(rawValue: rawType)
        flags = unsafe frame[4]
        let word = unsafe frame.loadUnaligned(fromByteOffset: 5, as: UInt32.self).bigEndian
        streamID = Int32(bitPattern: word & 0x7FFF_FFFF)
        length = unsafe Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    }

    /// Writes the nine bytes, with another length.
    func write(into frame: inout MutableSpan<UInt8>, length: Int) {
        for index in 0..<3 { frame[index] = UInt8(truncatingIfNeeded: length >> (16 - 8 * index)) }
        frame[3] = rawType
        frame[4] = flags
        for index in 0..<4 {
            frame[5 + index] = UInt8(truncatingIfNeeded: streamID >> (24 - 8 * index))
        }
    }
}
