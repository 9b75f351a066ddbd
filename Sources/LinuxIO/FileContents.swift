internal import CLinux
internal import Glibc

/// Whole files, read and written at once; any thread that may block.
///
/// Paths become C strings that are lent for the call: that is why `unsafe` is sound wherever only a
/// path is passed below.
package enum FileContents {
    /// Reads a file from its beginning to its end.
    ///
    /// - Parameters:
    ///   - path: a file, or something that can be read like one, such as a pipe.
    ///   - limitBytes: the most it may hold.
    /// - Returns: its bytes.
    /// - Throws: `SystemError` such as "open PATH: No such file or directory", "read PATH: Is a
    ///   directory", or that the file is larger than the limit.
    ///
    /// *C:* `open`, `read`.
    package static func read(_ path: String, limitBytes: Int) throws(SystemError) -> [UInt8] {
        let raw = try systemCall("open", path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
        let descriptor = OwnedDescriptor(owning: raw)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try systemCall("read", path) {
                // Sound: the kernel writes at most the chunk's own length.
                unsafe chunk.withUnsafeMutableBytes {
                    unsafe Glibc.read(descriptor.raw, $0.baseAddress, $0.count)
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

    /// Writes a file so that others see either the old contents or all of the new.
    ///
    /// The bytes go to a new file beside it, to the disk, and then take the name.
    ///
    /// - Parameters:
    ///   - path: the file; replaced if it exists.
    ///   - bytes: its new contents.
    ///   - mode: its permission bits, such as 0o600, whatever the process's mask is.
    /// - Throws: `SystemError`; the old file is untouched then, and the new one is gone.
    ///
    /// *C:* `open` with O_EXCL, `fchmod`, `fsync`, `rename`.
    package static func write(
        _ path: String, _ bytes: [UInt8], mode: UInt32
    ) throws(SystemError) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        let raw = try systemCall("create", temporary) {
            unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        let descriptor = OwnedDescriptor(owning: raw)
        do {
            try writeAll(descriptor.raw, bytes, path)
            try systemCall("set mode of", path) { fchmod(descriptor.raw, mode) }
            try systemCall("write", path) { fsync(descriptor.raw) }
            try systemCall("replace", path) { unsafe rename(temporary, path) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Whether something has this name and can be reached.
    ///
    /// - Parameter path: a file, directory or anything else.
    /// - Returns: false also when a directory on the way can't be entered.
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Makes a directory, and those above it that are missing.
    ///
    /// - Parameters:
    ///   - path: the directory; it is fine if it exists, whatever its mode.
    ///   - mode: permission bits of the new ones, cut by the process's mask.
    /// - Throws: `SystemError` such as "make directory PATH: Permission denied".
    ///
    /// *C:* `mkdir`.
    package static func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        if unsafe mkdir(path, mode) == 0 { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]), mode: mode)
            if unsafe mkdir(path, mode) == 0 { return }
        }
        let code = errno
        // If it can't be looked at, the error of mkdir stands.
        if code == EEXIST, let there = try? status(path), there.st_mode & S_IFMT == S_IFDIR {
            return
        }
        throw SystemError("make directory", path, code: code)
    }

    /// The permission bits of a file, 0...0o7777.
    ///
    /// - Parameter path: the file; a symbolic link is followed.
    /// - Returns: its permission bits.
    /// - Throws: `SystemError` when there is no such file.
    ///
    /// *C:* `stat`.
    package static func modeBits(_ path: String) throws(SystemError) -> UInt32 {
        try status(path).st_mode & 0o7777
    }

    /// Removes a file, or an empty directory.
    ///
    /// - Parameter path: what to remove; it is fine if it does not exist.
    /// - Throws: `SystemError` such as "remove PATH: Permission denied".
    ///
    /// *C:* `remove`.
    package static func remove(_ path: String) throws(SystemError) {
        if unsafe Glibc.remove(path) == 0 || errno == ENOENT { return }
        throw SystemError("remove", path, code: errno)
    }

    private static func status(_ path: String) throws(SystemError) -> stat {
        var status = stat()
        // Sound: the structure is written during the call.
        try systemCall("look at", path) { unsafe stat(path, &status) }
        return status
    }

    private static func writeAll(
        _ descriptor: Int32, _ bytes: [UInt8], _ path: String
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try systemCall("write", path) {
                // Sound: `written` is less than the count, so the rest is inside the array.
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(
                        descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
                }
            }
        }
    }
}
