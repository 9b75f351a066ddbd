import Glibc

/// The files of the repository, as a clone would have them.
enum RepositoryFiles {
    /// The repository's folder.
    static let root: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()

    /// Paths from the root of every file that git tracks or would add; without git, or in a folder
    /// that git does not own, of every file outside hidden and ignored folders.
    static let paths: [String] = {
        let tracked = linesOf(
            "git -C '\(root)' ls-files --cached --others --exclude-standard 2>/dev/null")
        let found = tracked.isEmpty ? walk("") : tracked
        return found.filter { access("\(root)/\($0)", F_OK) == 0 }.sorted()
    }()

    /// The paths that end with one of the endings.
    static func paths(endingWith endings: String...) -> [String] {
        paths.filter { path in endings.contains { path.hasSuffix($0) } }
    }

    /// A file's bytes. A file that cannot be read has none, and fails the rule on empty files.
    static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen("\(root)/\(path)", "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// A file's text.
    static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    static func exists(_ path: String) -> Bool { access("\(root)/\(path)", F_OK) == 0 }

    static func isExecutable(_ path: String) -> Bool { access("\(root)/\(path)", X_OK) == 0 }

    private static func linesOf(_ command: String) -> [String] {
        guard let pipe = popen(command, "r") else { return [] }
        defer { pclose(pipe) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func walk(_ folder: String) -> [String] {
        guard let directory = opendir("\(root)/\(folder)") else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if [".", "..", ".git", ".build"].contains(name) { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            found += entry.pointee.d_type == UInt8(DT_DIR) ? walk(path) : [path]
        }
        return found
    }
}
