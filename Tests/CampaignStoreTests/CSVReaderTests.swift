@testable import CampaignStore
import Testing

struct CSVReaderTests {
    private func records(
        _ text: [UInt8], piece: Int
    ) throws -> [(line: Int, fields: [String])] {
        var reader = CSVReader()
        var found: [(Int, [String])] = []
        func take(_ record: CSVRecord) throws(StoreError) {
            found.append((record.line, (0..<record.count).map(record.text)))
        }
        var start = 0
        while start < text.count {
            try reader.read(Array(text[start..<min(text.count, start + piece)]), take)
            start += piece
        }
        try reader.finish(take)
        return found
    }

    @Test(arguments: [
        // Separators: mettle/sendportal#67, oroinc/crm#96.
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]), ("a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1;x\t2", [["a", "b"], ["1;x", "2"]]), ("a\n1;2", [["a"], ["1;2"]]),
        // Line ends: Budibase/budibase#7398, rethinkdb/rethinkdb#637.
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        // Blank lines and trailing separators: mldbai/mldb#365.
        ("\n\na,\n\n1,\n  \n2,", [["a", ""], ["1", ""], ["2", ""]]),
        // A byte-order mark: knadh/listmonk#65.
        ("\u{FEFF}a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        // Quotes: Dijji/XstReader#10.
        ("a,b\n\"x \"\"y\"\"\nz, w\",\"\"\n", [["a", "b"], ["x \"y\"\nz, w", ""]]),
        ("a,b\n\"1\r\n2\",x\n", [["a", "b"], ["1\r\n2", "x"]]),
        ("a,b\n=\"c0ff\",5\" pipe\n", [["a", "b"], ["=\"c0ff\"", "5\" pipe"]]),
        ("\"a;b\",c\n1,2\n", [["a;b", "c"], ["1", "2"]]), ("a\n\"x\"", [["a"], ["x"]]),
        ("", []), ("\u{FEFF}", []), ("\n\r\n\n", []),
    ])
    func recordsAreReadInPiecesOfAnySize(text: String, expected: [[String]]) throws {
        for piece in [1, 2, 3, 1000] {
            let found = try records(Array(text.utf8), piece: piece)
            #expect(found.map(\.fields) == expected, "pieces of \(piece)")
        }
    }

    @Test func linesAreCountedAsTheFileHasThem() throws {
        let text = "name,token\r\n\r\n\"Ann \"\"A\"\"\r\nLee, jr\",T1\r\nBob,zz\nEve,T3"
        for piece in [1, 7, 1000] {
            #expect(try records(Array(text.utf8), piece: piece).map(\.line) == [1, 3, 5, 6])
        }
    }

    // jamovi/jamovi#257, dbeaver/dbeaver#14089: "Unicode text" of spreadsheets.
    @Test(arguments: [true, false])
    func utf16IsRefusedByName(hasMark: Bool) {
        var bytes: [UInt8] = hasMark ? [0xFF, 0xFE] : []
        for unit in "token\nc0ffee\n".utf16 {
            bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        let error = #expect(throws: StoreError.self) { try records(bytes, piece: 1000) }
        #expect(error.map { "\($0)".contains("UTF-16") } == true)
    }

    @Test(arguments: [
        ("token\nc0\0ffee\n", "NUL byte on line 2"), ("a,b\n\"1,2\n3,4\n", "opened on line 2"),
        (
            "a\n\"" + String(repeating: "x", count: CSVReader.recordBytesMax + 1),
            "longer than 1 MiB"
        ),
    ])
    func hopelessFilesAreRefused(text: String, message: String) {
        let error = #expect(throws: StoreError.self) { try records(Array(text.utf8), piece: 4096) }
        #expect(error.map { "\($0)".contains(message) } == true)
    }
}
