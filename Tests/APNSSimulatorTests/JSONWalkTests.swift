import Testing

@testable import APNSSimulator

@Suite struct JSONWalkTests {
    private struct Recorder: JSONVisitor {
        var seen: [String] = []

        mutating func member(name: Range<Int>, value: Range<Int>, of text: Span<UInt8>) {
            seen.append("\(Self.text(name, text))=\(Self.text(value, text))")
        }

        mutating func innerMember(
            name: Range<Int>, value: Range<Int>, outerName: Range<Int>, of text: Span<UInt8>
        ) {
            seen.append(
                "\(Self.text(outerName, text)).\(Self.text(name, text))=\(Self.text(value, text))")
        }

        private static func text(_ range: Range<Int>, _ text: Span<UInt8>) -> String {
            String(decoding: range.map { text[$0] }, as: UTF8.self)
        }
    }

    private static func isValid(_ bytes: [UInt8]) -> Bool {
        var walk = JSONWalk(visitor: Recorder())
        return walk.walk(bytes.span)
    }

    @Test(arguments: [
        "{}", "[]", "0", "-0", "-1.5e+10", "1E5", "10.25", "\"\"", "true", "false", "null",
        " { \"a\" : [ 1 , 2 ] } \n", #"{"a":{"b":{"c":[[],{}]}}}"#, #""\"\\\/\b\f\n\r\tÿ""#,
        "\"žluťoučký 😀\"", String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
    ])
    func validTextIsTaken(_ text: String) {
        #expect(Self.isValid(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{'a':1}", "01", "1.", ".5",
        "+1", "1e", "-", "tru", "truee", "nul", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"",
        "\"a\nb\"", "{} {}", "[1 2]", "NaN", "Infinity", "// a\n{}", "{\"a\":1 \"b\":2}",
        "\u{FEFF}{}",
        String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
    ])
    func invalidTextIsNot(_ text: String) {
        #expect(!Self.isValid(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF], [0xF0, 0x9F, 0x98, 0x20],
        ] as [[UInt8]])
    func bytesThatAreNoUTF8AreRefused(_ bytes: [UInt8]) {
        #expect(!Self.isValid([0x22] + bytes + [0x22]))
    }

    @Test(
        arguments: 0..<24, [0x22, 0x5C, 0x0A, 0x1F, 0x00, 0x80, 0xC3, 0xFF, 0x20, 0x7F] as [UInt8])
    func everyByteCountsWhereverItStandsInAString(_ place: Int, _ byte: UInt8) {
        var text = [UInt8](repeating: UInt8(ascii: "x"), count: 24)
        text[place] = byte
        // Only a blank and the highest ASCII character are harmless by themselves.
        #expect(Self.isValid([0x22] + text + [0x22]) == (byte == 0x20 || byte == 0x7F))
    }

    @Test(arguments: 0..<12)
    func everyPrefixOfAValueIsInvalid(_ length: Int) {
        let text = Array(#"{"a":[1,"b"]}"#.utf8)
        #expect(!Self.isValid(Array(text.prefix(length))))
    }

    @Test func membersOfTheOuterTwoLevelsAreTold() {
        var walk = JSONWalk(visitor: Recorder())
        let text = Array(
            #"{"a": 1, "aps": {"alert": {"title": "x"}, "badge":0}, "l": [{"n": 2}]}"#.utf8)
        let isValid = walk.walk(text.span)
        let seen = walk.visitor.seen
        #expect(isValid)
        #expect(
            seen == [
                "a=1", #"aps.alert={"title": "x"}"#, "aps.badge=0",
                #"aps={"alert": {"title": "x"}, "badge":0}"#, #"l=[{"n": 2}]"#,
            ])
    }

    @Test func objectsInAnOuterListAreNotTold() {
        var walk = JSONWalk(visitor: Recorder())
        let text = Array(#"[{"aps":{"alert":1}}]"#.utf8)
        let isValid = walk.walk(text.span)
        let seen = walk.visitor.seen
        #expect(isValid)
        #expect(seen.isEmpty)
    }
}
