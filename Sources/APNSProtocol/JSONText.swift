/// Writes strict JSON by appending to a byte buffer.
///
/// Only what RFC 8259, section 7, demands is escaped: the quotation mark, the backslash, and
/// control characters below U+0020. Everything else goes out as the UTF-8 it is; the caller
/// guarantees that it is UTF-8.
package enum JSONText {
    /// Appends a string with its quotes.
    ///
    /// - Parameters:
    ///   - content: The string's UTF-8.
    ///   - output: Where the JSON goes.
    @inlinable
    package static func appendString(_ content: Span<UInt8>, to output: inout [UInt8]) {
        output.append(0x22)
        appendEscaped(content, to: &output)
        output.append(0x22)
    }

    /// Appends a string with its quotes.
    ///
    /// - Parameters:
    ///   - content: The string.
    ///   - output: Where the JSON goes.
    package static func appendString(_ content: String, to output: inout [UInt8]) {
        appendString(content.utf8.span, to: &output)
    }

    /// Appends what stands between a string's quotes.
    ///
    /// - Parameters:
    ///   - content: UTF-8, a whole string or a piece cut between two characters.
    ///   - output: Where the JSON goes.
    @inlinable
    package static func appendEscaped(_ content: Span<UInt8>, to output: inout [UInt8]) {
        if needsEscape(content) {
            appendEscapedBytewise(content, to: &output)
        } else {
            appendVerbatim(content, to: &output)
        }
    }

    /// Appends bytes that are JSON already, such as a piece of a payload made before.
    ///
    /// - Parameters:
    ///   - json: The bytes.
    ///   - output: Where they go.
    @inlinable
    package static func appendVerbatim(_ json: Span<UInt8>, to output: inout [UInt8]) {
        let count = json.count
        output.append(addingCapacity: count) { (free: inout OutputSpan<UInt8>) in
            for index in 0..<count { free.append(json[index]) }
        }
    }

    /// Appends a whole number.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - output: Where the JSON goes.
    package static func appendNumber(_ number: Int64, to output: inout [UInt8]) {
        if number < 0 { output.append(0x2D) }
        var rest = number.magnitude
        let first = output.count
        repeat {
            output.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        output[first...].reverse()
    }

    /// Whether a piece of a string has anything to escape; most have not.
    ///
    /// - Parameter content: The piece.
    /// - Returns: Whether it has.
    @inlinable
    package static func needsEscape(_ content: Span<UInt8>) -> Bool {
        for index in 0..<content.count where mustEscape(content[index]) { return true }
        return false
    }

    /// Whether a byte cannot stand in a string as it is.
    ///
    /// - Parameter byte: The byte.
    /// - Returns: Whether it is a quotation mark, a backslash or a control character.
    @inlinable
    package static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    /// Appends a piece of a string that has something to escape. Not inlined, so that the path of
    /// the others stays small.
    ///
    /// - Parameters:
    ///   - content: The piece.
    ///   - output: Where the JSON goes.
    @inline(never)
    package static func appendEscapedBytewise(
        _ content: Span<UInt8>, to output: inout [UInt8]
    ) {
        for index in 0..<content.count {
            let byte = content[index]
            guard mustEscape(byte) else {
                output.append(byte)
                continue
            }
            output.append(0x5C)
            switch byte {
            case 0x22, 0x5C: output.append(byte)
            case 0x08: output.append(UInt8(ascii: "b"))
            case 0x09: output.append(UInt8(ascii: "t"))
            case 0x0A: output.append(UInt8(ascii: "n"))
            case 0x0C: output.append(UInt8(ascii: "f"))
            case 0x0D: output.append(UInt8(ascii: "r"))
            default:
                for digit in [0x75, 0x30, 0x30, 0x30 + (byte >> 4), hexDigit(byte & 0x0F)] {
                    output.append(digit)
                }
            }
        }
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x61 - 10 + nibble
    }
}
