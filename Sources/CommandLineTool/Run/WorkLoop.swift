internal import APNSProtocol
internal import CampaignModel
internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO
internal import PostgreSQL

/// The life of `sortie work`: looks for an open run, helps with it, looks again.
///
/// *Ownership and thread*: the command's own thread.
struct WorkLoop {
    private let stage: RunStage
    private let signals: StopSignals
    private var store: Store?
    /// Runs that did not work out here, and when they are tried again.
    private var rests: [Int64: Rest] = [:]
    /// Runs for which the lack of credentials was told.
    private var told: Set<Int64> = []
    /// What the last run that did not work out here ended with.
    private var failure = ExitCode.done
    private var retry = Rest()
    private var outageEnd: Int64?
    private var idleSince = MonotonicClock.nanoseconds()

    /// A pause that grows each time, up to five minutes.
    private struct Rest {
        private(set) var untilNanoseconds: Int64 = 0
        private(set) var seconds: Int64 = 0

        mutating func grow(from first: Int64, max: Int64) {
            seconds = seconds == 0 ? first : min(seconds * 2, max)
            untilNanoseconds = MonotonicClock.nanoseconds() + seconds * 1_000_000_000
        }
    }

    /// Runs to look at, the newest.
    private static let newestMax: Int64 = 20
    private static let lookNanoseconds: Int64 = 1_000_000_000
    private static let runRest: (first: Int64, max: Int64) = (5, 300)
    private static let databaseRest: (first: Int64, max: Int64) = (1, 30)
    /// A database that is away for longer ends the command: whoever started it shall know.
    private static let outageNanosecondsMax: Int64 = 600_000_000_000

    init(stage: RunStage, signals: StopSignals) {
        self.stage = stage
        self.signals = signals
    }

    /// What a look at the database found.
    private enum Found {
        case run(Run)
        /// Nothing that could be worked on now.
        case nothing
        /// Nothing yet: others prepare a run that can be helped with soon.
        case soon
        /// The one run that was asked for has an end, or is paused.
        case over(ExitCode)
    }

    /// Works until it is stopped, or what the command line says is reached.
    ///
    /// - Returns: the exit status.
    /// - Throws: what is wrong with the database for good.
    mutating func work() throws -> ExitCode {
        let reload: @Sendable () -> Void = { [configuration = stage.configuration] in
            configuration.reread()
        }
        while !signals.isStopAsked {
            signals.onReload(reload)
            let found: Found
            do throws(StoreError) {
                found = try look()
                outageEnd = nil
                retry = Rest()
            } catch {
                try sitOut(error)
                continue
            }
            switch found {
            case .run(let run):
                let code = takePart(in: run)
                if signals.isStopAsked { return code == .done ? .done : .stoppedEarly }
                idleSince = MonotonicClock.nanoseconds()
            case .over(let code): return code
            case .nothing, .soon:
                if case .nothing = found, stage.arguments.has("once") { return failure }
                if isIdleTooLong { return .done }
                _ = signals.waitForStop(
                    untilNanoseconds: MonotonicClock.nanoseconds() + Self.lookNanoseconds)
            }
        }
        return .done
    }

    private var isIdleTooLong: Bool {
        guard let limit = stage.arguments.milliseconds("idle-exit") else { return false }
        return MonotonicClock.nanoseconds() - idleSince >= limit * 1_000_000
    }

    // MARK: - Looking

    private mutating func look() throws(StoreError) -> Found {
        let store = try connected()
        if let id = stage.arguments.integer("run") { return try look(for: Int64(id), store) }
        let open = try store.openRuns()
        rests = rests.filter { open.contains($0.key) }
        told = told.filter { open.contains($0) }
        let now = MonotonicClock.nanoseconds()
        for id in open where (rests[id]?.untilNanoseconds ?? 0) <= now {
            guard let run = try store.findRun(id: id), hasCredential(for: run) else { continue }
            // One attempt is enough for somebody who does not wait.
            if stage.arguments.has("once"), rests[id] != nil { continue }
            return .run(run)
        }
        guard stage.arguments.has("once") else { return .nothing }
        return try isPrepared(store) ? .soon : .nothing
    }

