internal import CampaignModel
internal import CampaignRunner
internal import CampaignStore
internal import SendPolicy

/// What every command needs that sends: configuration, database, the folder of recovery files.
struct RunStage {
    let arguments: ParsedArguments
    let console: Console
    let configuration: LiveConfiguration
    let database: DatabaseAccess
    private let recovery: RecoveryFolder

    /// Reads the configuration and reaches for the database.
    ///
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - console: where warnings go, unless the command is to be quiet.
    /// - Throws: what is wrong with either.
    init(_ arguments: ParsedArguments, _ console: Console) throws {
        self.arguments = arguments
        self.console = console
        configuration = try LiveConfiguration(arguments, console: console)
        let isQuiet = arguments.has("quiet")
        database = try DatabaseAccess(configuration.file, console: console, isQuiet: isQuiet)
        let folder = StateFolder.path(configuration.file)
        StateFolder.prepare(folder, console: isQuiet ? nil : console)
        recovery = RecoveryFolder("\(folder)/recovery")
    }

    /// Where warnings go; nil if the command is to be quiet.
    var advice: Console? { arguments.has("quiet") ? nil : console }

    /// A request to work on a campaign here.
    ///
    /// - Parameters:
    ///   - file: the campaign.
    ///   - occurrence: the name of the execution.
    ///   - kind: all of it, or its preflight.
    ///   - entry: how this process comes to the run.
    /// - Returns: the request.
    /// - Throws: what is wrong with the credentials.
    func request(
        _ file: CampaignFile, occurrence: String, kind: RunKind, entry: RunEntry
    ) throws -> RunRequest {
        let campaign = file.campaign
        var request = RunRequest(
            campaign: campaign, definition: file.bytes, occurrence: occurrence, kind: kind,
            database: database.connection,
            endpoint: try PushTarget.endpoint(for: campaign, configuration.file, console: advice),
            startedBy: Operator.name, version: Version.text)
        request.entry = entry
        request.fileName = file.name
        request.allowsLate = arguments.has("late")
        request.releasedBrakes = Set(
            arguments.texts("release-brake").compactMap(BrakeName.init(rawValue:)))
        request.tuning = RunTuning(configuration.file.configuration.tuning)
        request.surroundings = SystemSurroundings(recoveryFolder: recovery)
        request.reloaded = { [configuration] in configuration.rereadEndpoint(for: campaign) }
        return request
    }

    /// A request to work on a run that the database has.
    ///
    /// - Parameters:
    ///   - run: the run.
    ///   - entry: how this process comes to it.
    /// - Returns: the request.
    /// - Throws: what is wrong with the credentials, or with the definition.
    func request(_ run: Run, entry: RunEntry) throws -> RunRequest {
        try request(
            try CampaignFile(of: run), occurrence: run.occurrence,
            kind: run.isProbeOnly ? .probe : .campaign, entry: entry)
    }

    /// Records what runs of this machine could not record while their database was away.
    ///
    /// - Parameter store: a connection.
    func recover(_ store: Store) {
        var replay = RecoveryReplay()
        replay.replay(recovery, into: store)
        for worker in replay.workers {
            let dropped =
                worker.dropped > 0
                ? ", \(NumberText.count(worker.dropped)) came too late: others had gone on" : ""
            advice?.message(
                "Run \(worker.runID): "
                    + NumberText.count(Int64(worker.recorded), "outcome")
                    + " of worker \(worker.workerID) recorded from its recovery file\(dropped).")
        }
        for trouble in replay.troubles { console.message(trouble) }
    }
}

extension RunTuning {
    /// The defaults with what a configuration says otherwise.
    init(_ configured: Configuration.Tuning) {
        self.init()
        leaseSeconds = configured.leaseSeconds ?? leaseSeconds
        sliceSize = configured.slice ?? sliceSize
        windowMax = configured.window ?? windowMax
        batchRows = configured.batch ?? batchRows
        batchMilliseconds = configured.batchMilliseconds ?? batchMilliseconds
        databasePatienceSeconds = configured.databasePatienceSeconds ?? databasePatienceSeconds
        eventLoops = configured.eventLoops
    }
}
