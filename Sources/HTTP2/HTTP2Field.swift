/// One header field: a lower-case name, a value, and whether the peer may keep it in its table.
package struct HTTP2Field: Sendable, Equatable {
    /// What HPACK may do with a field (RFC 7541, section 6.2).
    package enum Indexing: Sendable {
        /// The encoder decides; a field that repeats costs one or two bytes from its second use.
        case allowed
        /// The value is sent as a literal each time and never enters a table: for secrets, and for
        /// values that differ in every request and would only evict useful entries.
        case never
    }

    /// Lower case, not empty.
    package let name: String
    /// The value's bytes, without line breaks.
    package let value: [UInt8]
    /// What HPACK may do with the field.
    package let indexing: Indexing

    /// Makes a field of a name and the bytes of its value.
    ///
    /// - Parameters:
    ///   - name: Lower case, as HTTP/2 demands (RFC 9113, section 8.2.1); anything else is a
    ///     programmer's error.
    ///   - value: The value's bytes.
    ///   - indexing: What HPACK may do with the field.
    package init(name: String, value: [UInt8], indexing: Indexing = .allowed) {
        precondition(
            !name.isEmpty && !name.utf8.contains { (0x41...0x5A).contains($0) },
            "a header name must be lower case")
        self.name = name
        self.value = value
        self.indexing = indexing
    }

    /// Makes a field of two texts.
    ///
    /// - Parameters:
    ///   - name: Lower case.
    ///   - value: The value's text.
    ///   - indexing: What HPACK may do with the field.
    package init(_ name: String, _ value: String, indexing: Indexing = .allowed) {
        self.init(name: name, value: Array(value.utf8), indexing: indexing)
    }
}
