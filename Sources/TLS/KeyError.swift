/// A file that can't be used as the signing key: what it is instead, and what to do.
///
/// Its text names the file and the kind of thing found, and nothing of what is in it.
package struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, as the user named it.
    package let file: String

    /// What was found, in words after "found": "an RSA key".
    package let found: String

    /// What to do about it, a sentence without its full stop.
    package let advice: String

    /// The whole sentence.
    package var description: String {
        "\(file): found \(found), not a signing key for push notifications; \(advice)"
    }

    /// Describes what was found, with the advice that fits most kinds.
    init(_ file: String, found: String, advice: String = KeyError.usualAdvice) {
        self.file = file
        self.found = found
        self.advice = advice
    }

    private static let usualAdvice =
        "use the AuthKey_….p8 file that Apple's developer site offers for download once"
}
