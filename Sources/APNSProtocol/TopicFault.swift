/// Why a text is not the bundle id of an app.
package enum TopicFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nothing, or nothing but blanks.
    case empty
    /// The placeholder's angle brackets were copied along.
    case angleBrackets
    /// Quotation marks are part of the text.
    case quotationMarks
    /// Blanks or line breaks in the middle or around.
    case blanks
    /// A character that bundle ids do not have.
    case foreignCharacter(Unicode.Scalar)
    /// A dot at an end, or two in a row.
    case emptyPart
    /// Longer than any bundle id.
    case tooLong(bytes: Int)

    /// What is wrong and what to write instead, fit to follow a field's name.
    package var description: String {
        switch self {
        case .empty: "is empty; write the app's bundle id, like com.example.shop"
        case .angleBrackets: "has angle brackets; write the bundle id without them"
        case .quotationMarks: "has quotation marks inside it; write the bundle id without them"
        case .blanks: "has blanks or line breaks; write the bundle id without them"
        case .foreignCharacter(let scalar):
            "contains U+\(String(scalar.value, radix: 16, uppercase: true)); a bundle id has only "
                + "letters, digits, hyphens and dots"
        case .emptyPart: "has a dot too many; a bundle id looks like com.example.shop"
        case .tooLong(let bytes):
            "is \(bytes) bytes long; at most \(APNSLimits.topicBytesMax) are believed"
        }
    }
}
