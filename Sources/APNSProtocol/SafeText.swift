/// Makes foreign bytes fit to be stored in a text column, printed and compared.
package enum SafeText {
    /// A text of bounded length without control characters.
    ///
    /// Invalid UTF-8 and control characters (NUL among them, which PostgreSQL refuses) become
    /// U+FFFD; a text that is too long is cut between two characters.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as they came; the cost does not depend on how many they are.
    ///   - bytesMax: The longest result, in bytes of UTF-8.
    /// - Returns: The text. Allocates.
    package static func make(from bytes: Span<UInt8>, bytesMax: Int) -> String {
        // No replacement is shorter than what it replaces, so a character that begins at or after
        // `bytesMax` cannot fit; three bytes more complete one that begins before.
        let head = bytes.extracting(first: bytesMax + 3)
        var raw: [UInt8] = []
        raw.reserveCapacity(head.count)
        for index in 0..<head.count { raw.append(head[index]) }
        var text = ""
        var length = 0
        for scalar in String(decoding: raw, as: UTF8.self).unicodeScalars {
            let safe = isControl(scalar) ? "\u{FFFD}" : scalar
            length += UTF8.width(safe)
            guard length <= bytesMax else { break }
            text.unicodeScalars.append(safe)
        }
        return text
    }

    /// C0, DEL, C1, and the two separators that break lines in some readers.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
