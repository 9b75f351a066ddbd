internal import Glibc
internal import LinuxIO

/// A file with a line for each send that was accepted: microseconds since 1970 UTC, a blank, the
/// token. The line is written before the answer leaves, so whatever a sender was told is there even
/// if the simulator is killed.
///
/// Owned by one worker, used on its thread. Costs one `write` per accepted request.
struct AcceptanceLog: ~Copyable {
    private let descriptor: OwnedDescriptor
    /// Room for one line.
    private var line: [UInt8] = []

    /// Opens the file; lines are appended to what it holds.
    ///
    /// - Parameter path: Made if it is missing, for its owner only.
    /// - Throws: `SystemError` such as "open PATH: Permission denied".
    ///
    /// *C:* `open` with O_APPEND.
    init(path: String) throws(SystemError) {
        // Sound: the path lives for the call.
        let raw = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw SystemError("open", path, code: errno) }
        descriptor = OwnedDescriptor(owning: raw)
    }

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - token: The token's hex digits as they came.
    ///   - wallMicroseconds: Microseconds since 1970 UTC.
    /// - Returns: Whether the whole line was written.
    ///
    /// *C:* `write`.
    mutating func note(token: [UInt8], wallMicroseconds: Int64) -> Bool {
        line.removeAll(keepingCapacity: true)
        line += Array("\(wallMicroseconds) ".utf8)
        line += token
        line.append(UInt8(ascii: "\n"))
        while true {
            // Sound: the kernel reads as many bytes as the array has.
            let written = unsafe line.withUnsafeBytes {
                unsafe write(descriptor.raw, $0.baseAddress, $0.count)
            }
            if written == line.count { return true }
            guard written == -1, errno == EINTR else { return false }
        }
    }
}
