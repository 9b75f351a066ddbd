internal import CampaignStore
internal import PostgreSQL

/// `sortie report`: what happened to the recipients of a run.
enum ReportCommand {
    static let definition = CommandDefinition(
        "report", .campaigns, "say what happened to the recipients of a run",
        operands: [
            .init(
                name: "RUN", summary: "the number of a run (default: the latest)",
                isRequired: false)
        ],
        options: [
            OptionDefinition(
                "view", .choice(ReportView.allCases.map(\.rawValue)), "what to report",
                default: ReportView.summary.rawValue),
            OptionDefinition(
                "format", .choice(ReportFormat.allCases.map(\.rawValue)), "how to print it",
                default: ReportFormat.table.rawValue),
            SharedOptions.config,
        ],
        discussion: """
            The same figures are in the database, in the views of the schema "report". In CSV,
            identifiers are text: tell a spreadsheet so when it reads them.
            """,
        examples: [
            "sortie report",
            "sortie report 12 --view reasons",
            "sortie report 12 --view recipients --format csv > recipients.csv",
        ],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let configuration = try ConfigurationFile(arguments, console: console)
        let store = try DatabaseAccess(configuration, console: console).open("report")
        let runID = try runID(arguments, store)
        let view = arguments.text("view").flatMap(ReportView.init) ?? .summary
        switch arguments.text("format").flatMap(ReportFormat.init) ?? .table {
        case .csv: try printCSV(view, runID, store, console)
        case .json: console.output(try json(view, runID, store))
        case .table: console.output(try table(view, runID, store))
        }
        return .done
    }

    private static func runID(_ arguments: ParsedArguments, _ store: Store) throws -> Int64 {
        guard let typed = arguments.operands.first else {
            if let newest = try store.newestRun() { return newest.id }
            throw CommandFailure(.badFile, "No campaign has been run on this database yet.")
        }
        if let number = Int64(typed), try store.findRun(id: number) != nil { return number }
        throw CommandFailure(
            .badFile,
            "There is no run \"\(typed)\" in this database; \"sortie status\" lists them.")
    }

    private static func table(
        _ view: ReportView, _ runID: Int64, _ store: Store
    ) throws(StoreError) -> String {
        if view == .summary {
            return try RunReport(runID: runID, store: store).text
        }
        let report = try store.table(named: view.report, [.integer(runID)])
        var table = TextTable(columns: report.columns.map(ReportColumn.heading))
        for row in report.rows {
            table.add(zip(report.columns, row).map(ReportColumn.text))
        }
        return report.rows.isEmpty ? "  (none)\n" : table.text()
    }

    private static func json(
        _ view: ReportView, _ runID: Int64, _ store: Store
    ) throws(StoreError) -> String {
        if view == .summary {
            return try RunReport(runID: runID, store: store).json().lines
        }
        let rows = try store.table(named: view.report, [.integer(runID)]).namedRows
        return JSONOutput.linesOfRows(rows.map(\.json))
    }

    /// Streams the report: it may have millions of rows.
    private static func printCSV(
        _ view: ReportView, _ runID: Int64, _ store: Store, _ console: Console
    ) throws(StoreError) {
        var lineEnds = CSVLineEnds()
        try store.writeCSV(view.report, runID: runID) { piece in
            console.output(lineEnds.converted(piece))
        }
    }
}

extension ReportView {
    /// The statement behind the view.
    var report: Report {
        switch self {
        case .summary: .runSummary
        case .reasons: .outcomesByReason
        case .recipients: .recipients
        case .pruned: .prunedDevices
        case .events: .events
        }
    }
}
