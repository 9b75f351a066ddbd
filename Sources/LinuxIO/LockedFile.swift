internal import CLinux
internal import Glibc

/// A file that several processes append to and take away, one at a time.
///
/// What is appended is on the disk when the call returns, and a call that fails leaves the file as
/// it was. After a crash the end of the file may be torn: its format must be able to tell.
///
/// *Ownership and thread:* the lock is this value's, from its creation to its end; any thread that
/// may block.
package struct LockedFile: ~Copyable {
    private let descriptor: OwnedDescriptor
    private let path: String

    private init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file and locks it, unless another process has it locked.
    ///
    /// - Parameters:
    ///   - path: the file; a symbolic link is refused.
    ///   - mode: permission bits of a new file, cut by the process's mask; nil makes none.
    /// - Returns: nil when another process has it, or has just removed it.
    /// - Throws: `SystemError` such as "open PATH: Permission denied".
    ///
    /// *C:* `open`, `flock`.
    package static func open(
        _ path: String, creatingWithMode mode: UInt32?
    ) throws(SystemError) -> LockedFile? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (mode == nil ? 0 : O_CREAT)
        let raw = try systemCall("open", path) { unsafe Glibc.open(path, flags, mode ?? 0) }
        let owned = OwnedDescriptor(owning: raw)
        guard try lock(raw, path) else { return nil }
        var status = stat()
        // Sound: the structure is written during the call.
        try systemCall("look at", path) { unsafe fstat(raw, &status) }
        // Whoever had it before may have removed it between our opening and our locking.
        if status.st_nlink == 0 { return nil }
        // The name of a new file must outlive a power failure as its bytes do.
        if status.st_size == 0, mode != nil { try synchroniseDirectory(of: path) }
        return LockedFile(owned, path: path)
    }

    /// A lock belongs to the open file, and a process that another thread is about to start has
    /// that open too, until it becomes another program: that is over within moments.
    private static let triesMax = 30
    private static let pauseMilliseconds: Int32 = 10

    private static func lock(_ raw: Int32, _ path: String) throws(SystemError) -> Bool {
        for _ in 0..<triesMax {
            if flock(raw, LOCK_EX | LOCK_NB) == 0 { return true }
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                throw SystemError("lock", path, code: code)
            }
            // There is no descriptor to look at; it only waits.
            if code == EWOULDBLOCK { _ = poll(nil, 0, pauseMilliseconds) }
        }
        return false
    }

    /// Appends bytes and waits until they are on the disk.
    ///
    /// - Parameter bytes: what to append.
    /// - Throws: `SystemError`; the file is as it was then.
    ///
    /// *C:* `write`, `fsync`, `ftruncate`.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        let end = try systemCall("append to", path) { lseek(descriptor.raw, 0, SEEK_END) }
        do {
            try writeAll(bytes)
            try systemCall("append to", path) { fsync(descriptor.raw) }
        } catch {
            // If even this fails the format tells the torn end.
            _ = ftruncate(descriptor.raw, end)
            throw error
        }
    }

    /// Reads the file from its beginning to its end.
    ///
    /// - Parameter limitBytes: the most it may hold.
    /// - Returns: its bytes.
    /// - Throws: `SystemError`, also when it is larger than the limit.
    ///
    /// *C:* `pread`.
    package func read(limitBytes: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try systemCall("read", path) {
                // Sound: the kernel writes at most the chunk's own length.
                unsafe chunk.withUnsafeMutableBytes {
                    unsafe pread(descriptor.raw, $0.baseAddress, $0.count, bytes.count)
                }
            }
            if count == 0 { return bytes }
            if bytes.count + count > limitBytes {
                throw SystemError(
                    "read", path, explanation: "it is larger than \(limitBytes) bytes")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// Removes the file; whoever waits to append will make a new one.
    ///
    /// - Throws: `SystemError` such as "remove PATH: Permission denied".
    ///
    /// *C:* `unlink`, `fsync` of the directory.
    package func remove() throws(SystemError) {
        try systemCall("remove", path) { unsafe unlink(path) }
        try Self.synchroniseDirectory(of: path)
    }

    private func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try systemCall("append to", path) {
                // Sound: `written` is less than the count, so the rest is inside the array.
                unsafe bytes.withUnsafeBytes {
                    unsafe write(
                        descriptor.raw, $0.baseAddress?.advanced(by: written), $0.count - written)
                }
            }
        }
    }

    private static func synchroniseDirectory(of path: String) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let raw = try systemCall("open", directory) {
            unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        let owned = OwnedDescriptor(owning: raw)
        try systemCall("write", directory) { fsync(owned.raw) }
    }
}

extension FileContents {
    /// The names in a directory, in the order of their bytes, without `.` and `..`.
    ///
    /// - Parameter path: the directory.
    /// - Returns: the names; none if there is no such directory.
    /// - Throws: `SystemError` such as "open PATH: Permission denied".
    ///
    /// *C:* `opendir`, `readdir`.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw SystemError("open", path, code: errno)
        }
        // Sound: closed once; an entry is valid until the next readdir and copied before.
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
