/// HPACK's dynamic table as the encoder keeps it: the mirror of the peer's.
///
/// New entries come first; when there is no room the oldest go (RFC 7541, sections 2.3.2, 4.3 and
/// 4.4). Entries are few and change with the provider token, so an array does.
struct DynamicTable: Sendable {
    /// Newest first.
    private var entries: [BlockField] = []
    /// What the entries take up.
    private var bytes = 0
    /// What they may take up.
    private(set) var capacityBytes: Int

    init(capacityBytes: Int) {
        self.capacityBytes = capacityBytes
    }

    /// The index of an entry that is this field, name and value.
    func index(of field: BlockField) -> Int? {
        entries.firstIndex { $0.name == field.name && $0.value == field.value }
            .map { $0 + StaticTable.count + 1 }
    }

    /// The index of an entry with this name.
    func index(ofName name: [UInt8]) -> Int? {
        entries.firstIndex { $0.name == name }.map { $0 + StaticTable.count + 1 }
    }

    /// Adds an entry that fits into the capacity.
    mutating func insert(_ field: BlockField) {
        precondition(field.tableBytes <= capacityBytes, "an entry larger than the table")
        evict(until: capacityBytes - field.tableBytes)
        entries.insert(field, at: 0)
        bytes += field.tableBytes
    }

    /// Changes the capacity, perhaps at the cost of the oldest entries.
    mutating func resize(toBytes capacity: Int) {
        capacityBytes = capacity
        evict(until: capacity)
    }

    private mutating func evict(until limit: Int) {
        while bytes > limit, let oldest = entries.popLast() { bytes -= oldest.tableBytes }
    }
}
