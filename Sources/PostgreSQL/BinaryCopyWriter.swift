// PostgreSQL's binary COPY format, writing.
//
// A file is a signature of 11 bytes, a flags word, the length of a header extension (none), then
// rows, then -1 as a row's field count. A row is its field count as a 16-bit integer, then for
// each field its length as a 32-bit integer (-1: NULL) and that many bytes. All integers are
// big-endian. Worked example, a row of one int4 with the value 7:
//
//     00 01  00 00 00 04  00 00 00 07
//
// Source: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".

/// Encodes rows into one growing buffer that is used again for every COPY of a connection.
///
/// The caller starts each row with ``beginRow(fieldCount:bytesMax:)`` and then appends exactly that
/// many fields of exactly the column types. Nothing is allocated once the buffer has grown.
///
/// *Ownership and thread:* belongs to a ``PGConnection`` and its thread.
@safe
package final class BinaryCopyWriter {
    /// A piece for libpq: large enough that the call does not matter, small enough for the caches.
    private static let pieceBytes = 256 * 1024
    /// Seconds from 1970 to 2000, where PostgreSQL's timestamps begin.
    @usableFromInline package static let epochShiftMicroseconds: Int64 = 946_684_800_000_000

    // Written for each field: unchecked, because one thread has the writer and these are plain
    // values, read and written at once.

    @exclusivity(unchecked) @usableFromInline package var start: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline package var capacity: Int
    @exclusivity(unchecked) @usableFromInline package var count = 0

    /// Creates an empty buffer.
    init() {
        unsafe capacity = Self.pieceBytes + 64 * 1024
        unsafe start = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        // Sound: the only owner, freed once.
        unsafe start.deallocate()
    }

    var isFull: Bool { unsafe count >= Self.pieceBytes }

    func begin() {
        unsafe count = 0
        reserve(32)
        for byte in "PGCOPY\n".utf8 { put(byte) }
        for byte: UInt8 in [0xFF, 0x0D, 0x0A, 0x00] { put(byte) }
        put(UInt32(0))
        put(UInt32(0))
    }

    func end() {
        reserve(2)
        put(UInt16.max)
    }

    func removeAll() { unsafe count = 0 }

    @unsafe
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        // Sound: `count` bytes are initialised and stay in place during the call.
        unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    // MARK: - Rows

    /// Starts a row.
    ///
    /// - Parameters:
    ///   - fieldCount: The number of fields that follow.
    ///   - bytesMax: At least the bytes of the row's values, their lengths not counted.
    @inlinable
    package func beginRow(fieldCount: Int, bytesMax: Int) {
        reserve(2 + 4 * fieldCount + bytesMax)
        put(UInt16(fieldCount))
    }

    /// Appends NULL.
    @inlinable
    package func null() { put(UInt32.max) }

    /// Appends an int2.
    @inlinable
    package func int16(_ value: Int16) {
        put(UInt32(2))
        put(UInt16(bitPattern: value))
    }

    /// Appends an int4.
    @inlinable
    package func int32(_ value: Int32) {
        put(UInt32(4))
        put(UInt32(bitPattern: value))
    }

    /// Appends an int8.
    @inlinable
    package func int64(_ value: Int64) {
        put(UInt32(8))
        put(UInt64(bitPattern: value))
    }

    /// Appends a timestamptz.
    ///
    /// - Parameter microseconds: Since the start of 1970, UTC.
    @inlinable
    package func timestamp(_ microseconds: Int64) {
        int64(microseconds - Self.epochShiftMicroseconds)
    }

    /// Appends a uuid given as its two halves, most significant first.
    @inlinable
    package func uuid(_ high: UInt64, _ low: UInt64) {
        put(UInt32(16))
        put(high)
        put(low)
    }

    /// Appends a text.
    ///
    /// - Parameter text: Valid for PostgreSQL: no NUL character.
    package func text(_ text: String) {
        let bytes = text.utf8.count
        put(UInt32(bytes))
        for byte in text.utf8 { put(byte) }
    }

    /// Appends bytes that are the binary form of a column's type, such as UTF-8 text.
    package func bytes(_ bytes: Span<UInt8>) {
        put(UInt32(bytes.count))
        for index in bytes.indices { put(bytes[index]) }
    }

    /// Appends a jsonb given as JSON text in UTF-8; the format begins with its version, 1.
    package func jsonb(_ json: Span<UInt8>) {
        put(UInt32(json.count + 1))
        put(UInt8(1))
        for index in json.indices { put(json[index]) }
    }

    // MARK: - Bytes

    @inlinable
    package func reserve(_ bytes: Int) {
        if unsafe count + bytes > capacity { grow(by: bytes) }
    }

    @usableFromInline
    package func grow(by bytes: Int) {
        let larger = unsafe max(capacity * 2, count + bytes)
        // Sound: a new block of `larger` bytes takes the `count` initialised ones; the old goes.
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe moved.copyMemory(from: start, byteCount: count)
        unsafe start.deallocate()
        unsafe start = moved
        unsafe capacity = larger
    }

    @inlinable @inline(__always)
    package func put<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) {
        let next = unsafe count + MemoryLayout<Integer>.size
        unsafe precondition(next <= capacity, "the row is larger than was reserved")
        // Sound: the bytes up to `next` are inside the block, as just checked.
        unsafe start.storeBytes(
            of: value.bigEndian, toByteOffset: count, as: Integer.self)
        unsafe count = next
    }
}
