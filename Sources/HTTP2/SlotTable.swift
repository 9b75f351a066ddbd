/// What a session knows of each open stream: a flat table, found by the stream's slot.
///
/// A slot is a small number chosen so that no dictionary is needed. The table grows by doubling
/// and never shrinks, so in the steady state it allocates nothing.
///
/// - Ownership and thread: the session that made it, on its thread.
@safe final class SlotTable<Entry: BitwiseCopyable> {
    private var entries: UnsafeMutableBufferPointer<Entry>
    private let empty: Entry

    init(empty: Entry, capacity: Int = 128) {
        self.empty = empty
        unsafe entries = .allocate(capacity: capacity)
        unsafe entries.initialize(repeating: empty)
    }

    deinit { unsafe entries.deallocate() }

    /// Number of slots there are, used or not.
    var count: Int { unsafe entries.count }

    /// The entry of a slot below `count`.
    subscript(slot: Int) -> Entry {
        get {
            precondition(slot >= 0 && slot < count, "no such slot")
            // Sound: bounds checked above; every entry is initialised when allocated.
            return unsafe entries[slot]
        }
        _modify {
            precondition(slot >= 0 && slot < count, "no such slot")
            // Sound: as above.
            yield unsafe &entries[slot]
        }
    }

    /// Makes `slot` a valid index.
    func grow(toHold slot: Int) {
        guard slot >= count else { return }
        let grown = UnsafeMutableBufferPointer<Entry>.allocate(
            capacity: max(slot + 1, 2 * count))
        // Sound: the old entries fit into the larger table and the rest is filled here; entries
        // are trivial, so the old memory needs no clean-up.
        let filled = unsafe grown.update(fromContentsOf: entries)
        unsafe grown[filled...].initialize(repeating: empty)
        unsafe entries.deallocate()
        unsafe entries = grown
    }
}
