internal import CampaignRunner
internal import DocumentTree
internal import LinuxIO

/// `sortie rehearse`: a whole campaign against a simulator, with the real audience, without
/// consequences.
enum RehearseCommand {
    static let definition = CommandDefinition(
        "rehearse", .campaigns, "run a campaign against a simulator and predict how it goes",
        operands: [SharedOptions.campaignFile],
        options: [
            OptionDefinition(
                "dead", .number(placeholder: "S", 0...1), "share of tokens that answer 410",
                default: "0"),
            OptionDefinition(
                "latency", .integer(placeholder: "MS", 0...60_000),
                "milliseconds until an answer comes", default: "30"),
            OptionDefinition(
                "rate-of-server", .number(placeholder: "N", 0.1...10_000_000),
                "answers per second at most (default: no limit)"),
            SharedOptions.config, SharedOptions.quiet, SharedOptions.json,
        ],
        discussion: """
            Takes the audience from the configured database, renders every message, and sends at
            the campaign's own pace, to a simulator inside this process: it takes as long as the
            real run would. APNs is not contacted, credentials are not needed, and no device
            changes, whatever the simulator answers. The rehearsal is kept as a run of its own,
            marked as one, and counts in no total. Exit statuses are those of "run".
            """,
        examples: [
            "sortie rehearse Campaigns/demo.json",
            "sortie rehearse Campaigns/demo.json --dead 0.05 --latency 80",
        ],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let signals = try StopSignals(
            console: console, announcement: "Stopping the rehearsal. Again to stop at once.")
        let file = try CampaignFile(arguments.operands[0])
        let isQuiet = arguments.has("quiet")
        if !isQuiet { for warning in file.warnings { console.message(warning.description) } }
        let configuration = try ConfigurationFile(arguments, console: console)
        let database = try DatabaseAccess(configuration, console: console, isQuiet: isQuiet)
        try database.prepare()
        let stage = try RehearsalStage(file.campaign, RehearsalServer(arguments))
        defer { stage.tearDown() }
        var request = RunRequest(
            campaign: file.campaign, definition: file.bytes, occurrence: occurrence,
            kind: .campaign, database: database.connection, endpoint: try stage.endpoint(),
            startedBy: Operator.name, version: Version.text)
        request.isRehearsal = true
        let run = CampaignRun(request)
        signals.onStop { run.requestStop() }
        let watch = RehearsalWatch(
            narrator: RunNarrator(console: console, isQuiet: isQuiet, server: "the simulator"),
            simulator: stage.simulator)
        let ending = RunEnding(run.execute(observer: watch))
        console.endProgress()
        try report(ending, watch, stage.server, database, arguments, console)
        return ending.code
    }

    /// A name that no run of the campaign has.
    private static var occurrence: String {
        "rehearsal-" + UTCTime(secondsSince1970: WallClock.microseconds() / 1_000_000).text
    }

    private static func report(
        _ ending: RunEnding, _ watch: RehearsalWatch, _ server: RehearsalServer,
        _ database: DatabaseAccess, _ arguments: ParsedArguments, _ console: Console
    ) throws {
        let isQuiet = arguments.has("quiet")
        if let runID = ending.runID ?? watch.narrator.runID, !isQuiet || arguments.has("json") {
            let report = RehearsalReport(
                report: try RunReport(runID: runID, store: try database.open("report")),
                seen: watch.seen, server: server)
            console.output(
                arguments.has("json") ? report.json(ending: ending).lines : report.text)
        }
        if let message = ending.message, !(isQuiet && ending.code == .done) {
            console.message(message)
        }
    }
}
