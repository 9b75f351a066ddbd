/// Reading text out of bytes without making a `String`.
enum ASCII {
    /// Whether a range of bytes is this text.
    ///
    /// - Parameters:
    ///   - bytes: Where the range lies.
    ///   - range: The range to compare.
    ///   - text: The text; a literal, which costs no allocation.
    /// - Returns: Whether they are equal.
    static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        let wanted = text.utf8.span
        for (position, index) in range.enumerated() where bytes[index] != wanted[position] {
            return false
        }
        return true
    }

    /// Whether this text stands at a place.
    ///
    /// - Parameters:
    ///   - text: The text; a literal, which costs no allocation.
    ///   - bytes: Where to look.
    ///   - position: Where the text would begin.
    /// - Returns: Whether it stands there.
    static func has(_ text: String, in bytes: Span<UInt8>, at position: Int) -> Bool {
        let end = position + text.utf8.count
        return end <= bytes.count && isEqual(bytes, position..<end, text)
    }

    /// The value of a hexadecimal digit in either case, or nil.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
