/// The text form of a UUID: 32 hex digits as 8-4-4-4-12.
enum UUIDText {
    static let length = 36

    /// Whether bytes have the form.
    ///
    /// Apple's page asks for lower-case digits in a request but APNs writes upper-case ones itself,
    /// so both are taken.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard text.count == length else { return false }
        for index in text.indices {
            if isDash(index) {
                guard text[index] == UInt8(ascii: "-") else { return false }
            } else {
                guard HexDigits.isDigit(text[index]) else { return false }
            }
        }
        return true
    }

    /// Writes a random UUID (RFC 9562, version 4) in upper case, as APNs writes the ones it makes.
    ///
    /// - Parameters:
    ///   - high: 64 random bits; six of the 128 are replaced by version and variant.
    ///   - low: 64 random bits.
    ///   - text: 36 bytes, all of which are written.
    static func write(high: UInt64, low: UInt64, into text: inout [UInt8]) {
        let high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        write(digits(UInt32(truncatingIfNeeded: high >> 32)), 8, at: 0, into: &text)
        let second = digits(UInt32(truncatingIfNeeded: high))
        write(second, 4, at: 9, into: &text)
        write(second << 32, 4, at: 14, into: &text)
        let third = digits(UInt32(truncatingIfNeeded: low >> 32))
        write(third, 4, at: 19, into: &text)
        write(third << 32, 4, at: 24, into: &text)
        write(digits(UInt32(truncatingIfNeeded: low)), 8, at: 28, into: &text)
        for index in [8, 13, 18, 23] { text[index] = UInt8(ascii: "-") }
    }

    /// Eight hex digits of a word, the first in the highest byte: all at once, as every answer
    /// takes 32 of them.
    private static func digits(_ word: UInt32) -> UInt64 {
        var spread = UInt64(word)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in each byte whose nibble is 10 or more: those get 7 more, from 0-9 up to A-F.
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 7
    }

    /// Writes the first bytes of a word, the highest first.
    private static func write(
        _ digits: UInt64, _ count: Int, at place: Int, into text: inout [UInt8]
    ) {
        for index in 0..<count {
            text[place + index] = UInt8(truncatingIfNeeded: digits >> UInt64(56 - 8 * index))
        }
    }

    private static func isDash(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }
}
