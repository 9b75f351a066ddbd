internal import CampaignModel
internal import LinuxIO

/// Where sortie keeps what belongs to this machine: the private database, and what a run could not
/// record.
enum StateFolder {
    /// The folder without a configuration, as an absolute path if the environment's paths are.
    ///
    /// - Parameters:
    ///   - environment: looks a variable up.
    ///   - isRoot: whether root runs the program.
    /// - Returns: `SORTIE_HOME`, else a folder of the system's or of the user's.
    static func usual(environment: (String) -> String?, isRoot: Bool) -> String {
        if let home = environment("SORTIE_HOME") { return home }
        if isRoot { return "/var/lib/sortie" }
        if let state = environment("XDG_STATE_HOME") { return "\(state)/sortie" }
        // A user without a home (some cron and container set-ups) still has a place of its own.
        let home = environment("HOME") ?? "/tmp/sortie-\(environment("USER") ?? "user")"
        return "\(home)/.local/state/sortie"
    }

    /// The folder that the configuration names, else the usual one.
    ///
    /// - Parameter file: the configuration.
    /// - Returns: an absolute path.
    static func path(_ file: ConfigurationFile) -> String {
        if let written = file.configuration.stateFolder {
            return Environment.absolute(file.configuration.path(of: written))
        }
        return Environment.absolute(
            usual(environment: Environment.value, isRoot: ProcessFacts.userID == 0))
    }

    /// Makes sure that something can be kept in the folder before it is needed.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - console: told if it can't be made; nil: nobody is.
    static func prepare(_ path: String, console: Console?) {
        // The private database's user has to pass through root's folder.
        let mode: UInt32 = ProcessFacts.userID == 0 ? 0o755 : 0o700
        do throws(SystemError) {
            try FileContents.makeDirectory(path, mode: mode)
        } catch {
            console?.message(
                "warning: \(error). If the database goes away during a run, its last answers "
                    + "would have nowhere to stay: name another folder as \"state_folder\" in "
                    + "sortie.json.")
        }
    }
}
