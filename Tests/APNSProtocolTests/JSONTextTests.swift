import APNSProtocol
import Testing

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), (#"say "hi""#, #""say \"hi\"""#),
        (#"a\b"#, #""a\\b""#),
        ("a/b", #""a/b""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1}\u{B}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000b\u000f\u0010\u001f""#),
        ("\u{7F}\u{80}\u{2028}", "\"\u{7F}\u{80}\u{2028}\""),
        ("Árvíztűrő 🎈 日本", "\"Árvíztűrő 🎈 日本\""), ("👩‍👩‍👧", "\"👩‍👩‍👧\""),
        ("{{ name }}", #""{{ name }}""#),
    ])
    func onlyWhatTheStandardDemandsIsEscaped(_ text: String, _ json: String) {
        var output: [UInt8] = []
        JSONText.appendString(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == json)
    }

    @Test func everyByteBelowTheFirstMultibyteOneIsEscapedOrKept() {
        for byte in UInt8(0)..<0x80 {
            var output: [UInt8] = []
            JSONText.appendEscaped([byte].span, to: &output)
            let mustEscape = byte < 0x20 || byte == 0x22 || byte == 0x5C
            #expect((output == [byte]) == !mustEscape, "byte \(byte)")
            #expect(output.allSatisfy { $0 >= 0x20 }, "byte \(byte)")
        }
    }

    @Test func piecesJoinToTheSameAsTheWhole() {
        let text = [UInt8]("a \"quoted\"\tpiece of text".utf8)
        var whole: [UInt8] = []
        JSONText.appendEscaped(text.span, to: &whole)
        for cut in 0...text.count {
            var joined: [UInt8] = []
            JSONText.appendEscaped(text.span.extracting(first: cut), to: &joined)
            JSONText.appendEscaped(text.span.extracting(droppingFirst: cut), to: &joined)
            #expect(joined == whole)
        }
    }

    @Test func appendingKeepsWhatIsThere() {
        var output = [UInt8](#"{"a":"#.utf8)
        JSONText.appendString("b", to: &output)
        JSONText.appendVerbatim(",\"c\":".utf8.span, to: &output)
        JSONText.appendNumber(-5, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #"{"a":"b","c":-5"#)
    }

    @Test(arguments: [
        0, 1, -1, 9, 10, -10, 99, 100, 1_794_268_800_000, 9_007_199_254_740_993, Int64.max,
        Int64.min,
    ])
    func aNumberKeepsEveryDigit(_ number: Int64) {
        var output: [UInt8] = []
        JSONText.appendNumber(number, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == String(number))
    }
}
