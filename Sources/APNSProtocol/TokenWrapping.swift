/// What stands around a device token in somebody's export.
struct TokenWrapping {
    /// The token without it; may have blanks inside.
    let inner: Range<Int>
    /// Whether there was anything.
    let isWrapped: Bool

    /// Peels blanks and pairs of marks off, from the outside in, until nothing is left to peel.
    init(_ raw: Span<UInt8>) {
        var range = 0..<raw.count
        var previous: Range<Int>
        repeat {
            previous = range
            range = Self.withoutBlanks(raw, range)
            range = Self.withoutMarks(raw, range)
        } while range != previous
        inner = range
        isWrapped = range.count < raw.count
    }

    /// The length of the blank at a place, in bytes; 0 if none stands there.
    ///
    /// Blanks are the ASCII ones, the no-break space that rich text brings, and the byte-order
    /// mark that stands before a file's first cell.
    static func blank(in raw: Span<UInt8>, at index: Int) -> Int {
        switch raw[index] {
        case 0x20, 0x09, 0x0A, 0x0D: 1
        case 0xC2 where index + 1 < raw.count && raw[index + 1] == 0xA0: 2
        case 0xEF where ASCII.has("\u{FEFF}", in: raw, at: index): 3
        default: 0
        }
    }

    private static func withoutBlanks(_ raw: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, case let length = blank(in: raw, at: start), length > 0 {
            start += length
        }
        while start < end, let length = trailingBlank(in: raw, before: end) { end -= length }
        return start..<max(start, end)
    }

    private static func trailingBlank(in raw: Span<UInt8>, before end: Int) -> Int? {
        for length in 1...3 where end >= length && blank(in: raw, at: end - length) == length {
            return length
        }
        return nil
    }

    /// Takes off `<…>`, `"…"`, `'…'`, `=` before a quotation mark, and a lone `'` in front.
    private static func withoutMarks(_ raw: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        guard range.count >= 2 else { return range }
        let (first, last) = (raw[range.lowerBound], raw[range.upperBound - 1])
        let rest = range.lowerBound + 1
        switch (first, last) {
        case (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "\""), UInt8(ascii: "\"")),
            (UInt8(ascii: "'"), UInt8(ascii: "'")):
            return rest..<(range.upperBound - 1)
        case (UInt8(ascii: "'"), _): return rest..<range.upperBound
        case (UInt8(ascii: "="), _) where raw[rest] == UInt8(ascii: "\""):
            return rest..<range.upperBound
        default: return range
        }
    }
}
