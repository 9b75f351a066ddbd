/// How a user's own text is shown in a message: quoted, on one line, without anything invisible.
package enum ShownText {
    /// The longest piece of a user's text in a message, in characters: enough to recognise it.
    package static let charactersMax = 60

    /// The text in double quotes, control and invisible characters as `\u{…}`, cut when long.
    ///
    /// - Parameter text: any text from a file.
    /// - Returns: one line that is safe for a terminal and a log.
    package static func quoted(_ text: String) -> String {
        var shown = "\""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < charactersMax else { return shown + "…\"" }
            append(scalar, to: &shown)
            count += 1
        }
        return shown + "\""
    }

    /// A character by its code point, such as `U+201C`.
    ///
    /// - Parameter scalar: any character.
    /// - Returns: `U+` and at least four hexadecimal digits.
    package static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func append(_ scalar: Unicode.Scalar, to shown: inout String) {
        switch scalar {
        case "\"": shown += "\\\""
        case "\\": shown += "\\\\"
        case "\n": shown += "\\n"
        case "\r": shown += "\\r"
        case "\t": shown += "\\t"
        default:
            if isInvisible(scalar) {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }

    /// Control, format (zero width, direction marks) and blank characters other than the space.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned:
            true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }
}
