/// A JSON document to print, with its keys in the order given.
///
/// Keys are part of the program's promise to scripts: they are added, never renamed.
indirect enum JSONOutput: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    /// A value that is JSON already, as PostgreSQL writes numbers and jsonb.
    case verbatim(String)
    case list([JSONOutput])
    case object([(key: String, value: JSONOutput)])

    static func == (left: JSONOutput, right: JSONOutput) -> Bool { left.line == right.line }

    static func optional(_ text: String?) -> JSONOutput { text.map(JSONOutput.text) ?? .null }

    /// The document on one line, without a line end.
    var line: String {
        var text = ""
        append(to: &text, indent: nil)
        return text
    }

    /// The document over several lines, indented by two blanks, with a last line end.
    var lines: String {
        var text = ""
        append(to: &text, indent: 0)
        return text + "\n"
    }

    /// A list of rows, one on each line, with a last line end.
    static func linesOfRows(_ rows: [JSONOutput]) -> String {
        if rows.isEmpty { return "[]\n" }
        return "[\n" + rows.map { "  \($0.line)" }.joined(separator: ",\n") + "\n]\n"
    }

    private func append(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.number(value)
        case .text(let value): Self.appendQuoted(value, to: &text)
        case .verbatim(let value): text += value
        case .list(let values):
            Self.appendItems(values.map { (nil, $0) }, "[", "]", to: &text, indent: indent)
        case .object(let pairs):
            Self.appendItems(pairs.map { ($0.key, $0.value) }, "{", "}", to: &text, indent: indent)
        }
    }

    private static func appendItems(
        _ items: [(String?, JSONOutput)], _ open: String, _ close: String, to text: inout String,
        indent: Int?
    ) {
        text += open
        let inner = indent.map { $0 + 1 }
        for (index, (key, value)) in items.enumerated() {
            if index > 0 { text += indent == nil ? ", " : "," }
            appendBreak(to: &text, indent: inner)
            if let key {
                appendQuoted(key, to: &text)
                text += ": "
            }
            value.append(to: &text, indent: inner)
        }
        if !items.isEmpty { appendBreak(to: &text, indent: indent) }
        text += close
    }

    private static func appendBreak(to text: inout String, indent: Int?) {
        guard let indent else { return }
        text += "\n" + String(repeating: "  ", count: indent)
    }

    /// JSON has no word for infinity and not-a-number, so they become null.
    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "null"
    }

    private static func appendQuoted(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20: text += controlEscape(scalar.value)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private static func controlEscape(_ code: UInt32) -> String {
        let digits = String(code, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
