/// A value of a document as its author wrote it: nothing is resolved yet.
///
/// Whether `no`, `0042` or `1.10` is a text, a number or a truth value is for the field to say that
/// wants it, so scalars keep the characters of the file.
package struct DocumentNode: Sendable, Hashable {
    /// What the value is made of.
    package enum Content: Sendable, Hashable {
        /// One text, number or word.
        case scalar(DocumentScalar)
        /// A list: `[ … ]` or lines that begin with `-`.
        case sequence([DocumentNode])
        /// Fields with values, in the order of the file; no key stands twice.
        case mapping([DocumentEntry])
    }

    /// What the value is made of.
    package let content: Content
    /// Where the value begins; of a quoted text, its opening quote.
    package let place: SourcePlace

    /// A value at a place.
    ///
    /// - Parameters:
    ///   - content: what it is made of.
    ///   - place: where it begins.
    package init(_ content: Content, at place: SourcePlace) {
        self.content = content
        self.place = place
    }
}

/// One text, number or word, unresolved.
package struct DocumentScalar: Sendable, Hashable {
    /// How the author wrote it: a field that wants a number takes only plain ones.
    package enum Style: Sendable, Hashable {
        /// Bare: `no`, `12`, `weekend-sale`.
        case plain
        /// In single or double quotes.
        case quoted
        /// A block of text after `|` or `>`.
        case block
    }

    /// The characters, without quotes, with escapes resolved; line ends are LF.
    package let text: String
    /// How the author wrote it.
    package let style: Style

    /// A scalar.
    ///
    /// - Parameters:
    ///   - text: its characters.
    ///   - style: how it was written.
    package init(_ text: String, style: Style) {
        self.text = text
        self.style = style
    }
}

/// A key with its value.
package struct DocumentEntry: Sendable, Hashable {
    /// The key's characters.
    package let key: String
    /// Where the key begins.
    package let keyPlace: SourcePlace
    /// The value.
    package let value: DocumentNode

    /// A key with its value.
    ///
    /// - Parameters:
    ///   - key: the key's characters.
    ///   - keyPlace: where the key begins.
    ///   - value: the value.
    package init(key: String, keyPlace: SourcePlace, value: DocumentNode) {
        self.key = key
        self.keyPlace = keyPlace
        self.value = value
    }
}
