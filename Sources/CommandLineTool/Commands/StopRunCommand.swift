internal import CampaignStore
internal import Glibc
internal import LinuxIO
internal import PostgreSQL

/// `sortie pause` and `sortie cancel`: stop a run, whichever machines work on it.
enum StopRunCommand {
    static let pause = CommandDefinition(
        "pause", .campaigns, "stop a run for now, on all machines",
        operands: [SharedOptions.run], options: [SharedOptions.config],
        discussion: """
            Its workers wait for the answers on the wire and stop, which takes seconds. Only
            "sortie resume" lets the run go on: neither cron nor "sortie work" does. Exit status 75
            says that some worker has not stopped yet; it will, or lose its lease.
            """,
        examples: ["sortie pause 12", "sortie pause newsletter"]
    ) { arguments, console in try stop(.pause, arguments, console) }

    static let cancel = CommandDefinition(
        "cancel", .campaigns, "end a run for good, on all machines",
        operands: [SharedOptions.run],
        options: [
            OptionDefinition("yes", .flag, "do it without a question"), SharedOptions.config,
        ],
        discussion: """
            Its workers wait for the answers on the wire and stop. Whoever was not sent to by then
            never will be, and this can't be taken back, so it asks for the campaign's name; without
            a terminal it wants --yes. "sortie pause" can be taken back.
            """,
        examples: ["sortie cancel 12", "sortie cancel 12 --yes"]
    ) { arguments, console in try stop(.cancel, arguments, console) }

    /// How long it waits for the workers.
    private static let waitNanoseconds: Int64 = 15_000_000_000
    private static let lookMilliseconds: UInt32 = 200

    private static func stop(
        _ kind: RunWish.Kind, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let configuration = try ConfigurationFile(arguments, console: console)
        let store = try DatabaseAccess(configuration, console: console).open("\(kind)")
        let run = try NamedRun.find(arguments.operands[0], store)
        if let code = try settled(run, kind, console) { return code }
        if kind == .cancel { try confirm(run, arguments, console) }
        let word = kind == .pause ? "paused" : "cancelled"
        let wish = RunWish(kind: kind, by: Operator.name, text: "\(word) by \(Operator.name)")
        if try store.ask(runID: run.id, wish) != nil {
            return try report(run, workers: 0, store, console)
        }
        return try wait(run, store, console)
    }

    /// A run that has ended needs nothing, and can't be stopped.
    private static func settled(
        _ run: Run, _ kind: RunWish.Kind, _ console: Console
    ) throws(CommandFailure) -> ExitCode? {
        guard run.state.isFinal else { return nil }
        let text = "\(NamedRun.title(run)) is \(run.state.rawValue) already; nothing was changed."
        guard kind == .cancel, run.state == .cancelled else {
            throw CommandFailure(.badFile, text)
        }
        console.message(text)
        return .done
    }

    private static func confirm(
        _ run: Run, _ arguments: ParsedArguments, _ console: Console
    ) throws(CommandFailure) {
        if arguments.has("yes") { return }
        let text =
            "\(NamedRun.title(run)) is \(run.state.rawValue). Cancelled, it can never go on, and "
            + "nobody else is sent to."
        guard isatty(STDIN_FILENO) == 1, console.isInteractive else {
            throw CommandFailure(
                .usage, "\(text) Add --yes if that is meant; sortie pause can be taken back.")
        }
        console.message("\(text)\nType the campaign's name to cancel it:")
        guard readLine() == run.campaign else {
            throw CommandFailure(.usage, "That is not the campaign's name; nothing was changed.")
        }
    }

    private static func wait(
        _ run: Run, _ store: Store, _ console: Console
    ) throws -> ExitCode {
        let workers = try store.peers(run: run).count
        let end = MonotonicClock.nanoseconds() + waitNanoseconds
        while MonotonicClock.nanoseconds() < end {
            guard let now = try store.findRun(id: run.id) else { break }
            if now.state.isClosed { return try report(now, workers: workers, store, console) }
            Pause.milliseconds(lookMilliseconds)
        }
        let left = try store.peers(run: run).count
        console.message(
            "\(NamedRun.title(run)) was asked to stop; \(left) of \(workers) workers still wait "
                + "for answers or are out of reach. sortie status \(run.id) shows them.")
        return .stoppedEarly
    }

    private static func report(
        _ run: Run, workers: Int, _ store: Store, _ console: Console
    ) throws -> ExitCode {
        let now = try store.findRun(id: run.id) ?? run
        let row = try store.table(named: .runSummary, [.integer(run.id)]).namedRows.first
        let stopped =
            workers > 0
            ? "\(NumberText.count(Int64(workers), "worker")) stopped" : "nobody was at work"
        let unsent = NumberText.count(row?.count("unsent") ?? 0, "recipient")
        let next = now.state == .paused ? " sortie resume \(run.id) goes on." : ""
        console.output(
            "\(NamedRun.title(run)) is \(now.state.rawValue); \(stopped), \(unsent) "
                + "unsent.\(next)\n")
        return .done
    }
}
