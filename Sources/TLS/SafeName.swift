/// Names out of certificates, fit to be shown.
enum SafeName {
    /// Decodes UTF-8; what could move a terminal's cursor or turn its text around becomes `?`.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text.append("?")
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