    /// Whether others fix a run's audience or send to those who go first.
    private func isPrepared(_ store: Store) throws(StoreError) -> Bool {
        try store.table(named: .runs, [.integer(Self.newestMax)]).namedRows.contains { row in
            ["freezing", "canary"].contains(row.text("state") ?? "") && row.count("workers") > 0
                && !row.flag("rehearsal")
        }
    }

    private mutating func look(for id: Int64, _ store: Store) throws(StoreError) -> Found {
        guard let run = try store.findRun(id: id) else {
            stage.console.message("There is no run \(id) in this database.")
            return .over(.badFile)
        }
        if run.state.isClosed || run.wish != nil {
            stage.advice?.message("\(NamedRun.title(run)) is \(run.state.rawValue).")
            return .over(run.state == .finished ? .done : .stoppedEarly)
        }
        guard hasCredential(for: run) else { return .over(.badConfiguration) }
        let isResting = (rests[id]?.untilNanoseconds ?? 0) > MonotonicClock.nanoseconds()
        return isResting ? .nothing : .run(run)
    }

    private mutating func connected() throws(StoreError) -> Store {
        if let store { return store }
        let opened = try stage.database.open("work")
        stage.recover(opened)
        store = opened
        return opened
    }

    /// Whether this machine can send to the run's app; says once if not.
    private mutating func hasCredential(for run: Run) -> Bool {
        let configuration = stage.configuration.file.configuration
        if configuration.credential(app: run.app, environment: run.environment) != nil {
            return true
        }
        if told.insert(run.id).inserted {
            failure = .badConfiguration
            stage.console.message(
                "\(NamedRun.title(run)) is left to others: this machine has no credentials for "
                    + "\(run.app) in \(run.environment.rawValue).")
        }
        return false
    }

    /// Waits a little for a database that is away, and gives up in the end.
    private mutating func sitOut(_ error: StoreError) throws(StoreError) {
        guard case .database = error else { throw error }
        store = nil
        let now = MonotonicClock.nanoseconds()
        if outageEnd == nil {
            stage.console.message("\(error). Trying again for ten minutes.")
        }
        let end = outageEnd ?? now + Self.outageNanosecondsMax
        outageEnd = end
        guard now < end else { throw error }
        retry.grow(from: Self.databaseRest.first, max: Self.databaseRest.max)
        _ = signals.waitForStop(untilNanoseconds: retry.untilNanoseconds)
    }

    // MARK: - Working

    /// Helps with a run until it ends here. Returns what that means.
    private mutating func takePart(in run: Run) -> ExitCode {
        let ending: (code: ExitCode, message: String?)
        do {
            let campaignRun = CampaignRun(try stage.request(run, entry: .join(runID: run.id)))
            signals.onReload { campaignRun.requestReload() }
            signals.onStop { campaignRun.requestStop() }
            let narrator = RunNarrator(
                console: stage.console, isQuiet: stage.arguments.has("quiet"))
            let end = RunEnding(campaignRun.execute(observer: narrator))
            stage.console.endProgress()
            ending = (end.code, end.message)
        } catch {
            let failure = CommandFailure(error)
            ending = (failure.code, failure.message)
        }
        settle(run, ending.code, ending.message)
        return ending.code
    }

    private mutating func settle(_ run: Run, _ code: ExitCode, _ message: String?) {
        let isFailure = code != .done && code != .stoppedEarly
        let text = message ?? "\(NamedRun.title(run)) is finished."
        (isFailure ? stage.console : stage.advice)?.message(text)
        if code == .done {
            rests[run.id] = nil
            return
        }
        if isFailure { failure = code }
        rests[run.id, default: Rest()].grow(from: Self.runRest.first, max: Self.runRest.max)
        if isFailure {
            stage.console.message(
                "Run \(run.id) is tried again in \(rests[run.id]?.seconds ?? 0) s, if it is still "
                    + "open then.")
        }
    }
}
