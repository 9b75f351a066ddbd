internal import COpenSSL

/// A piece of memory in the form OpenSSL reads from and writes to.
///
/// *C:* `BIO_new_mem_buf`, `BIO_s_mem`.
@safe
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer?

    /// Makes an empty one, to be written to.
    init() {
        // Sound: freed in deinit only. NULL makes whatever uses it fail.
        unsafe pointer = unsafe BIO_new(BIO_s_mem())
    }

    /// Makes one that holds a copy of the bytes, to be read from.
    init(_ bytes: [UInt8]) {
        self.init()
        // Sound: the bytes are copied during the call.
        unsafe BIO_write(pointer, bytes, Int32(bytes.count))
    }

    deinit {
        unsafe BIO_free(pointer)
    }

    /// A copy of what is inside.
    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        // Sound: the bytes belong to the BIO and are copied before anything else happens to it.
        let count = unsafe shim_BIO_get_mem_data(pointer, &start)
        guard let start = unsafe start, count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
