internal import CampaignStore

/// Finds the run that somebody names on the command line.
enum NamedRun {
    /// The run with this number, else the newest one of the campaign of this name.
    ///
    /// - Parameters:
    ///   - typed: what was typed.
    ///   - store: a connection.
    /// - Returns: the run.
    /// - Throws: `CommandFailure` if there is none; database trouble.
    static func find(_ typed: String, _ store: Store) throws -> Run {
        if let number = Int64(typed), let run = try store.findRun(id: number) { return run }
        if let run = try store.newestRun(campaign: typed) { return run }
        throw CommandFailure(
            .badFile,
            "There is no run \"\(typed)\" and no run of a campaign of that name in this database; "
                + "\"sortie status\" lists them.")
    }

    /// A run as messages call it.
    static func title(_ run: Run) -> String {
        "Run \(run.id) of \(run.campaign), occurrence \(run.occurrence),"
    }
}
