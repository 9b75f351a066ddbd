internal import CNGHTTP2

/// A list of fields in the form nghttp2 takes: an array of pointers into one block of bytes.
///
/// Made once and used for many messages, so that sending a message touches no allocator here.
/// Unless nghttp2 is told to copy names and values, the block must outlive every frame submitted
/// with it that is not serialised yet.
///
/// - Ownership: the session that made it; the last reference frees both buffers.
@safe final class FieldBlock {
    /// The array, `count` long; valid as long as this object. Only the pair of a field that varies
    /// may be written, and only by the session's own thread.
    let pairs: UnsafeMutablePointer<nghttp2_nv>

    /// Number of fields.
    let count: Int

    private let bytes: UnsafeMutableRawBufferPointer

    init(_ fields: [HTTP2Field], isCopiedByLibrary: Bool = false) {
        let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
        unsafe bytes = .allocate(byteCount: max(size, 1), alignment: 1)
        unsafe pairs = .allocate(capacity: max(fields.count, 1))
        count = fields.count
        var offset = 0
        for (index, field) in fields.enumerated() {
            let name = unsafe Self.append(field.name.utf8, to: bytes, at: &offset)
            let value = unsafe Self.append(field.value, to: bytes, at: &offset)
            // Sound: both pointers stay valid as long as `bytes`, which this object owns; the index
            // is below the capacity allocated above.
            unsafe (pairs + index).initialize(
                to: nghttp2_nv(
                    name: name, value: value, namelen: field.name.utf8.count,
                    valuelen: field.value.count, flags: Self.flags(of: field, isCopiedByLibrary)))
        }
    }

    deinit {
        unsafe pairs.deallocate()
        unsafe bytes.deallocate()
    }

    private static func flags(of field: HTTP2Field, _ isCopiedByLibrary: Bool) -> UInt8 {
        var flags: UInt32 = 0
        if !isCopiedByLibrary {
            flags |= NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
            flags |= NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        }
        if field.indexing == .never { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
        return UInt8(truncatingIfNeeded: flags)
    }

    private static func append(
        _ text: some Collection<UInt8>, to bytes: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) -> UnsafeMutablePointer<UInt8>? {
        // Sound: the caller sized the buffer as the sum of all texts.
        let place = unsafe UnsafeMutableRawBufferPointer(
            rebasing: bytes[offset..<offset + text.count])
        unsafe place.copyBytes(from: text)
        let start = unsafe bytes.baseAddress?.advanced(by: offset)
        offset += text.count
        return unsafe start?.assumingMemoryBound(to: UInt8.self)
    }
}
