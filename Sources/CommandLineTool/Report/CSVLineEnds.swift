/// Turns the line ends between CSV rows into CRLF, as RFC 4180 has them; PostgreSQL writes LF.
///
/// Line ends within quotes belong to a value and stay. A doubled quote within a value leaves and
/// enters the quotes at once, so counting quotes is enough.
struct CSVLineEnds {
    private var isQuoted = false

    /// Converts the next piece of a text that may be cut anywhere.
    mutating func converted(_ piece: RawSpan) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.byteCount + piece.byteCount / 32)
        for offset in 0..<piece.byteCount {
            // Sound: the offset is within the span, and any byte is a UInt8.
            let byte = unsafe piece.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { bytes.append(UInt8(ascii: "\r")) }
            bytes.append(byte)
        }
        return bytes
    }
}
