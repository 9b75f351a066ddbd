internal import DocumentTree

/// Finds in a scalar what its author cannot have meant.
///
/// YAML takes nearly everything for text, so a `//` comment or a typographic quote would silently
/// become part of a key or of a message to a million people.
enum ScalarCheck {
    /// What is wrong, and how many characters of the scalar stand before it.
    struct Fault {
        let charactersBefore: Int
        let message: String
    }

    /// The advice for a comment of another language.
    static let commentAdvice = "// and /* begin no comment here; write # instead, or quote the text"

    /// The first thing that is wrong with a scalar.
    ///
    /// - Parameters:
    ///   - scalar: a key or a value as the parser delivered it.
    ///   - isKey: whether it is a key.
    /// - Returns: nil when nothing is wrong.
    static func fault(in scalar: ParsedScalar, isKey: Bool) -> Fault? {
        guard let text = scalar.text else {
            return Fault(
                charactersBefore: 0,
                message: "an escape in this text is no character, such as half of a surrogate "
                    + "pair (\\ud83d); write the character itself")
        }
        if text.unicodeScalars.contains("\0") {
            return Fault(
                charactersBefore: 0,
                message: "this text has the character U+0000, which devices and databases "
                    + "do not take; remove it")
        }
        guard scalar.style == .plain else { return nil }
        return comment(in: text) ?? typographicQuote(in: text)
            ?? invisible(in: text, isKey: isKey)
    }

    /// Whether a character is a quotation mark of a word processor.
    ///
    /// - Parameter character: any character.
    /// - Returns: true for the curly, low and angle quotation marks.
    static func isTypographicQuote(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x2018...0x201F, 0x2039, 0x203A, 0xAB, 0xBB: true
        default: false
        }
    }

    /// The advice for a quotation mark of a word processor.
    ///
    /// - Parameter character: the mark that was found.
    /// - Returns: a sentence that names it.
    static func quoteAdvice(_ character: Unicode.Scalar) -> String {
        "the typographic quote \(character) (\(ShownText.codePoint(character))) does not begin a "
            + "quoted text; use the plain quote \" (U+0022)"
    }

    private static func comment(in text: String) -> Fault? {
        var before: Unicode.Scalar = " "
        var previous: Unicode.Scalar = " "
        for (index, character) in text.unicodeScalars.enumerated() {
            if previous == "/", before == " ", character == "/" || character == "*" {
                return Fault(charactersBefore: max(0, index - 1), message: commentAdvice)
            }
            (before, previous) = (previous == "\n" ? " " : previous, character)
        }
        return nil
    }

    private static func typographicQuote(in text: String) -> Fault? {
        guard let first = text.unicodeScalars.first, isTypographicQuote(first) else { return nil }
        return Fault(charactersBefore: 0, message: quoteAdvice(first))
    }

    /// A blank that is no plain blank: anywhere in a key, at the ends of a value.
    private static func invisible(in text: String, isKey: Bool) -> Fault? {
        let last = text.unicodeScalars.count - 1
        for (index, character) in text.unicodeScalars.enumerated()
        where isKey || index == 0 || index == last {
            guard isForeignBlank(character) else { continue }
            return Fault(
                charactersBefore: index,
                message: "the invisible character \(ShownText.codePoint(character)) stands here; "
                    + "replace it by a plain blank")
        }
        return nil
    }

    private static func isForeignBlank(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0xA0, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000,
            0xFEFF:
            true
        default: false
        }
    }
}
