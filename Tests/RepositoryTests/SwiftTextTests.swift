import Testing

@Suite struct SwiftTextTests {
    @Test(arguments: [
        ("let a = 1 // note", "let a = 1", "let a = 1 // note"),
        ("a /* b /* c */ d */ e", "a                   e", "a /* b /* c */ d */ e"),
        (#"f("try!") // try!"#, "f(      )", "f(      ) // try!"),
        (##"f(#"a "quoted" b"#) + g"##, "f(                ) + g", "f(                ) + g"),
        (#"f("a \(g("b")) c") + h"#, "f(               ) + h", "f(               ) + h"),
        (#"f("a \" b") + h"#, "f(        ) + h", "f(        ) + h"),
    ])
    func blanksTextsAndComments(source: String, code: String, withComments: String) {
        let text = SwiftText(source)
        #expect(trimmed(text.code) == [code])
        #expect(trimmed(text.codeAndComments) == [withComments])
    }

    @Test func keepsLineNumbersAcrossLongTexts() {
        let text = SwiftText("let a = \"\"\"\n  func no() {\n  \"\"\"\nfunc yes() {}")
        #expect(text.code.count == 4)
        #expect(text.code[3] == "func yes() {}")
        #expect(!text.code[1].contains("func"))
    }

    private func trimmed(_ lines: [String]) -> [String] {
        lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
