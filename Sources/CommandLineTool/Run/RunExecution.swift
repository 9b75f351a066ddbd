internal import CampaignRunner
internal import Glibc

/// Carries a run out for a command: with signals, progress, other workers, and the report.
struct RunExecution {
    let stage: RunStage
    let signals: StopSignals

    private var arguments: ParsedArguments { stage.arguments }
    private var console: Console { stage.console }

    /// What the commands that send say when they are asked to stop.
    static let announcement = "Stopping: waiting for answers on the wire. Again to stop at once."

    /// Runs to the end, or until something stops it.
    ///
    /// - Parameter request: the run.
    /// - Returns: the exit status.
    /// - Throws: if the report can't be read.
    func carryOut(_ request: RunRequest) throws -> ExitCode {
        if arguments.has("verbose") {
            console.message(MemoryBudget(request.campaign, tuning: request.tuning).text)
        }
        let run = CampaignRun(request)
        let crew = WorkerCrew(
            count: (arguments.integer("workers") ?? 1) - 1, arguments: arguments, console: console)
        signals.onReload {
            run.requestReload()
            crew.pass(SIGHUP)
        }
        signals.onStopAtOnce { crew.pass(SIGTERM) }
        signals.onStop {
            run.requestStop()
            crew.stop()
        }
        let narrator = RunNarrator(console: console, isQuiet: arguments.has("quiet")) { runID in
            crew.start(runID: runID)
        }
        let end = run.execute(observer: narrator)
        crew.finish(isOver: end.isForAll)
        console.endProgress()
        return try report(RunEnding(end), narrator)
    }

    /// Says how it ended: the report as the result, the reason for an early end as a message.
    private func report(_ ending: RunEnding, _ narrator: RunNarrator) throws -> ExitCode {
        let isQuiet = arguments.has("quiet")
        if let runID = ending.runID ?? narrator.runID, !isQuiet || arguments.has("json") {
            do {
                let report = try RunReport(runID: runID, store: try stage.database.open("report"))
                console.output(
                    arguments.has("json") ? report.json(ending: ending).lines : report.text)
            } catch {
                // If the run ended because the database is gone, its own message says so better.
                if ending.message == nil { throw error }
            }
        }
        if let message = ending.message, !(isQuiet && ending.code == .done) {
            console.message(message)
        }
        return ending.code
    }
}

extension RunEnd {
    /// Whether every worker of the run ends with it, by itself.
    fileprivate var isForAll: Bool {
        switch self {
        case .finished, .alreadyFinished, .paused, .cancelled, .braked: true
        case .tooEarly, .missed, .stopped, .credentialsRefused, .campaignRefused,
            .configurationRefused, .unreachable, .held:
            false
        }
    }
}
