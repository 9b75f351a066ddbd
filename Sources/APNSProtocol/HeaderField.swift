/// Whether a header's value may enter the dynamic table of HTTP/2's header compression.
package enum HeaderIndexing: Sendable {
    /// The value is the same for many requests of a connection: worth a place in the table.
    case allowed
    /// The value changes from request to request and would only push the others out.
    case never
}

/// One header of a request.
package struct HeaderField: Sendable, Equatable {
    /// The name, lower case.
    package let name: String
    /// The value's bytes.
    package let value: [UInt8]
    /// Whether the value may be indexed.
    package let indexing: HeaderIndexing

    /// A header.
    ///
    /// - Parameters:
    ///   - name: The name, lower case.
    ///   - value: The value. Its checks lie in the reader of the campaign file; one that could
    ///     break a header apart here is a bug, and stops the program.
    ///   - indexing: Whether the value may be indexed.
    package init(name: String, value: [UInt8], indexing: HeaderIndexing = .allowed) {
        precondition(Self.isFit(value.span), "The value of \(name) is not fit for a header.")
        self.name = name
        self.value = value
        self.indexing = indexing
    }

    /// Whether bytes may be a header's value: no control characters, no blank at an end.
    /// *Source:* RFC 9110, section 5.5; RFC 9113, section 8.2.1.
    static func isFit(_ value: Span<UInt8>) -> Bool {
        for index in 0..<value.count where value[index] < 0x20 || value[index] == 0x7F {
            return false
        }
        guard value.count > 0 else { return true }
        return value[0] != 0x20 && value[value.count - 1] != 0x20
    }
}
