internal import APNSSimulator
internal import LinuxIO

/// The configuration that sends to a simulator instead of to Apple.
struct SimulatorFiles {
    /// The name that senders connect to; the simulator's certificate has it.
    let host: String
    let port: UInt16
    /// The app that the credential is for.
    let app: String
    let credentials: SimulatorCredentials
    /// A libpq connection string. Nil: the file names no database.
    var database: String?

    /// Writes `sortie.json` beside the keys.
    ///
    /// - Parameter folder: the folder that holds the keys.
    /// - Returns: the file's path.
    /// - Throws: `SystemError` when it can't be written.
    func write(into folder: String) throws(SystemError) -> String {
        let path = "\(folder)/sortie.json"
        // The database's connection string may hold a password.
        try FileContents.write(path, Array(text.utf8), mode: 0o600)
        return path
    }

    private var text: String {
        let authority = Self.name(of: credentials.authorityFile)
        let endpoint = JSONOutput.object([
            ("host", .text(host)), ("port", .integer(Int64(port))), ("ca_file", .text(authority)),
        ])
        let credential = JSONOutput.object([
            ("app", .text(app)), ("key_file", .text(Self.name(of: credentials.keyFile))),
            ("key_id", .text(credentials.keyID)), ("team_id", .text(credentials.teamID)),
        ])
        var fields: [(String, JSONOutput)] = [
            ("apns", .object([("production", endpoint), ("sandbox", endpoint)])),
            ("credentials", .list([credential])),
        ]
        if let database { fields.insert(("database", .text(database)), at: 0) }
        return "# Written by sortie: sends to its simulator, not to Apple.\n"
            + JSONOutput.object(fields).lines
    }

    /// The configuration's file names are relative to its own folder.
    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
