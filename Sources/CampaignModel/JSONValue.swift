/// A value of a message's data, ready to become strict JSON.
package indirect enum JSONValue: Sendable, Equatable {
    /// A text, possibly with fields of the recipient.
    case text(TextTemplate)
    /// A number in the form of RFC 8259, section 6: every digit as written.
    case number(String)
    /// `true` or `false`.
    case truth(Bool)
    /// `null`.
    case null
    /// A list.
    case list([JSONValue])
    /// Keys with values, in the order of the file.
    case object([JSONMember])
}

/// A key of a message's data with its value.
package struct JSONMember: Sendable, Equatable {
    /// The key; no template.
    package let key: String
    /// The value.
    package let value: JSONValue

    /// A key with its value.
    ///
    /// - Parameters:
    ///   - key: any text; at the top level not `aps`.
    ///   - value: the value.
    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}
