internal import CampaignRunner
internal import DocumentTree
internal import LinuxIO
internal import SendPolicy

/// `sortie run` and `sortie probe`: a whole campaign, or its preflight alone.
enum RunCommand {
    static let definition = CommandDefinition(
        "run", .campaigns, "send a campaign: preflight, then the main send",
        operands: [SharedOptions.campaignFile], options: options,
        discussion: """
            Checks the tokens first and drops the dead ones, then sends to everyone else. If it is
            stopped (Ctrl-C, SIGTERM, a crash), the same command goes on with what is left. An
            occurrence that is finished is not sent again.
            """,
        examples: [
            "sortie run Campaigns/demo.json",
            "sortie run Campaigns/demo.json --occurrence 2026-12-05 --quiet",
            "sortie run Campaigns/demo.json --release-brake invalid",
        ]
    ) { arguments, console in try run(.campaign, arguments, console) }

    static let probe = CommandDefinition(
        "probe", .campaigns, "run only the preflight of a campaign",
        operands: [SharedOptions.campaignFile], options: options,
        discussion: """
            Sends silent, low-priority pushes to the devices that the campaign's preflight names,
            and drops the tokens that APNs reports as gone. APNs learns of an uninstalled app only
            after a push has reached the device, so a probe some days ahead finds most. An answer
            of 200 proves nothing about a token.
            """,
        examples: ["sortie probe Campaigns/demo.json"]
    ) { arguments, console in try run(.probe, arguments, console) }

    private static let options = [
        SharedOptions.occurrence, SharedOptions.releaseBrake, SharedOptions.config,
        SharedOptions.json, SharedOptions.quiet,
    ]

    private static func run(
        _ kind: RunKind, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let signals = try StopSignals(
            console: console,
            announcement: "Stopping: waiting for answers on the wire. Again to stop at once.")
        let file = try CampaignFile(arguments.operands[0])
        let isQuiet = arguments.has("quiet")
        let advice = isQuiet ? nil : console
        for warning in file.warnings { advice?.message(warning.description) }
        let configuration = try ConfigurationFile(arguments, console: console)
        let endpoint = try PushTarget.endpoint(
            for: file.campaign, configuration, console: advice)
        let database = try DatabaseAccess(configuration, console: console, isQuiet: isQuiet)
        try database.prepare()
        var request = RunRequest(
            campaign: file.campaign, definition: file.bytes,
            occurrence: arguments.text("occurrence") ?? today, kind: kind,
            database: database.connection, endpoint: endpoint, startedBy: Operator.name,
            version: Version.text)
        request.releasedBrakes = Set(
            arguments.texts("release-brake").compactMap(BrakeName.init(rawValue:)))
        let run = CampaignRun(request)
        signals.onStop { run.requestStop() }
        let narrator = RunNarrator(console: console, isQuiet: isQuiet)
        let end = run.execute(observer: narrator)
        console.endProgress()
        return try report(end, narrator, database, arguments, console)
    }

    /// The default occurrence.
    private static var today: String {
        CalendarDay(secondsSince1970: WallClock.microseconds() / 1_000_000).text
    }

    /// Says how it ended: the report as the result, the reason for an early end as a message.
    private static func report(
        _ end: RunEnd, _ narrator: RunNarrator, _ database: DatabaseAccess,
        _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let ending = RunEnding(end)
        let isQuiet = arguments.has("quiet")
        if let runID = ending.runID ?? narrator.runID, !isQuiet || arguments.has("json") {
            do {
                let report = try RunReport(runID: runID, store: try database.open("report"))
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
