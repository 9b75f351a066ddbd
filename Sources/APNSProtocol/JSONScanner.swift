/// A forward reader of small JSON texts that finds the members of one object and skips the rest.
///
/// It is tolerant about what it skips (words and escapes are not checked), and strict about
/// structure. It holds a position only; the bytes are given with each call, because a span cannot
/// be stored.
struct JSONScanner {
    /// What a member's value is, as far as an answer needs.
    enum Kind { case string, word, nested }

    /// A value: a string without its quotes, a number or literal, or an object or array whole.
    struct Value {
        let kind: Kind
        let content: Range<Int>
    }

    private var position = 0

    /// Reads one object.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - member: Called with the range of each key of this object and its value.
    /// - Returns: Whether an object stands at the position, whole.
    mutating func object(
        in bytes: Span<UInt8>, member: (Range<Int>, Value) -> Void
    ) -> Bool {
        guard take(UInt8(ascii: "{"), in: bytes) else { return false }
        if take(UInt8(ascii: "}"), in: bytes) { return true }
        repeat {
            guard let key = string(in: bytes), take(UInt8(ascii: ":"), in: bytes),
                let value = value(in: bytes, depth: 1)
            else { return false }
            member(key, value)
        } while take(UInt8(ascii: ","), in: bytes)
        return take(UInt8(ascii: "}"), in: bytes)
    }

    /// Whether nothing but blanks is left.
    mutating func isAtEnd(of bytes: Span<UInt8>) -> Bool {
        skipBlanks(in: bytes)
        return position == bytes.count
    }

    private mutating func value(in bytes: Span<UInt8>, depth: Int) -> Value? {
        skipBlanks(in: bytes)
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return string(in: bytes).map { Value(kind: .string, content: $0) }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let start = position
            guard skipNested(in: bytes, depth: depth) else { return nil }
            return Value(kind: .nested, content: start..<position)
        default:
            return word(in: bytes).map { Value(kind: .word, content: $0) }
        }
    }

    /// Steps over an object or an array; `depth` counts the containers around it.
    private mutating func skipNested(in bytes: Span<UInt8>, depth: Int) -> Bool {
        guard depth < APNSLimits.answerDepthMax else { return false }
        let isObject = bytes[position] == UInt8(ascii: "{")
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        if take(end, in: bytes) { return true }
        repeat {
            if isObject {
                guard string(in: bytes) != nil, take(UInt8(ascii: ":"), in: bytes) else {
                    return false
                }
            }
            guard value(in: bytes, depth: depth + 1) != nil else { return false }
        } while take(UInt8(ascii: ","), in: bytes)
        return take(end, in: bytes)
    }

    private mutating func string(in bytes: Span<UInt8>) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), in: bytes) else { return nil }
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            // A backslash guards the byte after it.
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count else { return nil }
        defer { position = end + 1 }
        return position..<end
    }

    /// A number or a literal: letters, digits, sign and point.
    private mutating func word(in bytes: Span<UInt8>) -> Range<Int>? {
        let start = position
        while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
        return start < position ? start..<position : nil
    }

    private mutating func take(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
        skipBlanks(in: bytes)
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks(in bytes: Span<UInt8>) {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}
