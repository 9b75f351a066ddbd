/// The text of a key file, made tolerant: what reaches us went through editors, forms, environment
/// variables and secret stores.
///
/// Taken as they are: CRLF or CR line ends, a byte-order mark, a missing last newline, base64 on
/// one line, everything on one line, and the two characters `\n` instead of newlines. The first
/// private key of the text counts; certificates or parameters around it do not.
struct KeyText {
    /// What stands between "-----BEGIN " and "-----".
    let label: String

    /// The base64 digits, without blanks and line ends.
    let digits: [UInt8]

    private static let beginning = Array("-----BEGIN ".utf8)
    private static let dashes = Array("-----".utf8)

    /// Finds the key in a file's bytes.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - file: its name for the error's text.
    /// - Throws: `KeyError` when there is no private key that could be one.
    init(_ bytes: [UInt8], file: String) throws(KeyError) {
        let text = Self.withRealNewlines(bytes)
        var blocks: [(label: String, body: ArraySlice<UInt8>)] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: Self.beginning) {
            guard let block = Self.block(rest[begin.upperBound...]) else {
                throw KeyError(
                    file, found: "a PEM text without its END line",
                    advice: "the file was cut off; copy it again as a whole")
            }
            blocks.append((block.label, block.body))
            rest = rest[block.end...]
        }
        let key = blocks.first { $0.label.hasSuffix("PRIVATE KEY") }
        guard let chosen = key ?? blocks.first else { throw Self.unmarked(bytes, file: file) }
        if let refused = Self.refusal(label: chosen.label, body: chosen.body, file: file) {
            throw refused
        }
        label = chosen.label
        digits = chosen.body.filter { $0 > UInt8(ascii: " ") }
    }

    /// Replaces a backslash and `n` or `r` by a newline.
    private static func withRealNewlines(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let isEscape =
                bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count
                && (bytes[index + 1] == UInt8(ascii: "n") || bytes[index + 1] == UInt8(ascii: "r"))
            text.append(isEscape ? UInt8(ascii: "\n") : bytes[index])
            index += isEscape ? 2 : 1
        }
        return text
    }

    /// Reads label, body and end of a block whose beginning was just passed.
    private static func block(
        _ text: ArraySlice<UInt8>
    ) -> (label: String, body: ArraySlice<UInt8>, end: Int)? {
        guard let labelEnd = text.firstRange(of: dashes) else { return nil }
        let label = String(decoding: text[..<labelEnd.lowerBound], as: UTF8.self)
        let ending = Array("-----END \(label)-----".utf8)
        guard let end = text[labelEnd.upperBound...].firstRange(of: ending) else { return nil }
        return (label, text[labelEnd.upperBound..<end.lowerBound], end.upperBound)
    }

    /// Says why a block is not a key for signing; nil if it may be one.
    private static func refusal(
        label: String, body: ArraySlice<UInt8>, file: String
    ) -> KeyError? {
        // "Proc-Type: 4,ENCRYPTED" is the older form, RFC 1421.
        let isEncrypted = body.firstRange(of: Array("ENCRYPTED".utf8)) != nil
        if label == "ENCRYPTED PRIVATE KEY" || isEncrypted {
            return KeyError(
                file, found: "a key that is encrypted with a password",
                advice: "remove the password with `openssl pkcs8 -topk8 -nocrypt -in FILE`, "
                    + "or use the .p8 file as Apple offered it")
        }
        switch label {
        case "PRIVATE KEY", "EC PRIVATE KEY": return nil
        case "RSA PRIVATE KEY": return KeyError(file, found: "an RSA key")
        case "DSA PRIVATE KEY": return KeyError(file, found: "a DSA key")
        case "OPENSSH PRIVATE KEY": return KeyError(file, found: "an OpenSSH key")
        case _ where label.hasSuffix("PUBLIC KEY"):
            return KeyError(file, found: "a public key")
        case _ where label.hasSuffix("CERTIFICATE REQUEST"):
            return KeyError(file, found: "a certificate request")
        case _ where label.hasSuffix("CERTIFICATE"):
            return KeyError(file, found: "a certificate", advice: certificateAdvice)
        default: return KeyError(file, found: "a PEM text of another kind")
        }
    }

    private static let certificateAdvice =
        "a client certificate is named as certificate_file, without key_id and team_id"

    /// Says what a file without any BEGIN line is.
    private static func unmarked(_ bytes: [UInt8], file: String) -> KeyError {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            return KeyError(file, found: "text in UTF-16", advice: "save it as UTF-8")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
        if text.allSatisfy({ $0 <= UInt8(ascii: " ") && $0 != 0 }) {
            return KeyError(file, found: "an empty file")
        }
        if text.contains(where: { $0 == 0 || $0 > 0x7E }) {
            return KeyError(
                file, found: "binary data, such as a .p12 or .der file holds",
                advice: certificateAdvice)
        }
        // "-----BEGIN" in base64.
        if text.starts(with: Array("LS0tLS1CRUdJTi".utf8)) {
            return KeyError(
                file, found: "a PEM text that was encoded in base64 once more",
                advice: "decode it with `base64 -d`")
        }
        return KeyError(
            file, found: "text without a line -----BEGIN PRIVATE KEY-----",
            advice: "copy the .p8 file as a whole, its first and last line too")
    }
}
