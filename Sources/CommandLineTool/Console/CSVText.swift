/// Rows of comma-separated values as RFC 4180 has them: CRLF line ends, quotes where needed.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4180
enum CSVText {
    /// One line with its line end. A nil cell is empty; an empty text is a pair of quotes, so that
    /// the two can be told apart again.
    static func line(_ cells: [String?]) -> String {
        cells.map(cell).joined(separator: ",") + "\r\n"
    }

    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let needsQuotes =
            text.isEmpty
            || text.utf8.contains { byte in
                byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"")
                    || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            }
        guard needsQuotes else { return text }
        let doubled = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + doubled.joined(separator: "\"\"") + "\""
    }
}
