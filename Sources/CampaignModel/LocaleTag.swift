/// Language tags such as `en`, `fr-CA` or `zh-Hant-TW`: compared without case, `_` the same as `-`.
package enum LocaleTag {
    /// The form in which tags are compared: lower case, parts joined by `-`.
    ///
    /// - Parameter tag: a tag as an app or a person writes it.
    /// - Returns: the tag in normal form; only ASCII letters change.
    package static func normalised(_ tag: String) -> String {
        String(decoding: tag.utf8.map(normalised), as: UTF8.self)
    }

    /// Whether a tag has the form of a language tag: letters and digits in parts of 1 to 8, the
    /// first part 2 or more letters.
    ///
    /// Source: RFC 5646, section 2.1; only the form is looked at, not the registry.
    ///
    /// - Parameter tag: a tag in normal form.
    /// - Returns: whether the form is right.
    package static func isWellFormed(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = parts.first, (2...8).contains(language.count),
            language.allSatisfy(isLetter)
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    /// The best of some locales for a device: its own tag, else the tag without its last part, and
    /// so on (`fr-ca`, then `fr`).
    ///
    /// - Parameters:
    ///   - deviceLocale: the device's tag as the app reported it; nil when unknown.
    ///   - locales: tags in normal form.
    /// - Returns: an index into `locales`; nil when none fits.
    package static func bestMatch(for deviceLocale: String?, among locales: [String]) -> Int? {
        guard let deviceLocale else { return nil }
        var wanted = normalised(deviceLocale)
        while true {
            if let index = locales.firstIndex(of: wanted) { return index }
            guard let end = wanted.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
            wanted = String(wanted[..<end])
        }
    }

    private static func normalised(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "_"): UInt8(ascii: "-")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: byte
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
