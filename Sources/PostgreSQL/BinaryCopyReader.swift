// PostgreSQL's binary COPY format, reading. The format is described in BinaryCopyWriter.swift.

/// Where a field's bytes are inside a row.
package struct PGFieldRange: Sendable, Equatable, BitwiseCopyable {
    /// Offset of the first byte.
    package var offset: Int32
    /// Number of bytes; -1 for NULL.
    package var count: Int32

    /// Whether the field is NULL.
    package var isNull: Bool { count < 0 }
}

/// Splits the messages of `COPY … TO STDOUT (FORMAT binary)` into rows and fields without copying.
///
/// The server sends each row in one message (the first one begins with the file header). A row
/// across two messages would break the protocol's promise of row boundaries in this direction
/// and is reported as an error.
///
/// *Ownership and thread:* one per COPY, on the connection's thread.
package struct BinaryCopyReader: ~Copyable {
    private static let headerBytes = 19
    private let name: String
    private var sawHeader = false
    private var fields: [PGFieldRange]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - fieldCount: The number of columns that the query has.
    ///   - name: What to call the statement in errors.
    package init(fieldCount: Int, name: String) {
        fields = Array(repeating: PGFieldRange(offset: 0, count: -1), count: fieldCount)
        self.name = name
    }

    /// Reads one message and calls `body` for each row in it.
    ///
    /// - Parameters:
    ///   - message: The bytes that libpq returned.
    ///   - body: Gets the message's bytes and the places of the row's fields in them.
    /// - Throws: What `body` throws, or an error if the bytes are not the format expected.
    package mutating func read<E: PGErrorWrapping>(
        _ message: RawSpan, _ body: (RawSpan, Span<PGFieldRange>) throws(E) -> Void
    ) throws(E) {
        var position = 0
        if !sawHeader {
            guard message.byteCount >= Self.headerBytes else { throw E(malformed("header")) }
            let extensionBytes = message.bigEndian(UInt32.self, at: 15)
            position = Self.headerBytes + Int(extensionBytes)
            sawHeader = true
        }
        while position < message.byteCount {
            guard position + 2 <= message.byteCount else { throw E(malformed("field count")) }
            let count = message.bigEndian(Int16.self, at: position)
            position += 2
            if count == -1 { return }
            guard Int(count) == fields.count else { throw E(malformed("field count")) }
            for index in 0..<fields.count {
                guard position + 4 <= message.byteCount else { throw E(malformed("length")) }
                let bytes = message.bigEndian(Int32.self, at: position)
                position += 4
                fields[index] = PGFieldRange(
                    offset: Int32(truncatingIfNeeded: position), count: bytes)
                position += max(0, Int(bytes))
            }
            guard position <= message.byteCount else { throw E(malformed("row")) }
            try body(message, fields.span)
        }
    }

    private func malformed(_ part: String) -> PGError {
        PGError(attempted: name, message: "the server's binary COPY data has an unexpected \(part)")
    }
}

extension RawSpan {
    /// The big-endian integer at an offset.
    ///
    /// - Parameters:
    ///   - type: The integer's type.
    ///   - offset: In bytes; the integer must lie inside the span.
    /// - Returns: The value.
    @inlinable
    package func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type, at offset: Int
    ) -> Integer {
        // Sound: the load itself is bounds-checked, and every bit pattern is an integer.
        unsafe Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
}
