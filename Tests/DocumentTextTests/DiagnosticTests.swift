import DocumentTree
import Testing

@Suite struct DiagnosticTests {
    @Test func theDescriptionIsWhatEditorsLink() {
        let place = SourcePlace(line: 12, column: 5)
        let error = Diagnostic(
            file: "a/b.json", place: place, fieldPath: "message.badge", message: "found \"x\"")
        #expect(error.description == "a/b.json:12:5: error: message.badge: found \"x\"")
        let warning = Diagnostic(
            file: "b.json", place: .start, severity: .warning, message: "odd")
        #expect(warning.description == "b.json:1:1: warning: odd")
    }

    @Test func diagnosticsStandInFileOrderAndKeepTheirOrderAtOnePlace() {
        let places = [(2, 1), (1, 9), (1, 9), (1, 2)].map { SourcePlace(line: $0.0, column: $0.1) }
        let list = places.enumerated().map { index, place in
            Diagnostic(file: "f", place: place, message: "\(index)")
        }
        #expect(Diagnostics(list).list.map(\.message) == ["3", "1", "2", "0"])
    }
}

@Suite struct ShownTextTests {
    @Test(arguments: [
        ("plain", "\"plain\""),
        ("a\"b\\c\nd\te", #""a\"b\\c\nd\te""#),
        ("\u{1B}[31m\u{7}", #""\u{1b}[31m\u{7}""#),
        ("a\u{A0}b\u{200B}c\u{202E}", #""a\u{a0}b\u{200b}c\u{202e}""#),
        ("Köszönjük 😀", "\"Köszönjük 😀\""),
    ])
    func nothingInvisibleIsShownAsItIs(text: String, shown: String) {
        #expect(ShownText.quoted(text) == shown)
    }

    @Test(arguments: [59, 60, 61, 5000])
    func longTextsAreCut(count: Int) {
        let shown = ShownText.quoted(String(repeating: "é", count: count))
        let expected = String(repeating: "é", count: min(count, 60)) + (count > 60 ? "…" : "")
        #expect(shown == "\"\(expected)\"")
    }

    @Test func pathsQuoteWhatIsNoWord() {
        #expect(PathText.joined(["a", "[0]", PathText.part("b c")]) == "a[0].\"b c\"")
        #expect(PathText.part("fr-CA") == "fr-CA")
        #expect(PathText.part("") == "\"\"")
    }
}
