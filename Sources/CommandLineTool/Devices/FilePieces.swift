internal import Glibc
internal import LinuxIO

/// A file read piece by piece, because a table of devices may be larger than memory.
///
/// Used by one thread.
struct FilePieces: ~Copyable {
    /// 256 KiB: some thousand rows.
    private static let pieceBytes = 262_144

    private let name: String
    private let descriptor: OwnedDescriptor

    /// Opens a file; `-` is the standard input.
    ///
    /// - Parameter name: the file's path.
    /// - Throws: `CommandFailure` when it can't be opened.
    init(_ name: String) throws(CommandFailure) {
        self.name = name
        // Sound: the path is a NUL-terminated copy for the call.
        let raw = name == "-" ? dup(STDIN_FILENO) : unsafe open(name, O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else {
            throw CommandFailure(.badFile, "\(SystemError("read", name, code: errno))")
        }
        descriptor = OwnedDescriptor(owning: raw)
    }

    /// The next bytes; nil at the end of the file.
    func next() throws(SystemError) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            // Sound: the array lives for the call and its own length is passed.
            let count = unsafe read(descriptor.raw, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw SystemError("read", name, code: errno) }
            piece.removeLast(piece.count - count)
            return piece.isEmpty ? nil : piece
        }
    }
}
