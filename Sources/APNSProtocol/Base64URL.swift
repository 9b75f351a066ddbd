/// Base64 with the alphabet that is safe in URLs, without padding.
///
/// *Source:* RFC 4648, section 5; RFC 7515, section 2.
package enum Base64URL {
    private static let alphabet = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Appends the encoded form of bytes.
    ///
    /// - Parameters:
    ///   - bytes: What to encode.
    ///   - output: Where the text goes.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        var group: UInt32 = 0
        var bits = 0
        for byte in bytes {
            group = (group << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(alphabet[Int(group >> UInt32(bits)) & 0x3F])
            }
        }
        if bits > 0 { output.append(alphabet[Int(group << UInt32(6 - bits)) & 0x3F]) }
    }

    /// Decodes a text.
    ///
    /// - Parameter text: The encoded form, without padding.
    /// - Returns: The bytes, or nil if the text has another character, a length that no bytes
    ///   have, or bits left over that are not zero.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var group: UInt32 = 0
        var bits = 0
        for index in 0..<text.count {
            guard let value = value(of: text[index]) else { return nil }
            group = (group << 6 | UInt32(value)) & 0x3FFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        return group & ((1 << UInt32(bits)) - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }
}
