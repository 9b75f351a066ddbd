internal import CampaignModel
internal import CampaignRunner
internal import DocumentTree
internal import LinuxIO

/// `sortie run` and `sortie probe`: a whole campaign, or its preflight alone.
enum RunCommand {
    static let definition = CommandDefinition(
        "run", .campaigns, "send a campaign: preflight, then the main send",
        operands: [SharedOptions.campaignFile], options: options + [SharedOptions.late],
        discussion: """
            Checks the tokens first and drops the dead ones, then sends to everyone else. If it is
            stopped (Ctrl-C, SIGTERM, a crash), the same command goes on with what is left. An
            occurrence that is finished is not sent again. With --workers, other processes of this
            machine send too; "sortie work" lets other machines help. SIGHUP reads the credentials
            again.
            """,
        examples: [
            "sortie run Campaigns/demo.json",
            "sortie run Campaigns/demo.json --occurrence 2026-12-05 --quiet",
            "sortie run Campaigns/demo.json --workers 4",
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
            of 200 proves nothing about a token. Its occurrence is "probe-" and the date, unless
            --occurrence names another.
            """,
        examples: ["sortie probe Campaigns/demo.json"]
    ) { arguments, console in try run(.probe, arguments, console) }

    private static let options = [
        SharedOptions.occurrence, SharedOptions.workers, SharedOptions.releaseBrake,
        SharedOptions.config, SharedOptions.json, SharedOptions.quiet, SharedOptions.verbose,
    ]

    private static func run(
        _ kind: RunKind, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let signals = try StopSignals(
            console: console, announcement: RunExecution.announcement, hangup: .reloads)
        let file = try CampaignFile(arguments.operands[0])
        if !arguments.has("quiet") {
            for warning in file.warnings { console.message(warning.description) }
        }
        let stage = try RunStage(arguments, console)
        let request = try stage.request(
            file, occurrence: arguments.text("occurrence") ?? usualOccurrence(file.campaign, kind),
            kind: kind, entry: .open)
        stage.recover(try stage.database.open("check"))
        return try RunExecution(stage: stage, signals: signals).carryOut(request)
    }

    /// The default occurrence. A probe has one of its own: it must not stand in for the run.
    private static func usualOccurrence(_ campaign: Campaign, _ kind: RunKind) -> String {
        let today = CalendarDay(secondsSince1970: WallClock.microseconds() / 1_000_000).text
        return kind == .probe ? "probe-\(today)" : campaign.usualOccurrence(today: today)
    }
}
