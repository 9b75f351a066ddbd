import Testing

@testable import HeaderCompression

@Suite struct BlockWriterTests {
    private func integer(_ value: Int, bits: Int, pattern: UInt8 = 0) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BlockWriter.integerBytesMax)
        var target = bytes.mutableSpan
        let end = BlockWriter().write(
            value, prefixBits: bits, pattern: pattern, into: &target, at: 0)
        return Array(bytes[..<end])
    }

    private func text(_ text: String) -> [UInt8] {
        let source = Array(text.utf8)
        var bytes = [UInt8](repeating: 0, count: BlockWriter.textRoomBytes(source.count))
        var target = bytes.mutableSpan
        let end = BlockWriter().write(source.span, into: &target, at: 0)
        return Array(bytes[..<end])
    }

    /// RFC 7541, appendix C.1, and the edges of prefixes.
    @Test func integersAreThoseOfTheStandard() {
        #expect(integer(10, bits: 5) == [0x0A])
        #expect(integer(1337, bits: 5) == [0x1F, 0x9A, 0x0A])
        #expect(integer(42, bits: 8) == [0x2A])
        #expect(integer(30, bits: 5, pattern: 0x20) == [0x3E])
        #expect(integer(31, bits: 5, pattern: 0x20) == [0x3F, 0x00])
        #expect(integer(31 + 127, bits: 5) == [0x1F, 0x7F])
        #expect(integer(31 + 128, bits: 5) == [0x1F, 0x80, 0x01])
        #expect(integer(4_294_967_295, bits: 7).count == 6)
    }

    /// RFC 7541, appendix C.4.
    @Test func textsAreThoseOfTheStandard() {
        #expect(
            text("www.example.com") == [
                0x8C, 0xF1, 0xE3, 0xC2, 0xE5, 0xF2, 0x3A, 0x6B, 0xA0, 0xAB, 0x90, 0xF4, 0xFF,
            ])
        #expect(text("no-cache") == [0x86, 0xA8, 0xEB, 0x10, 0x64, 0x9C, 0xBF])
        #expect(text("custom-key") == [0x88, 0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xA9, 0x7D, 0x7F])
    }

    @Test func aTextThatTheCodeMakesLongerStaysAsItIs() {
        #expect(text("") == [0x00])
        #expect(text("XZ") == [0x02, 0x58, 0x5A])
        #expect(text("\u{1}\u{2}") == [0x02, 0x01, 0x02])
    }
}
