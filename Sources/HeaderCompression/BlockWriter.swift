/// Writes the parts that a header block is made of.
///
/// *Source:* RFC 7541, sections 5 and 6.
struct BlockWriter: Sendable {
    /// An integer takes up at most this: a prefix and 32 bits in groups of 7.
    static let integerBytesMax = 6

    private let huffman = HuffmanCode()

    /// The most that a text's literal can take up while it is being written: the code of a text may
    /// be longer than the text, and is then given up.
    static func textRoomBytes(_ count: Int) -> Int {
        integerBytesMax + count * HuffmanCode.symbolBytesMax + 4
    }

    /// Writes an integer whose first byte has `pattern` above a prefix of so many bits.
    @inline(__always)
    func write(
        _ value: Int, prefixBits: Int, pattern: UInt8, into target: inout MutableSpan<UInt8>,
        at offset: Int
    ) -> Int {
        let limit = 1 << prefixBits - 1
        guard value >= limit else {
            Self.put(pattern | UInt8(value), into: &target, at: offset)
            return offset + 1
        }
        Self.put(pattern | UInt8(limit), into: &target, at: offset)
        var rest = value - limit
        var end = offset + 1
        while rest >= 128 {
            Self.put(UInt8(rest & 0x7F) | 0x80, into: &target, at: end)
            rest >>= 7
            end += 1
        }
        Self.put(UInt8(rest), into: &target, at: end)
        return end + 1
    }

    /// Writes a text, in the Huffman code if that is shorter.
    ///
    /// The code is written at once, behind a length of one byte, which is right for all texts that
    /// a push request has in every block; only if it turns out otherwise is it written again.
    @inline(__always)
    func write(
        _ text: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        let end = huffman.write(text, into: &target, at: offset + 1)
        let count = end - offset - 1
        guard count < text.count, count < 0x7F else {
            return writeAgain(text, huffmanCount: count, into: &target, at: offset)
        }
        Self.put(0x80 | UInt8(count), into: &target, at: offset)
        return end
    }

    private func writeAgain(
        _ text: Span<UInt8>, huffmanCount: Int, into target: inout MutableSpan<UInt8>,
        at offset: Int
    ) -> Int {
        if huffmanCount < text.count {
            let start = write(
                huffmanCount, prefixBits: 7, pattern: 0x80, into: &target, at: offset)
            return huffman.write(text, into: &target, at: start)
        }
        let start = write(text.count, prefixBits: 7, pattern: 0, into: &target, at: offset)
        for index in text.indices { Self.put(text[index], into: &target, at: start + index) }
        return start + text.count
    }

    @inline(__always)
    private static func put(
        _ byte: UInt8, into target: inout MutableSpan<UInt8>, at offset: Int
    ) {
        target[offset] = byte
    }
}
