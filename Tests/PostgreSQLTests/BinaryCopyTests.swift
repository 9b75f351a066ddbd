@testable import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct BinaryCopyTests {
    private static let table = """
        CREATE TABLE t (a int2, b int4, c int8, d text, e timestamptz, f uuid, g jsonb)
        """

    private func withTable<R>(_ body: (PGConnection) throws -> R) throws -> R {
        try TestCluster.withDatabase { conninfo in
            let connection = try PGConnection(conninfo: conninfo, applicationName: "sortie test")
            try connection.executeScript(Self.table, name: "create")
            return try body(connection)
        }
    }

    private func write(_ writer: BinaryCopyWriter, _ number: Int64, _ text: String) {
        writer.beginRow(fieldCount: 7, bytesMax: 80 + text.utf8.count)
        writer.int16(Int16(truncatingIfNeeded: number))
        writer.int32(Int32(truncatingIfNeeded: number))
        writer.int64(number)
        writer.text(text)
        writer.timestamp(1_798_761_600_123_456)
        writer.uuid(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210)
        writer.jsonb(Array("{\"a\": 1}".utf8).span)
    }

    @Test(arguments: [Int64.min, -1, 0, 7, Int64.max])
    func everyTypeArrives(number: Int64) throws {
        try withTable { connection in
            let count = try connection.copyIn("COPY t FROM STDIN (FORMAT binary)", name: "in") {
                (writer, _) throws(PGError) in write(writer, number, "ű\n")
            }
            #expect(count == 1)
            let row = try connection.execute("SELECT * FROM t")
            #expect(
                (0..<7).map { row.text(0, $0) } == [
                    "\(Int16(truncatingIfNeeded: number))", "\(Int32(truncatingIfNeeded: number))",
                    "\(number)", "ű\n", "2027-01-01 00:00:00.123456+00",
                    "01234567-89ab-cdef-fedc-ba9876543210", "{\"a\": 1}",
                ])
        }
    }

    @Test func nullsAndManyPiecesArrive() throws {
        try withTable { connection in
            let text = String(repeating: "x", count: 1000)
            // Some 3 MB: a dozen pieces, and rows larger than what is left of one.
            let count = try connection.copyIn(
                "COPY t (a, d) FROM STDIN (FORMAT binary)", name: "in"
            ) {
                (writer, flushIfFull) throws(PGError) in
                for _ in 0..<3000 {
                    writer.beginRow(fieldCount: 2, bytesMax: 1000)
                    writer.null()
                    writer.text(text)
                    try flushIfFull()
                }
                writer.beginRow(fieldCount: 2, bytesMax: 2_000_000)
                writer.null()
                writer.text(String(repeating: "y", count: 2_000_000))
            }
            #expect(count == 3001)
            let sums = try connection.execute("SELECT count(a), sum(length(d)) FROM t")
            #expect(sums.text(0, 0) == "0")
            #expect(sums.text(0, 1) == "5000000")
        }
    }

    @Test func aBodyThatThrowsStoresNothingAndLeavesTheConnectionUsable() throws {
        try withTable { connection in
            let error = #expect(throws: PGError.self) {
                try connection.copyIn("COPY t FROM STDIN (FORMAT binary)", name: "in") {
                    (writer, _) throws(PGError) in
                    write(writer, 1, "x")
                    throw PGError(attempted: "body", message: "mine")
                }
            }
            #expect(error?.message == "mine")
            let rows = try connection.execute("SELECT count(*) FROM t").text(0, 0)
            #expect(rows == "0")
        }
    }

    @Test func aRowThatTheServerRefusesIsItsError() throws {
        try withTable { connection in
            let error = #expect(throws: PGError.self) {
                try connection.copyIn("COPY t (a) FROM STDIN (FORMAT binary)", name: "in") {
                    (writer, flushIfFull) throws(PGError) in
                    // Wrong width for an int2, then enough data for several pieces.
                    for _ in 0..<200_000 {
                        writer.beginRow(fieldCount: 1, bytesMax: 8)
                        writer.int64(1)
                        try flushIfFull()
                    }
                }
            }
            #expect(error?.sqlState == "22P03")
            let rows = try connection.execute("SELECT count(*) FROM t").text(0, 0)
            #expect(rows == "0")
        }
    }

    private func read(
        _ connection: PGConnection, _ query: String, fields: Int,
        _ body: (RawSpan, Span<PGFieldRange>) throws(PGError) -> Void
    ) throws {
        var reader = BinaryCopyReader(fieldCount: fields, name: "out")
        try connection.copyOut("COPY (\(query)) TO STDOUT (FORMAT binary)", name: "out") {
            (message: RawSpan) throws(PGError) in try reader.read(message, body)
        }
    }

    @Test(arguments: [0, 1, 1000])
    func rowsComeBackWithTheirFields(count: Int) throws {
        try withTable { connection in
            var numbers: [Int64] = []
            var nulls = 0
            try read(
                connection, "SELECT n::int8, NULL::text, 'ab' FROM generate_series(1, \(count)) n",
                fields: 3
            ) { bytes, fields in
                numbers.append(bytes.bigEndian(Int64.self, at: Int(fields[0].offset)))
                if fields[1].isNull { nulls += 1 }
                #expect(fields[2].count == 2)
                #expect(bytes.bigEndian(UInt16.self, at: Int(fields[2].offset)) == 0x6162)
            }
            #expect(numbers == (0..<count).map { Int64($0 + 1) })
            #expect(nulls == count)
        }
    }

    @Test func aReaderThatStopsLeavesTheConnectionUsable() throws {
        try withTable { connection in
            var seen = 0
            let error = #expect(throws: PGError.self) {
                try read(connection, "SELECT n FROM generate_series(1, 3000000) n", fields: 1) {
                    (_, _) throws(PGError) in
                    seen += 1
                    if seen == 3 { throw PGError(attempted: "body", message: "enough") }
                }
            }
            #expect(error?.message == "enough")
            let one = try connection.execute("SELECT 1").integer(0, 0)
            #expect(one == 1)
        }
    }

    @Test func anErrorInTheMiddleOfTheRowsIsThrown() throws {
        try withTable { connection in
            let error = #expect(throws: PGError.self) {
                try read(
                    connection, "SELECT 1 / (50000 - n) FROM generate_series(1, 60000) n", fields: 1
                ) { _, _ in }
            }
            #expect(error?.sqlState == "22012")
            let one = try connection.execute("SELECT 1").integer(0, 0)
            #expect(one == 1)
        }
    }
}
