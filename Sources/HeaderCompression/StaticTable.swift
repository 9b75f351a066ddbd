/// The rows of HPACK's static table that a push request can use.
///
/// *Source:* RFC 7541, appendix A.
enum StaticTable {
    /// The number of rows; the dynamic table's newest entry has the index after it.
    static let count = 61
    /// The row whose name is `:path`.
    static let path = 4

    /// The row that is this field, name and value.
    static func index(of field: BlockField) -> Int? {
        rows.first { Array($0.name.utf8) == field.name && Array($0.value.utf8) == field.value }?
            .index
    }

    /// A row with this name.
    static func index(ofName name: [UInt8]) -> Int? {
        rows.first { Array($0.name.utf8) == name }?.index
    }

    private static let rows: [(index: Int, name: String, value: String)] = [
        (1, ":authority", ""),
        (3, ":method", "POST"),
        (4, ":path", "/"),
        (7, ":scheme", "https"),
        (19, "accept", ""),
        (23, "authorization", ""),
        (28, "content-length", ""),
        (31, "content-type", ""),
        (58, "user-agent", ""),
    ]
}
