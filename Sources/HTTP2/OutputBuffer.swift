/// Gathers frames into one run of bytes, so that a turn of the loop encrypts and writes once.
///
/// Frames come one by one and small; TLS records hold 16 KiB. The buffer hands out at most the
/// number of bytes asked for and keeps what is over for the next time, so that all records but the
/// last of a turn are full.
///
/// - Ownership and thread: the session that made it, on its thread.
@safe final class OutputBuffer {
    private var bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int = 64 * 1024) {
        unsafe bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { unsafe bytes.deallocate() }

    /// Adds the bytes of one frame.
    func append(_ frame: UnsafeRawBufferPointer) {
        guard let source = frame.baseAddress else { return }
        let size = frame.count
        reserve(count + size)
        // Sound: the capacity was just made sufficient, and the frame lies in nghttp2's memory.
        unsafe bytes.baseAddress?.advanced(by: count).copyMemory(from: source, byteCount: size)
        count += size
    }

    /// Adds the bytes that `write` puts into the room it is given.
    ///
    /// - Parameters:
    ///   - room: how many bytes there must be place for.
    ///   - write: answers how many it has written.
    func append(room: Int, _ write: (inout MutableSpan<UInt8>) -> Int) {
        reserve(count + room)
        // Sound: the capacity was just made sufficient; the span does not outlive the call, and
        // nothing else touches the buffer meanwhile.
        var span = unsafe MutableSpan<UInt8>(
            _unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + room]))
        count += write(&span)
    }

    /// Lends the first `size` bytes, at most what there is, and then drops them.
    func take<R>(_ size: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let taken = min(size, count)
        // Sound: `taken` is within the initialised part of the buffer, which self owns.
        let result = unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
        count -= taken
        if count > 0, let base = unsafe bytes.baseAddress {
            // Sound: memmove allows the overlap; both ranges lie within the buffer.
            unsafe base.copyMemory(from: base.advanced(by: taken), byteCount: count)
        }
        return result
    }

    /// Forgets everything.
    func clear() { count = 0 }

    private func reserve(_ capacity: Int) {
        guard unsafe capacity > bytes.count else { return }
        let grown = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(capacity, 2 * bytes.count), alignment: 16)
        // Sound: the new buffer is larger than the old one.
        unsafe grown.copyMemory(from: UnsafeRawBufferPointer(bytes))
        unsafe bytes.deallocate()
        unsafe bytes = grown
    }
}
