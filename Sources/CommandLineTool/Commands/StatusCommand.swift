internal import CampaignStore
internal import PostgreSQL

/// `sortie status`: the runs of late, and how far they are.
enum StatusCommand {
    static let definition = CommandDefinition(
        "status", .campaigns, "show the runs of late and how far they are",
        options: [
            OptionDefinition(
                "limit", .integer(placeholder: "N", 1...1_000), "how many runs", default: "10"),
            SharedOptions.config, SharedOptions.json,
        ],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let configuration = try ConfigurationFile(arguments, console: console)
        let store = try DatabaseAccess(configuration, console: console).open("status")
        let limit = Int64(arguments.integer("limit") ?? 10)
        let rows = try store.table(named: .runs, [.integer(limit)]).namedRows
        console.output(
            arguments.has("json") ? JSONOutput.linesOfRows(rows.map(\.json)) : table(rows))
        return .done
    }

    private static func table(_ rows: [ReportRow]) -> String {
        if rows.isEmpty { return "No campaign has been run on this database yet.\n" }
        var table = TextTable(
            .right("run"), .left("campaign"), .left("occurrence"), .left("state"),
            .right("recipients"), .right("accepted"), .right("rejected"), .right("unknown"),
            .right("skipped"), .right("unsent"), .left("started"), .left(""))
        let counts = ["recipients", "accepted", "rejected", "unknown", "skipped", "unsent"]
        for row in rows {
            let names = ["campaign", "occurrence", "state"].map { row.text($0) ?? "" }
            table.add(
                [String(row.count("run_id"))] + names
                    + counts.map { NumberText.count(row.count($0)) }
                    + [
                        ReportColumn.text("started_at", row.text("started_at")),
                        [row.flag("rehearsal") ? "rehearsal" : "", row.text("stop_reason") ?? ""]
                            .filter { !$0.isEmpty }.joined(separator: "; "),
                    ])
        }
        return table.text()
    }
}
