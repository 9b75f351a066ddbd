internal import CampaignStore
internal import PostgreSQL

/// `sortie status`: the runs of late and how far they are, or one run with its workers.
enum StatusCommand {
    static let definition = CommandDefinition(
        "status", .campaigns, "show the runs of late, or one run and its workers",
        operands: [
            .init(
                name: "RUN", summary: "the number of a run, or a campaign's name: its newest run",
                isRequired: false)
        ],
        options: [
            OptionDefinition(
                "limit", .integer(placeholder: "N", 1...1_000), "how many runs", default: "10"),
            SharedOptions.config, SharedOptions.json,
        ],
        examples: ["sortie status", "sortie status 12", "sortie status newsletter --json"],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let configuration = try ConfigurationFile(arguments, console: console)
        let store = try DatabaseAccess(configuration, console: console).open("status")
        if let typed = arguments.operands.first {
            let status = try RunStatus(runID: try NamedRun.find(typed, store).id, store: store)
            console.output(arguments.has("json") ? status.json.lines : status.text)
            return .done
        }
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
            .right("workers"), .right("recipients"), .right("accepted"), .right("rejected"),
            .right("unknown"), .right("skipped"), .right("unsent"), .left("started"),
            .left("next"))
        let counts = ["workers", "recipients", "accepted", "rejected", "unknown", "skipped"]
        for row in rows {
            let names = ["campaign", "occurrence", "state"].map { row.text($0) ?? "" }
            table.add(
                [String(row.count("run_id"))] + names
                    + (counts + ["unsent"]).map { NumberText.count(row.count($0)) }
                    + [ReportColumn.text("started_at", row.text("started_at")), next(row)])
        }
        return table.text()
    }

    /// What comes next and when, and why it stopped.
    private static func next(_ row: ReportRow) -> String {
        let isOver = ["finished", "cancelled", "failed"].contains(row.text("state") ?? "")
        return [
            row.flag("rehearsal") ? "rehearsal" : nil, row.text("stop_reason"),
            isOver ? nil : RunStatus.next(row),
        ].compactMap { $0 }.joined(separator: "; ")
    }
}
