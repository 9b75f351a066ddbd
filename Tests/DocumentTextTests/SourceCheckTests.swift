import DocumentText
import DocumentTree
import Testing

@Suite struct SourceCheckTests {
    // jamovi/jamovi#257, genspark-ai/genoffice#438: a file saved as "Unicode text".
    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x61, 0x00], "UTF-16 (little-endian)"),
            ([0xFE, 0xFF, 0x00, 0x61], "UTF-16 (big-endian)"),
            ([0x61, 0x00, 0x3A, 0x00, 0x20, 0x00], "UTF-16 (little-endian, no byte-order mark)"),
            ([0x00, 0x61, 0x00, 0x3A, 0x00, 0x20], "UTF-16 (big-endian, no byte-order mark)"),
            ([0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], "UTF-32 (little-endian)"),
            ([0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61], "UTF-32 (big-endian)"),
        ] as [([UInt8], String)])
    func anotherEncodingIsRefusedByName(bytes: [UInt8], name: String) {
        let faults = faults(of: bytes)
        #expect(faults.map(\.message) == ["the file is in \(name); save it as UTF-8 and try again"])
    }

    // diogob/postgres-copy#16: one Windows-1252 byte, and a message without a place.
    @Test func aByteOfAnotherEncodingIsNamedWithItsPlace() {
        let faults = faults(of: Array("a: é\nb: O".utf8) + [0x92] + Array("Neil\n".utf8))
        #expect(faults.count == 1)
        #expect(faults.first?.place == SourcePlace(line: 2, column: 5))
        #expect(faults.first?.message.contains("0x92 is not UTF-8") == true)
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x80], [0x80],
        ] as [[UInt8]])
    func malformedUTF8IsRefused(bytes: [UInt8]) {
        let faults = faults(of: Array("a: ".utf8) + bytes)
        #expect(faults.first?.place == SourcePlace(line: 1, column: 4))
        #expect(faults.first?.message.contains("is not UTF-8") == true)
    }

    @Test(arguments: [
        "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}",
    ])
    func wellFormedUTF8IsAccepted(character: String) {
        #expect(!faults(of: "a: \"x\(character)\"").contains { $0.message.contains("UTF-8") })
    }

    // The parser ends a document without a word at a NUL, so half a file would be read.
    @Test(arguments: [0x00, 0x01, 0x07, 0x0B, 0x0C, 0x1B, 0x1F] as [UInt8])
    func controlCharactersAreRefused(byte: UInt8) {
        let faults = faults(of: Array("a: 1\nb: x".utf8) + [byte] + Array("\nc: 3\n".utf8))
        #expect(faults.first?.place == SourcePlace(line: 2, column: 5))
        #expect(faults.first?.message.contains("control character U+00") == true)
    }
}
