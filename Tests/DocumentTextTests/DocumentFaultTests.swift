import DocumentText
import DocumentTree
import Testing

/// What is refused, where, and with which words.
@Suite struct DocumentFaultTests {
    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", 3, 1, "\"a\" is given twice, first at line 1, column 1"),
        ("{\"t\": 1,\n \"t\": 2}", 2, 2, "\"t\" is given twice, first at line 1, column 2"),
        ("a: &x 1\n", 1, 7, "an anchor"),
        ("a: *x\n", 1, 4, "an alias"),
        ("a: !!int 3\n", 1, 10, "a tag"),
        ("a: 1\n---\nb: 2\n", 2, 1, "a second document"),
        ("? [a, b]\n: c\n", 1, 3, "a field's name must be a word"),
        ("a: {{ first_name }}\n", 1, 5, "a text with {{ … }} must stand in quotes"),
        ("{ title: Hi {{ x }}, b: 1 }", 1, 13, "a text with {{ … }} must stand in quotes"),
        ("{ a:1, b: 2 }", 1, 3, "write a blank behind the colon"),
        ("{ a 1, b: 2 }", 1, 3, "write a colon and a blank between"),
        ("{ a: , b: 2 }", 1, 3, "no value is given"),
        ("a:\nb: 2\n", 1, 1, "no value is given"),
        ("- 1\n-\n", 1, 3, "an entry of this list is empty"),
        (": x\n", 1, 1, "a field without a name"),
        ("a: \"x\\u0000y\"\n", 1, 4, "U+0000"),
        ("a: \"\\ud83d\"\n", 1, 5, "surrogate"),
    ])
    func whatSurprisesIsRefused(text: String, line: Int, column: Int, piece: String) {
        let faults = faults(of: text)
        #expect(
            faults.contains {
                $0.place == SourcePlace(line: line, column: column) && $0.message.contains(piece)
            }, "\(faults)")
    }

    // node-config/node-config#470, pcal43/highspeed-rail#20: // would become part of a key or text.
    @Test(arguments: [
        ("{ a: 1, // note\n b: 2 }", 1, 9),
        ("{ a: 1,\n // note\n b: 2 }", 2, 2),
        ("// note\n{ a: 1 }", 1, 1),
        ("{ a: \"x\" // note\n, b: 2 }", 1, 10),
        ("a: \"x\" // note\nb: 2\n", 1, 8),
        ("a: x // note\nb: 2\n", 1, 6),
        ("a: 1\n// note\nb: 2\n", 2, 1),
        ("a: x\n  // note\nb: 2\n", 1, 4),
        ("{ a: /* note */ 1 }", 1, 6),
        ("{ a: 1 // note\n}", 1, 8),
        ("{ url: 'https://example.com/a//b' // note\n}", 1, 35),
    ])
    func aCommentWithSlashesIsNamed(text: String, line: Int, column: Int) {
        let faults = faults(of: text)
        #expect(faults.first?.place == SourcePlace(line: line, column: column), "\(faults)")
        #expect(faults.first?.message.contains("write # instead") == true, "\(faults)")
    }

    // UAlbertaALTLab/morphodict#511, matrix-org/go-neb#72: text pasted from a word processor.
    @Test(arguments: [
        ("title: “Sale”\n", 1, 8, "U+201C"),
        ("{ title: “Sale, now”, b: 1 }", 1, 10, "U+201C"),
        ("{ “title”: 1 }", 1, 3, "U+201C"),
        ("title: ‘Sale’\n", 1, 8, "U+2018"),
        ("title: „Sale“\n", 1, 8, "U+201E"),
        ("title: «Sale»\n", 1, 8, "U+00AB"),
        ("{\n\u{A0}\u{A0}title: x }", 2, 1, "U+00A0"),
        ("a:\n\u{A0}\u{A0}b: 1\n", 2, 1, "U+00A0"),
        ("tit\u{200B}le: x\n", 1, 4, "U+200B"),
        ("title: x\u{A0}\n", 1, 9, "U+00A0"),
    ])
    func whatAWordProcessorInsertsIsNamed(text: String, line: Int, column: Int, name: String) {
        let faults = faults(of: text)
        let place = SourcePlace(line: line, column: column)
        #expect(faults.contains { $0.place == place && $0.message.contains(name) }, "\(faults)")
    }

    @Test(arguments: [
        ("{ a: \"x }\n", 1, "without closing quote"),
        ("{ a: [1, 2\n", 2, "opened at line 1, column 6 is not closed"),
        ("{ a: 1\n", 2, "opened at line 1, column 1 is not closed"),
        ("{ a: 1 } }\n", 1, "remove the bracket"),
        ("{ \"a\": \"1\" \"b\": 2 }", 1, "write a comma"),
        ("a: b: c\n", 1, "put a text with a colon in quotes"),
        ("{ a: @x }", 1, "put the text in quotes"),
        ("{ a: 1, , b: 2 }", 1, "a comma or colon too many"),
        ("{ a: 'Don\\'t miss \"it\"', b: 1 }", 1, "inside single quotes write ''"),
        ("{ a: \"C:\\Users\" }", 1, "write \\\\ for a backslash"),
    ])
    func syntaxFaultsSayWhatToDo(text: String, line: Int, piece: String) {
        let faults = faults(of: text)
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.line == line, "\(faults)")
        #expect(faults.first?.message.contains(piece) == true, "\(faults)")
    }

    @Test func allFaultsAreToldAtOnceInFileOrder() {
        let text = "a: 1\na: 2\nb: “x”\nc:\nd: y // z\n"
        #expect(faults(of: text).map(\.line) == [2, 3, 4, 5])
    }

    @Test(arguments: [
        ("message: { translations: { hu: { title: “x” } } }\n", "message.translations.hu.title"),
        ("a: [1, { b: &x 2 }]", "a[1].b"),
    ])
    func faultsCarryThePathOfTheirField(text: String, path: String) {
        let faults = faults(of: text)
        #expect(faults.map(\.fieldPath) == [path])
    }
}
