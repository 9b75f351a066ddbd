/// HPACK's Huffman code.
///
/// The code is canonical: symbols ordered by length and then by value have consecutive codes, so
/// the lengths say everything. *Source:* RFC 7541, appendix B.
struct HuffmanCode: Sendable {
    /// By symbol: the code, shifted left by 8, and its length in bits, 5 to 30.
    private let codes: [UInt64]

    /// What one symbol can take up at most.
    static let symbolBytesMax = 4

    init() {
        var codes = [UInt64](repeating: 0, count: 256)
        var next: UInt64 = 0
        for length in UInt8(5)...30 {
            next <<= 1
            for symbol in 0..<256 where Self.lengths[symbol] == length {
                codes[symbol] = next << 8 | UInt64(length)
                next += 1
            }
        }
        self.codes = codes
    }

    /// Writes the code of a text, filled up with ones to whole bytes.
    ///
    /// - Parameters:
    ///   - text: the symbols.
    ///   - target: where to; from `offset` on there is room for `text.count * symbolBytesMax + 4`.
    ///   - offset: where it begins.
    /// - Returns: where it ends.
    @inline(__always)
    func write(_ text: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        var end = offset
        var pending: UInt64 = 0
        var bits: UInt64 = 0
        for index in text.indices {
            let code = codes[Int(text[index])]
            pending = pending << (code & 0xFF) | code >> 8
            bits += code & 0xFF
            // Fewer than 32 bits are left each time, so 30 more fit. Four bytes at a time: a branch
            // for each symbol would be guessed wrong too often.
            guard bits >= 32 else { continue }
            bits -= 32
            let word = pending >> bits
            target[end] = UInt8(truncatingIfNeeded: word >> 24)
            target[end + 1] = UInt8(truncatingIfNeeded: word >> 16)
            target[end + 2] = UInt8(truncatingIfNeeded: word >> 8)
            target[end + 3] = UInt8(truncatingIfNeeded: word)
            end += 4
        }
        while bits >= 8 {
            bits -= 8
            target[end] = UInt8(truncatingIfNeeded: pending >> bits)
            end += 1
        }
        guard bits > 0 else { return end }
        let ones = UInt8(0xFF) >> UInt8(bits)
        target[end] = UInt8(truncatingIfNeeded: pending << (8 - bits)) | ones
        return end + 1
    }

    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    ]
}
