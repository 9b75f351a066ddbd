internal import CLinux
internal import Glibc

/// Both ends of a pipe; children inherit neither by themselves.
struct Pipe: ~Copyable {
    /// The end to read from; a read does not block.
    let reader: OwnedDescriptor

    /// The end to write to; a write blocks while the pipe is full, as programs expect it.
    let writer: OwnedDescriptor

    /// Makes a pipe.
    ///
    /// - Throws: `SystemError` when the process has no descriptor left.
    init() throws(SystemError) {
        var ends: (Int32, Int32) = (-1, -1)
        // Sound: a pair of Int32 is laid out like the array of two that pipe2 fills.
        _ = try unsafe withUnsafeMutableBytes(of: &ends) { bytes throws(SystemError) in
            try systemCall("open", "a pipe") {
                unsafe pipe2(bytes.baseAddress?.assumingMemoryBound(to: Int32.self), O_CLOEXEC)
            }
        }
        // Can't fail on a descriptor that was just opened.
        _ = fcntl(ends.0, F_SETFL, O_NONBLOCK)
        reader = OwnedDescriptor(owning: ends.0)
        writer = OwnedDescriptor(owning: ends.1)
    }
}
