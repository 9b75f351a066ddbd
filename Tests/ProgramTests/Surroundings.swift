import Glibc
import LinuxIO
import Testing

/// The shell, for what only a shell can do: pipes and redirections.
enum ChildShell {
    static func run(_ script: String) throws -> String {
        let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
        return try ChildProcess.run("bash", [script], untilNanoseconds: deadline).output
    }
}

/// The repository that the tests were built from.
enum RepositoryRoot {
    static let path: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()

    static func text(of file: String) throws -> String {
        String(decoding: try FileContents.read(file, limitBytes: 1 << 20), as: UTF8.self)
    }

    /// The names of the files in a folder.
    static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
