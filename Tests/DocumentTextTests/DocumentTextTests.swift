import DocumentText
import DocumentTree
import Testing

@Suite struct DocumentTextTests {
    @Test(arguments: [
        (
            #"{"a":"b","n":null,"t":true,"k":[],"e":{},"x":-1.5e3}"#,
            #"{a="b",n=null,t=true,k=[],e={},x=-1.5e3}"#
        ),
        (#"{"a": "\/\u00e9\ud83d\ude00\t\"\\"}"#, "{a=\"/é😀\t\"\\\"}"),
        ("[1, [2, 3], {a: 4}]", "[1,[2,3],{a=4}]"),
        ("\"alone\"", "\"alone\""),
        ("{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": [1,\n2]\n\t}\n}\n", "{a=1,b={c=[1,2]}}"),
        ("{\"a\":1}\r\n", "{a=1}"),
    ])
    func anyJSONIsRead(text: String, expected: String) throws {
        #expect(try shape(of: parse(text)) == expected)
    }

    @Test(arguments: [
        ("{ a: 1, # note\n b: 2, }", "{a=1,b=2}"),
        ("# first\na: x y\nb:\n  - 1\n  - two words\n", "{a=x y,b=[1,two words]}"),
        ("a: 'it''s'\n", "{a=\"it's\"}"),
        ("a: |\n  one\n  two\nb: >\n  three\n  four\n", "{a=|one\ntwo\n,b=|three four\n}"),
        ("a: https://example.com/a//b # note\n", "{a=https://example.com/a//b}"),
        ("{ a: https://example.com/a//b, b: 1 }", "{a=https://example.com/a//b,b=1}"),
        ("m: {\n  a: 1,\n}\n", "{m={a=1}}"),
        ("---\na: 1\n...\n", "{a=1}"),
        ("a: Visit the “Sacher”\n", "{a=Visit the “Sacher”}"),
        ("a: 12\u{A0}000 Ft\n", "{a=12\u{A0}000 Ft}"),
    ])
    func theComfortsOfYAMLAreRead(text: String, expected: String) throws {
        #expect(try shape(of: parse(text)) == expected)
    }

    // tomasz-c/nft-blackhole#4, 0k/shyaml#56: bare words became false, and Norway was lost.
    @Test func bareWordsAndNumbersKeepTheirCharacters() throws {
        let text = "[no, on, off, yes, y, ~, 0042, 1.10, 9007199254740993, 0x1F, 1e3, 12:30:45]"
        let expected = "[no,on,off,yes,y,~,0042,1.10,9007199254740993,0x1F,1e3,12:30:45]"
        #expect(try shape(of: parse(text)) == expected)
    }

    // molgenis/molgenis#6492, herrerad85/tallybook#185: a file saved on Windows.
    @Test func byteOrderMarkAndWindowsLineEndsAreAccepted() throws {
        let text = "\u{FEFF}a: 1\r\nb: |\r\n  one\r\n  two\r\nc: \"x\r\n  y\"\r\n"
        #expect(try shape(of: parse(text)) == "{a=1,b=|one\ntwo\n,c=\"x y\"}")
    }

    // mdn/content#13094: typographic quotes inside plain ones are text.
    @Test func typographicQuotesInsideQuotesAreText() throws {
        #expect(try shape(of: parse("title: \"“Sale”\"")) == "{title=\"“Sale”\"}")
    }

    @Test func everyValueHasItsPlace() throws {
        let root = try parse("{ é: ü,\n  \"b\": \"x\", c: [1,\n    'y'] }")
        let entries = try #require(root.mapping)
        #expect(root.place == SourcePlace(line: 1, column: 1))
        #expect(entries[0].keyPlace == SourcePlace(line: 1, column: 3))
        #expect(entries[0].value.place == SourcePlace(line: 1, column: 6))
        #expect(entries[1].keyPlace == SourcePlace(line: 2, column: 3))
        #expect(entries[1].value.place == SourcePlace(line: 2, column: 8))
        let items = try #require(entries[2].value.sequence)
        #expect(items[0].place == SourcePlace(line: 2, column: 17))
        #expect(items[1].place == SourcePlace(line: 3, column: 5))
    }

    @Test(arguments: ["", "# only a comment\n", "\u{FEFF}", " \n\n", "---\n"])
    func anEmptyFileIsRefused(text: String) {
        let faults = faults(of: text)
        #expect(faults.count == 1)
        #expect(faults.first?.message.hasPrefix("the file is empty") == true)
    }

    @Test(arguments: [31, 32, 33])
    func nestingHasALimit(depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let faults = faults(of: text)
        #expect(faults.isEmpty == (depth <= 32))
        if depth > 32 {
            #expect(faults.first?.place == SourcePlace(line: 1, column: 33))
            #expect(faults.first?.message.contains("deeper than 32") == true)
        }
    }

    @Test func nestingFarBeyondTheLimitIsRefusedToo() {
        #expect(!faults(of: String(repeating: "[", count: 100_000)).isEmpty)
        #expect(!faults(of: String(repeating: "- ", count: 100_000)).isEmpty)
        #expect(!faults(of: String(repeating: "{a: ", count: 100_000)).isEmpty)
    }

    @Test(arguments: [99, 100, 101])
    func sizeHasALimit(bytes: Int) {
        let text = "a: " + String(repeating: "x", count: bytes - 3)
        let result = DocumentText.parse(
            Array(text.utf8), file: "f", limits: DocumentText.Limits(bytesMax: 100))
        switch result {
        case .success: #expect(bytes <= 100)
        case .failure(let faults):
            #expect(bytes > 100)
            #expect(faults.list.first?.message.contains("at most 100 are read") == true)
        }
    }
}
