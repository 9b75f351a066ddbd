/// Eight hexadecimal digits, handled together.
///
/// The digits lie in a 64-bit word, the first in the lowest byte. All eight are worked on by the
/// same few operations, none of which carries from one byte into the next:
/// - the low four bits of `0`…`9` are the value, and of a letter the value less 9; bit 6 tells them
///   apart;
/// - a byte is a digit if writing its value gives the byte back, apart from the case.
///
/// Every answer has an id to read, and an import a token in every row: so read, an id takes a third
/// of the time of a loop over its digits, and a token a fifth.
struct HexDigits {
    /// The digits in lower case.
    let lowerCase: UInt64
    /// Each digit's value, 0 to 15, in a byte of its own.
    private let values: UInt64

    private static let each: UInt64 = 0x0101_0101_0101_0101

    /// Reads eight digits in either case; nil if one of the bytes is no digit.
    ///
    /// - Parameter characters: The bytes.
    init?(_ characters: UInt64) {
        let letters = (characters >> 6) & Self.each
        values = (characters & (Self.each * 0x0F)) &+ letters &* 9
        // Adding 6 sets bit 4 for the values from 10 on.
        let aboveNine = ((values &+ Self.each * 6) >> 4) & Self.each
        lowerCase = characters | aboveNine &* 0x20
        let written = values &+ Self.each * 0x30 &+ aboveNine &* 0x27
        guard values & (Self.each * 0xF0) == 0, written == lowerCase else { return nil }
    }

    /// Gathers eight digits that begin at a place.
    ///
    /// - Parameters:
    ///   - text: Where they are.
    ///   - start: The place of the first.
    @inline(__always)
    init?(in text: Span<UInt8>, at start: Int) {
        self.init(Self.half(text, start) | Self.half(text, start + 4) << 32)
    }

    /// Gathers twice four digits.
    ///
    /// - Parameters:
    ///   - text: Where they are.
    ///   - first: The place of the first four.
    ///   - second: The place of the last four.
    @inline(__always)
    init?(in text: Span<UInt8>, at first: Int, and second: Int) {
        self.init(Self.half(text, first) | Self.half(text, second) << 32)
    }

    /// The number the digits write, first digit highest.
    var number: UInt64 {
        // Neighbours join: 8 nibbles to 4 bytes, to 2 pairs, to one number.
        let bytes = ((values << 4) | (values >> 8)) & 0x00FF_00FF_00FF_00FF
        let pairs = ((bytes << 8) | (bytes >> 16)) & 0x0000_FFFF_0000_FFFF
        return ((pairs << 16) | (pairs >> 32)) & 0xFFFF_FFFF
    }

    @inline(__always)
    private static func half(_ text: Span<UInt8>, _ start: Int) -> UInt64 {
        UInt64(text[start]) | UInt64(text[start + 1]) << 8 | UInt64(text[start + 2]) << 16
            | UInt64(text[start + 3]) << 24
    }
}
