// Comma-separated values as people's programs write them.
//
// The format is RFC 4180 with what is seen in the field: a byte-order mark, CRLF, LF or CR as line
// ends, semicolons or tabs instead of commas, blank lines, no line end at the end. A field that
// begins with a quotation mark ends with one; inside, two of them stand for one, and separators
// and line ends are text. A quotation mark anywhere else is text.
//
// The reader is fed pieces of any size and gives one record at a time, so memory is bounded by the
// longest record. Which of the three separators a file uses is decided by its first record: the
// one that occurs most often outside quotes.

/// A record of a file: the bytes of its fields, unquoted, one after the other.
struct CSVRecord: Sendable {
    /// The line on which it begins, from 1, counting every line end of the file.
    var line = 1
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var ends: [Int] = []

    /// The number of fields.
    var count: Int { ends.count }

    /// Where a field is in ``bytes``.
    func range(_ field: Int) -> Range<Int> {
        (field == 0 ? 0 : ends[field - 1])..<ends[field]
    }

    /// The text of a field, invalid UTF-8 replaced.
    func text(_ field: Int) -> String { String(decoding: bytes[range(field)], as: UTF8.self) }

    fileprivate var isBlank: Bool {
        ends.count == 1 && bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}

/// Turns bytes into records.
struct CSVReader {
    /// The longest record: longer ones are a missing quotation mark.
    static let recordBytesMax = 1 << 20

    private enum State {
        case fieldStart, plain, quoted, quoteInQuoted
    }

    private(set) var separator: UInt8?
    private var state = State.fieldStart
    private var record = CSVRecord()
    private var line = 1
    private var lastWasCR = false
    private var isAtStart = true
    /// The first bytes, kept until the first record is whole and the separator is known.
    private var head: [UInt8] = []

    /// Reads the next piece of the file.
    mutating func read(
        _ piece: [UInt8], _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard separator == nil else { return try scan(piece, body) }
        head.append(contentsOf: piece)
        guard isHeaderWhole || head.count > Self.recordBytesMax else { return }
        try beginScanning(body)
    }

    /// Ends the file: the last record may lack its line end.
    mutating func finish(
        _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        if separator == nil { try beginScanning(body) }
        if state == .quoted {
            throw .importRefused(
                "a quotation mark opened on line \(record.line) is never closed")
        }
        if !record.bytes.isEmpty || !record.ends.isEmpty || state != .fieldStart {
            try endRecord(body)
        }
    }

    // MARK: - The first record

    private mutating func beginScanning(
        _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        try dropByteOrderMark()
        let start = head
        head = []
        separator = Self.mostFrequentSeparator(start)
        try scan(start, body)
    }

    private mutating func dropByteOrderMark() throws(StoreError) {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        // Without a mark, UTF-16 shows as one of the first two bytes being NUL.
        guard isUTF16 || head.prefix(2).contains(0) else { return }
        throw .importRefused(
            "the file is UTF-16 (\"Unicode text\"), and only UTF-8 can be imported; save it as "
                + "\"CSV UTF-8\"")
    }

    private var isHeaderWhole: Bool {
        var isQuoted = false
        var hasText = false
        for byte in head {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            if isLineEnd && !isQuoted && hasText { return true }
            hasText = hasText || !isLineEnd
        }
        return false
    }

    private static func mostFrequentSeparator(_ bytes: [UInt8]) -> UInt8 {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        var counts = [0, 0, 0]
        var isQuoted = false
        var hasText = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            if isLineEnd && hasText { break }
            hasText = hasText || !isLineEnd
            if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.indices.max {
            counts[$0] < counts[$1] || (counts[$0] == counts[$1] && $0 > $1)
        }
        return separators[most ?? 0]
    }

    // MARK: - Records

    private mutating func scan(
        _ piece: [UInt8], _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        let separator = separator ?? UInt8(ascii: ",")
        for byte in piece {
            if byte == 0 {
                throw .importRefused(
                    "there is a NUL byte on line \(line); the file is not text, or it is UTF-16")
            }
            let followsCR = lastWasCR
            lastWasCR = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n") && followsCR {
                // The second half of a line end that was counted with its first; text in quotes.
                if state == .quoted { record.bytes.append(byte) }
                continue
            }
            let isLineEnd = byte == UInt8(ascii: "\n") || lastWasCR
            if isLineEnd { line += 1 }
            try take(byte, isLineEnd: isLineEnd, separator: separator, body)
        }
    }

    private mutating func take(
        _ byte: UInt8, isLineEnd: Bool, separator: UInt8,
        _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        let isQuote = byte == UInt8(ascii: "\"")
        switch state {
        case .quoted where !isQuote:
            try append(byte)
        case .quoted:
            state = .quoteInQuoted
        case .quoteInQuoted where isQuote:
            try append(byte)
            state = .quoted
        case .fieldStart where isQuote:
            state = .quoted
        case _ where isLineEnd:
            try endRecord(body)
        case _ where byte == separator:
            record.ends.append(record.bytes.count)
            state = .fieldStart
        default:
            try append(byte)
            state = .plain
        }
    }

    private mutating func append(_ byte: UInt8) throws(StoreError) {
        record.bytes.append(byte)
        if record.bytes.count > Self.recordBytesMax {
            throw .importRefused(
                "the row that begins on line \(record.line) is longer than 1 MiB; is a closing "
                    + "quotation mark missing?")
        }
    }

    private mutating func endRecord(
        _ body: (CSVRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        record.ends.append(record.bytes.count)
        if !record.isBlank { try body(record) }
        record.bytes.removeAll(keepingCapacity: true)
        record.ends.removeAll(keepingCapacity: true)
        record.line = line
        state = .fieldStart
    }
}
