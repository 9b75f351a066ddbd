import APNSProtocol
import Testing

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a\u{0}b", "a\u{FFFD}b"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
        ("\u{1B}[31m", "\u{FFFD}[31m"), ("\u{7F}\u{85}\u{9F}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("\u{2028}\u{2029}", "\u{FFFD}\u{FFFD}"), ("Árvíz 🎈", "Árvíz 🎈"),
    ])
    func controlCharactersAreReplaced(_ raw: String, _ safe: String) {
        let text = SafeText.make(from: raw.utf8.span, bytesMax: 64)
        #expect(text == safe)
    }

    @Test(arguments: [
        (0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aé"), (6, "aé"), (7, "aé🎈"), (8, "aé🎈b"),
    ])
    func aTextIsCutBetweenCharacters(_ bytesMax: Int, _ expected: String) {
        let text = SafeText.make(from: "aé🎈b".utf8.span, bytesMax: bytesMax)
        #expect(text.utf8.count <= bytesMax)
        #expect(text == expected)
    }

    @Test func invalidBytesAreReplaced() {
        let bytes: [UInt8] = [0xC3, 0x28, 0x80]
        let text = SafeText.make(from: bytes.span, bytesMax: 64)
        #expect(text == "\u{FFFD}(\u{FFFD}")
    }
}
