// Statement parameters, in PostgreSQL's text format.

/// One parameter of a statement. It goes to the server in text format and gets its type from the
/// statement (`$1::bigint`), so numbers and arrays need no type codes here.
package enum PGValue: Sendable, Equatable, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral, ExpressibleByBooleanLiteral
{
    case null
    case text(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case integers([Int64])
    /// An array of texts; nil elements are NULL.
    case texts([String?])

    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// NULL.
    package init(nilLiteral: ()) { self = .null }
    /// A boolean.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// A text, or NULL for nil.
    package static func optional(_ text: String?) -> PGValue { text.map(PGValue.text) ?? .null }
    /// An integer, or NULL for nil.
    package static func optional(_ integer: Int64?) -> PGValue {
        integer.map(PGValue.integer) ?? .null
    }

    /// The value as PostgreSQL reads it; nil is NULL. A NUL character ends a C string and is no
    /// legal text in PostgreSQL, so it is replaced.
    var wireText: String? {
        switch self {
        case .null: nil
        case .text(let text): text.contains("\0") ? Self.withoutNUL(text) : text
        case .integer(let integer): String(integer)
        case .double(let double): String(double)
        case .boolean(let boolean): boolean ? "t" : "f"
        case .integers(let integers): "{" + integers.map(String.init).joined(separator: ",") + "}"
        case .texts(let texts): "{" + texts.map(Self.arrayElement).joined(separator: ",") + "}"
        }
    }

    private static func withoutNUL(_ text: String) -> String {
        String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 })
    }

    /// An element in PostgreSQL's array syntax, always quoted (manual, section 8.15.6).
    private static func arrayElement(_ text: String?) -> String {
        guard let text else { return "NULL" }
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "\0": quoted += "\u{FFFD}"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }
}
