/// How the path of a field is written: `message.translations.hu.title`, `credentials[0].app`.
package enum PathText {
    /// A key as a part of a path: bare where it is a plain word, else shown in quotes.
    ///
    /// - Parameter key: any key of a file.
    /// - Returns: one line, safe for a message.
    package static func part(_ key: String) -> String {
        let isWord =
            !key.isEmpty && key.utf8.count <= ShownText.charactersMax
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isWord ? key : ShownText.quoted(key)
    }

    /// Joins parts from the root on; an index such as `[0]` follows without a dot.
    ///
    /// - Parameter parts: keys made by ``part(_:)`` and indices in brackets.
    /// - Returns: the path.
    package static func joined(_ parts: [String]) -> String {
        parts.reduce(into: "") { path, part in
            path += (path.isEmpty || part.hasPrefix("[") ? "" : ".") + part
        }
    }
}
