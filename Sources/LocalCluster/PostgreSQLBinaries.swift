// Finding the installed server programs.

internal import Glibc
internal import LinuxIO

/// The folder of PostgreSQL's server programs. Debian keeps them out of PATH, one folder per
/// version.
package struct PostgreSQLBinaries: Sendable, Equatable {
    /// The folder with `initdb`, `pg_ctl` and `postgres`.
    package let folder: String

    /// The folders in which to look, in order: those of PATH, then Debian's, the newest first.
    private static var candidates: [String] {
        let path = environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        let debian = directoryNames("/usr/lib/postgresql")
            .compactMap { Int($0) }.sorted(by: >)
            .map { "/usr/lib/postgresql/\($0)/bin" }
        return path.split(separator: ":").map(String.init) + debian
    }

    /// Looks for the programs.
    ///
    /// - Returns: Where they are.
    /// - Throws: If no folder has all of them, with the package to install.
    package static func find() throws(ClusterError) -> PostgreSQLBinaries {
        for folder in candidates where hasPrograms(folder) {
            return PostgreSQLBinaries(folder: folder)
        }
        throw ClusterError(
            attempted: "run a private PostgreSQL", cause: "its server programs are not installed",
            advice: "install them (Debian: apt-get install postgresql), or name a database in "
                + "sortie.json")
    }

    /// The path of one of the programs.
    ///
    /// - Parameter program: Its name.
    /// - Returns: The path.
    package func path(_ program: String) -> String { "\(folder)/\(program)" }

    private static func hasPrograms(_ folder: String) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy { program in
            // Sound: the path lives for the call.
            unsafe access("\(folder)/\(program)", X_OK) == 0
        }
    }

    private static func environment(_ name: String) -> String? {
        // Sound: the text is copied before anything else runs; nobody here changes variables.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func directoryNames(_ path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        // Sound: closed once; an entry is valid until the next readdir and copied before.
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            names.append(name)
        }
        return names
    }
}
