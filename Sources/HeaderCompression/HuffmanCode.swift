/// HPACK's Huffman code.
///
/// The code is canonical: symbols ordered by length and then by value have consecutive codes, so
/// the lengths say everything. *Source:* RFC 7541, appendix B.
struct HuffmanCode: Sendable {
    /// By symbol: the code, shifted left by 8, and its length in bits, 5 to 30, with `longMark` if
    /// that is above 8.
    private let codes: [UInt64]

    private static let lengthMask: UInt64 = 0x1F
    private static let longMark: UInt64 = 0x80

    /// What one symbol can take up at most.
    static let symbolBytesMax = 4

    init() {
        var codes = [UInt64](repeating: 0, count: 256)
        var next: UInt64 = 0
        for length in UInt8(5)...30 {
            next <<= 1
            for symbol in 0..<256 where Self.lengths[symbol] == length {
                codes[symbol] = next << 8 | UInt64(length) | (length > 8 ? Self.longMark : 0)
                next += 1
            }
        }
        self.codes = codes
    }

    /// By the next eight bits of a coded text: the symbol that they begin with, shifted left by 8,
    /// and its length in bits; 0 if its code is longer than that.
    static let shortSymbols: [UInt16] = {
        let code = HuffmanCode()
        var symbols = [UInt16](repeating: 0, count: 256)
        for symbol in 0..<256 where lengths[symbol] <= 8 {
            let spare = 8 - Int(lengths[symbol])
            let first = Int(code.codes[symbol] >> 8) << spare
            for bits in first..<(first + 1 << spare) {
                symbols[bits] = UInt16(symbol) << 8 | UInt16(lengths[symbol])
            }
        }
        return symbols
    }()

    /// Writes the code of a text, filled up with ones to whole bytes.
    ///
    /// - Parameters:
    ///   - text: the symbols.
    ///   - target: where to; from `offset` on there is room for `text.count * symbolBytesMax + 4`.
    ///   - offset: where it begins, 0 or more.
    /// - Returns: where it ends.
    @inline(__always)
    func write(_ text: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let room = text.count * Self.symbolBytesMax + 4
        precondition(offset >= 0 && offset + room <= target.count, "there is no room for the code")
        // Sound: no code is longer than `symbolBytesMax` bytes, so all that is written lies within
        // the room just checked; `text` and `codes` are read within their counts, as a symbol is
        // below 256. To have each of the three checked for each symbol took most of the time.
        return unsafe text.withUnsafeBufferPointer { text in
            unsafe codes.withUnsafeBufferPointer { codes in
                unsafe target.withUnsafeMutableBytes { target in
                    unsafe Self.write(text, codes, into: target, at: offset)
                }
            }
        }
    }

    /// Fewer than 32 bits wait after each step, so one code of up to 30 more fits, and so do four
    /// of up to 8. Bytes go out four at a time: a branch for each symbol would be guessed wrong too
    /// often.
    @inline(__always)
    private static func write(
        _ text: UnsafeBufferPointer<UInt8>, _ codes: UnsafeBufferPointer<UInt64>,
        into target: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> Int {
        var end = offset
        var pending: UInt64 = 0
        var bits: UInt64 = 0
        var index = 0
        while index < text.count {
            // Sound, here and below: see the caller.
            let (code, length, count) = unsafe next(of: text, at: index, codes)
            pending = pending &<< length | code
            bits &+= length
            index &+= count
            guard bits >= 32 else { continue }
            bits &-= 32
            let word = UInt32(truncatingIfNeeded: pending &>> bits).bigEndian
            unsafe target.storeBytes(of: word, toByteOffset: end, as: UInt32.self)
            end &+= 4
        }
        while bits >= 8 {
            bits -= 8
            unsafe target[end] = UInt8(truncatingIfNeeded: pending >> bits)
            end += 1
        }
        guard bits > 0 else { return end }
        let ones = UInt8(0xFF) >> UInt8(bits)
        unsafe target[end] = UInt8(truncatingIfNeeded: pending << (8 - bits)) | ones
        return end + 1
    }

    /// The codes of the next four symbols as one, if all are short, else that of the next one.
    ///
    /// Put together in pairs, so that no symbol waits for the one before it: the paths of devices
    /// have short codes only.
    @inline(__always)
    private static func next(
        of text: UnsafeBufferPointer<UInt8>, at index: Int, _ codes: UnsafeBufferPointer<UInt64>
    ) -> (code: UInt64, length: UInt64, count: Int) {
        // Sound: `index` is below the text's count, and the others are looked at if they are too.
        let first = unsafe codes[Int(text[index])]
        guard index &+ 4 <= text.count else { return (first >> 8, first & lengthMask, 1) }
        let second = unsafe codes[Int(text[index &+ 1])]
        let third = unsafe codes[Int(text[index &+ 2])]
        let fourth = unsafe codes[Int(text[index &+ 3])]
        guard (first | second | third | fourth) & longMark == 0 else {
            return (first >> 8, first & lengthMask, 1)
        }
        // Lengths are at most 8 here, and so no shift is beyond the width.
        let left = (first >> 8) &<< (second & lengthMask) | second >> 8
        let right = (third >> 8) &<< (fourth & lengthMask) | fourth >> 8
        let rightLength = (third & lengthMask) &+ (fourth & lengthMask)
        let length = (first & lengthMask) &+ (second & lengthMask) &+ rightLength
        return (left &<< rightLength | right, length, 4)
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
