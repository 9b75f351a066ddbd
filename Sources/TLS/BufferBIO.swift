internal import COpenSSL

/// Makes BIOs that read from or write to a `CiphertextBuffer`.
///
/// *C:* `BIO_meth_new`, `BIO_new`.
enum BufferBIO {
    // The method table is filled once and only read afterwards.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        // BIO_TYPE_SOURCE_SINK (0x0400) with an index of our own: BIO_meth_new(3).
        let method = unsafe BIO_meth_new(BIO_get_new_index() | 0x0400, "ciphertext buffer")
        unsafe BIO_meth_set_read(method, bufferBIORead)
        unsafe BIO_meth_set_write(method, bufferBIOWrite)
        unsafe BIO_meth_set_ctrl(method, bufferBIOControl)
        return unsafe method
    }()

    /// Makes a BIO over a buffer that must outlive it; nil if there is no memory.
    @unsafe
    static func make(_ buffer: UnsafeMutablePointer<CiphertextBuffer>) -> OpaquePointer? {
        guard let method = unsafe method, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, buffer)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }
}

/// The buffer behind a BIO.
// Sound: `BufferBIO.make` set the data to a buffer that outlives the BIO.
@inline(__always)
private func buffer(_ bio: OpaquePointer?) -> UnsafeMutablePointer<CiphertextBuffer>? {
    unsafe BIO_get_data(bio)?.assumingMemoryBound(to: CiphertextBuffer.self)
}

/// OpenSSL wants bytes that came from the peer.
private func bufferBIORead(
    _ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ length: Int32
) -> Int32 {
    unsafe shim_BIO_clear_retry_flags(bio)
    guard let buffer = unsafe buffer(bio), let target = unsafe target, length > 0 else { return 0 }
    if unsafe buffer.pointee.count == 0 {
        unsafe shim_BIO_set_retry_read(bio)
        return -1
    }
    // Sound: OpenSSL gives room for `length` bytes.
    return Int32(unsafe buffer.pointee.take(into: target, Int(length)))
}

/// OpenSSL has bytes for the peer; all are taken, always.
private func bufferBIOWrite(
    _ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ length: Int32
) -> Int32 {
    unsafe shim_BIO_clear_retry_flags(bio)
    guard let buffer = unsafe buffer(bio), let source = unsafe source, length > 0 else { return 0 }
    // Sound: OpenSSL gives `length` bytes.
    unsafe buffer.pointee.append(source, Int(length))
    return length
}

/// The only thing OpenSSL needs to hear about is that flushing went well.
private func bufferBIOControl(
    _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
