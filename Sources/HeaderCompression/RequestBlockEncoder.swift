/// Encodes the header section of push requests as HPACK blocks: one encoder for each connection,
/// and every block of the connection its own.
///
/// The requests of a connection differ in `:path` only. So the other fields are put into the
/// peer's dynamic table by the first block and cost one byte each from then on; the path is a
/// literal that enters no table, in the Huffman code where that is shorter.
///
///     [table size updates] [pseudo-header fields] [:path] [other fields]
///
/// Which fields enter the table is planned: the longest first, as many as fit together, so that no
/// entry of ours ever pushes out another for good. A block that inserts leaves the table changed,
/// so the next one is made anew; as soon as nothing is left to insert, the fixed part is kept as
/// bytes and copied. It is made anew when the fields change (a provider token was renewed) or the
/// table's size does.
///
/// The peer's table and this one stay alike only if every block is sent, in the order of encoding.
/// *Source:* RFC 7541.
///
/// A class, because a struct of this size kept in another object would be copied for each look at
/// it, with a reference counted for each of its arrays.
package final class RequestBlockEncoder {
    /// The size in which every table begins (RFC 9113, section 6.5.2), and the most that is used
    /// of what a peer allows: some ten times what the fields of a push take up.
    package static let tableBytesMax = 4096

    private let writer = BlockWriter()
    private var table = DynamicTable(capacityBytes: tableBytesMax)
    private var leading: [BlockField] = []
    private var trailing: [BlockField] = []
    /// The fields that are to be in the table.
    private var planned: [BlockField] = []
    /// The smallest capacity since the last block, and the one that holds now; nil: no change.
    private var resizing: (least: Int, last: Int)?
    /// What stands before and after the path, once nothing is left to insert.
    private var fixed: FixedParts?
    /// The most that a block without its path can take up, and while it is being written.
    private var fieldsBytesMax = 0
    private var fieldsRoomBytes = 0

    /// An encoder for a new connection.
    package init() {}

    /// Sets the fields of the blocks from now on.
    ///
    /// - Parameters:
    ///   - leading: what stands before `:path`: pseudo-header fields.
    ///   - trailing: what stands after it.
    package func use(leading: [BlockField], trailing: [BlockField]) {
        self.leading = leading
        self.trailing = trailing
        fieldsBytesMax = 2 * BlockWriter.integerBytesMax
        fieldsRoomBytes = fieldsBytesMax
        for text in (leading + trailing).flatMap({ [$0.name, $0.value] }) {
            fieldsBytesMax += 2 * BlockWriter.integerBytesMax + text.count
            fieldsRoomBytes += BlockWriter.integerBytesMax + BlockWriter.textRoomBytes(text.count)
        }
        plan()
    }

    /// The peer's SETTINGS_HEADER_TABLE_SIZE has changed: to be called once for every change and in
    /// their order, at the time when the acknowledgement goes out. A value below what is in use is
    /// told to the peer by the next block, and a rise after it as well (RFC 7541, section 4.2).
    ///
    /// - Parameter bytes: the new value, 0 or more; nothing above ``tableBytesMax`` is used.
    package func limitTable(toBytes bytes: Int) {
        let capacity = min(bytes, Self.tableBytesMax)
        resizing = (min(capacity, resizing?.least ?? capacity), capacity)
        plan()
    }

    /// The most bytes that a block with a path of this length has.
    ///
    /// - Parameter pathCount: the path's length in bytes.
    /// - Returns: bytes.
    package func blockBytesMax(pathCount: Int) -> Int {
        fieldsBytesMax + 2 * BlockWriter.integerBytesMax + pathCount
    }

    /// The most bytes that a block with a path of this length takes up while it is being written.
    ///
    /// - Parameter pathCount: the path's length in bytes.
    /// - Returns: bytes.
    package func roomBytes(pathCount: Int) -> Int {
        fieldsRoomBytes + BlockWriter.integerBytesMax + BlockWriter.textRoomBytes(pathCount)
    }

    /// Encodes the next block, which then has to be sent.
    ///
    /// - Parameters:
    ///   - path: the value of `:path`.
    ///   - target: where to.
    ///   - offset: where in it the block begins, with room for ``roomBytes(pathCount:)``.
    /// - Returns: where it ends.
    package func encode(
        path: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        guard let fixed else { return encodeAnew(path, into: &target, at: offset) }
        var end = Self.copy(fixed.before, into: &target, at: offset)
        end = write(path, into: &target, at: end)
        return Self.copy(fixed.after, into: &target, at: end)
    }

    /// What stands before and after the path. An object, because looking at it counts one
    /// reference, and at two arrays in an optional four.
    private final class FixedParts: Sendable {
        let before: [UInt8]
        let after: [UInt8]

        init(before: [UInt8], after: [UInt8]) {
            self.before = before
            self.after = after
        }
    }

    // MARK: - With changes of the table

    private func encodeAnew(
        _ path: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        var end = writeResizing(into: &target, at: offset)
        for field in leading { end = write(field, into: &target, at: end) }
        end = write(path, into: &target, at: end)
        for field in trailing { end = write(field, into: &target, at: end) }
        keepFixed()
        return end
    }

    private func writeResizing(
        into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        guard let (least, last) = resizing else { return offset }
        resizing = nil
        var end = offset
        for capacity in least == last ? [last] : [least, last]
        where capacity != table.capacityBytes {
            table.resize(toBytes: capacity)
            end = writer.write(capacity, prefixBits: 5, pattern: 0x20, into: &target, at: end)
        }
        return end
    }

    private func write(
        _ field: BlockField, into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        if let index = StaticTable.index(of: field) ?? table.index(of: field),
            !field.isNeverIndexed
        {
            return writer.write(index, prefixBits: 7, pattern: 0x80, into: &target, at: offset)
        }
        let nameIndex = StaticTable.index(ofName: field.name) ?? table.index(ofName: field.name)
        let isPlanned = planned.contains(field)
        let (bits, pattern): (Int, UInt8) =
            isPlanned ? (6, 0x40) : (4, field.isNeverIndexed ? 0x10 : 0x00)
        var end = writer.write(
            nameIndex ?? 0, prefixBits: bits, pattern: pattern, into: &target, at: offset)
        if nameIndex == nil { end = writer.write(field.name.span, into: &target, at: end) }
        if isPlanned { table.insert(field) }
        return writer.write(field.value.span, into: &target, at: end)
    }

    /// Keeps the bytes before and after the path if the next block would change nothing.
    private func keepFixed() {
        guard planned.allSatisfy({ table.index(of: $0) != nil }) else { return }
        fixed = FixedParts(before: bytes(of: leading), after: bytes(of: trailing))
    }

    private func bytes(of fields: [BlockField]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: fieldsRoomBytes)
        var target = bytes.mutableSpan
        var end = 0
        for field in fields { end = write(field, into: &target, at: end) }
        bytes.removeSubrange(end...)
        return bytes
    }

    /// Chooses what is to be in the table: the longest fields first, as many as fit.
    private func plan() {
        fixed = nil
        var room = resizing?.last ?? table.capacityBytes
        let candidates = (leading + trailing)
            .filter { !$0.isNeverIndexed && StaticTable.index(of: $0) == nil }
            .sorted { $0.tableBytes > $1.tableBytes }
        planned = []
        for field in candidates where field.tableBytes <= room && !planned.contains(field) {
            planned.append(field)
            room -= field.tableBytes
        }
    }

    // MARK: - Parts

    /// A literal without indexing, its name by index: the path enters no table.
    @inline(__always)
    private func write(
        _ path: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        let end = writer.write(
            StaticTable.path, prefixBits: 4, pattern: 0, into: &target, at: offset)
        return writer.write(path, into: &target, at: end)
    }

    @inline(__always)
    private static func copy(
        _ bytes: [UInt8], into target: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        for index in bytes.indices { target[offset + index] = bytes[index] }
        return offset + bytes.count
    }
}
