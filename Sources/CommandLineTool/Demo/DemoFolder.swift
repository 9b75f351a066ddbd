internal import Glibc
internal import LinuxIO

/// A temporary folder that holds everything of one demo or rehearsal.
struct DemoFolder: Sendable {
    let path: String

    /// Makes an empty folder below `TMPDIR`.
    ///
    /// - Parameter purpose: a word of its name.
    /// - Throws: `CommandFailure` when there is no place for one.
    init(for purpose: String = "demo") throws(CommandFailure) {
        let parent = Environment.value("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/sortie-\(purpose)-XXXXXX".utf8CString)
        // Sound: mkdtemp rewrites the six last characters in place, within the array.
        guard unsafe mkdtemp(&template) != nil else {
            throw CommandFailure(.cannotWrite, "No temporary folder can be made in \(parent).")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The database may run as another user, who has to pass through.
        _ = unsafe chmod(path, 0o711)
    }

    /// A file's path in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file into the folder.
    ///
    /// - Returns: its path.
    /// - Throws: `SystemError` when it can't be written.
    func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) -> String {
        try FileContents.write(file(name), bytes, mode: 0o600)
        return file(name)
    }

    /// Removes the folder with everything in it.
    func remove() {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        // What can't be removed stays in the temporary folder, where the system cleans up.
        _ = try? ChildProcess.run("rm", ["-rf", path], untilNanoseconds: deadline)
    }
}
