import Testing

@testable import CommandLineTool

@Suite struct NumberTextTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"),
        (Int64.max, "9,223,372,036,854,775,807"), (Int64.min, "-9,223,372,036,854,775,808"),
    ])
    func countsHaveSeparators(number: Int64, text: String) {
        #expect(NumberText.count(number) == text)
    }

    @Test(arguments: [
        (0, 0, "-"), (0, 10, "0.0 %"), (1, 1_000_000, "0.1 %"), (999_999, 1_000_000, "99.9 %"),
        (10, 10, "100.0 %"), (1, 3, "33.3 %"), (2, 3, "66.7 %"),
    ])
    func sharesNeverRoundToNothingOrEverything(part: Int64, whole: Int64, text: String) {
        #expect(NumberText.share(part, of: whole) == text)
    }

    @Test(arguments: [
        (0, "0 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (59.94, "59.9 s"),
        (59.96, "1 min 00 s"), (61, "1 min 01 s"), (3_599, "59 min 59 s"), (3_600, "1 h 00 min"),
        (-1, "-"), (.nan, "-"), (.infinity, "-"),
    ])
    func durationsHaveTwoUnits(seconds: Double, text: String) {
        #expect(NumberText.duration(seconds: seconds) == text)
    }

    @Test(arguments: [
        (0, "0.0/s"), (9.94, "9.9/s"), (10, "10/s"), (5_999.6, "6,000/s"), (.nan, "-"),
    ])
    func ratesArePerSecond(rate: Double, text: String) {
        #expect(NumberText.rate(rate) == text)
    }

    @Test(arguments: [(0, 0, "-"), (0, 9, "0 %"), (999, 1_000, "99 %"), (9, 9, "100 %")])
    func wholeSharesRoundDown(part: Int64, whole: Int64, text: String) {
        #expect(NumberText.wholeShare(part, of: whole) == text)
    }

    @Test func nounsFollowTheirNumber() {
        #expect(NumberText.count(1, "device") == "1 device")
        #expect(NumberText.count(2_000, "device") == "2,000 devices")
        #expect(NumberText.count(0, "entry", "entries") == "0 entries")
    }
}

@Suite struct UTCTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (1_709_251_199, "2024-02-29T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (1_798_761_600, "2027-01-01T00:00:00Z"),
    ])
    func followsTheGregorianCalendar(seconds: Int64, text: String) {
        #expect(UTCTime(secondsSince1970: seconds).text == text)
    }
}

@Suite struct TextTableTests {
    @Test func alignsColumnsAndCutsBlanksAtLineEnds() {
        var table = TextTable(.left("name"), .right("count"), .left("note"))
        table.add("Réka", "1,000", "")
        table.add("b", "1", "x")
        #expect(table.text() == "  name  count  note\n  Réka  1,000\n  b         1  x\n")
    }

    @Test func leavesOutTitlesIfThereAreNone() {
        var table = TextTable(.left(""), .right(""))
        table.add("a", "1")
        #expect(table.text() == "  a  1\n")
    }
}

@Suite struct CSVTextTests {
    @Test(arguments: [
        (["a", nil, ""], "a,,\"\"\r\n"), (["a,b", "c\"d"], "\"a,b\",\"c\"\"d\"\r\n"),
        (["a\nb", "c\rd"], "\"a\nb\",\"c\rd\"\r\n"), (["é 0042"], "é 0042\r\n"),
        (["a\r\nb"], "\"a\r\nb\"\r\n"),
    ])
    func quotesWhatNeedsQuotes(cells: [String?], line: String) {
        #expect(CSVText.line(cells) == line)
    }
}

@Suite struct JSONOutputTests {
    private let document = JSONOutput.object([
        ("b", .integer(.max)), ("a", .list([.null, .boolean(true), .number(1.5)])),
        ("c", .text("\"\\\n\u{1}é")), ("d", .number(.nan)), ("e", .object([])),
    ])

    @Test func keepsTheOrderOfKeysOnOneLine() {
        #expect(
            document.line
                == #"{"b": 9223372036854775807, "a": [null, true, 1.5], "c": "\"\\\n\u0001é", "#
                + #""d": null, "e": {}}"#)
    }

    @Test func indentsOverSeveralLines() {
        let text = JSONOutput.object([("a", .list([.integer(1)])), ("b", .list([]))]).lines
        #expect(text == "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}\n")
    }
}

@Suite struct ProgressTextTests {
    @Test func leavesOutWhatDoesNotFit() {
        let long = String(repeating: "a", count: 70)
        #expect(ProgressText.line([long, "1234567"]) == "\(long)  1234567")
        #expect(ProgressText.line([long, "12345678"]) == long)
        #expect(ProgressText.line(["a", "", "b"]) == "a  b")
    }
}
