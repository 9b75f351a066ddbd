/// One field of a header section.
package struct BlockField: Sendable, Equatable {
    /// The name's bytes, lower case.
    package let name: [UInt8]
    /// The value's bytes.
    package let value: [UInt8]
    /// Whether the field enters no table, here or at any intermediary (RFC 7541, section 7.1.3).
    package let isNeverIndexed: Bool

    /// A field.
    ///
    /// - Parameters:
    ///   - name: lower case, not empty.
    ///   - value: any bytes.
    ///   - isNeverIndexed: whether it enters no table anywhere.
    package init(name: [UInt8], value: [UInt8], isNeverIndexed: Bool = false) {
        self.name = name
        self.value = value
        self.isNeverIndexed = isNeverIndexed
    }

    /// What the field takes up in a table (RFC 7541, section 4.1).
    var tableBytes: Int { name.count + value.count + 32 }
}
