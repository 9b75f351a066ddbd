internal import Glibc

/// The process's environment variables. They are read only: nothing in the program sets one.
enum Environment {
    /// - Returns: nil if the variable is not set. An empty one counts as not set, as in most
    ///   shells' habits (`SORTIE_CONFIG= sortie run ...`).
    static func value(_ name: String) -> String? {
        // Sound: getenv's text is copied at once, and no thread of this program writes variables.
        guard let text = unsafe getenv(name) else { return nil }
        let value = unsafe String(cString: text)
        return value.isEmpty ? nil : value
    }

    /// A path as seen from the root folder.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        // Sound: with a nil buffer the system allocates one, which is freed below.
        guard let folder = unsafe getcwd(nil, 0) else { return "/\(path)" }
        defer { unsafe free(folder) }
        return unsafe "\(String(cString: folder))/\(path)"
    }
}
