internal import CampaignRunner

/// `sortie work`: helps with runs that were started elsewhere.
enum WorkCommand {
    static let definition = CommandDefinition(
        "work", .campaigns, "help with the runs that are open, from any machine",
        options: [
            OptionDefinition(
                "run", .integer(placeholder: "ID", 1...Int.max), "work on this run only"),
            OptionDefinition("once", .flag, "end when no run is open any more"),
            OptionDefinition(
                "idle-exit", .duration(placeholder: "TIME", 1_000...86_400_000 * 30),
                "end when nothing was open for so long, such as 10m"),
            SharedOptions.releaseBrake, SharedOptions.config, SharedOptions.quiet,
        ],
        discussion: """
            Joins each run that is being sent, the oldest first, and takes up those that nobody
            works on; paused ones stay paused. What to send is read from the database, so this
            machine needs credentials for the app and no campaign file. Start it as often and on
            as many machines as you like. It ends at Ctrl-C or SIGTERM: with 0 when it was idle,
            with 75 when it was in the middle of a run. SIGHUP reads the credentials again.
            """,
        examples: ["sortie work", "sortie work --once", "sortie work --run 12"]
    ) { arguments, console in
        let signals = try StopSignals(
            console: console, announcement: RunExecution.announcement, hangup: .reloads)
        var loop = WorkLoop(stage: try RunStage(arguments, console), signals: signals)
        return try loop.work()
    }
}
