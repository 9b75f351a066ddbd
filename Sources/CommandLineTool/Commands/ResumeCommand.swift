internal import CampaignRunner
internal import CampaignStore

/// `sortie resume`: lets a run go on that was paused or interrupted.
enum ResumeCommand {
    static let definition = CommandDefinition(
        "resume", .campaigns, "go on with a run that was paused or interrupted",
        operands: [SharedOptions.run],
        options: [
            SharedOptions.workers,
            OptionDefinition("no-work", .flag, "only allow it: \"sortie work\" takes it up"),
            SharedOptions.releaseBrake, SharedOptions.late, SharedOptions.config,
            SharedOptions.json, SharedOptions.quiet, SharedOptions.verbose,
        ],
        discussion: """
            Records first what runs of this machine could not record while their database was away,
            then works on the run as "run" does, from the campaign's text in the database. It is
            the one way on for a run that a person has paused. Exit statuses are those of "run".
            """,
        examples: ["sortie resume 12", "sortie resume newsletter --no-work"]
    ) { arguments, console in try resume(arguments, console) }

    private static func resume(
        _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let signals = try StopSignals(
            console: console, announcement: RunExecution.announcement, hangup: .reloads)
        let stage = try RunStage(arguments, console)
        let store = try stage.database.open("resume")
        stage.recover(store)
        let run = try NamedRun.find(arguments.operands[0], store)
        guard !run.isRehearsal else {
            throw CommandFailure(.badFile, "\(NamedRun.title(run)) is a rehearsal; rehearse again.")
        }
        if run.state.isFinal, run.isFrozen || run.state != .failed {
            console.message("\(NamedRun.title(run)) is \(run.state.rawValue); nothing is left.")
            return run.state == .finished ? .done : .badFile
        }
        if arguments.has("no-work") { return try allow(run, store, console) }
        return try RunExecution(stage: stage, signals: signals)
            .carryOut(try stage.request(run, entry: .resume))
    }

    private static func allow(
        _ run: Run, _ store: Store, _ console: Console
    ) throws(StoreError) -> ExitCode {
        let state = try store.resume(runID: run.id, by: Operator.name) ?? run.state
        console.output(
            "\(NamedRun.title(run)) may go on (\(state.rawValue)); sortie work takes it up.\n")
        return .done
    }
}
