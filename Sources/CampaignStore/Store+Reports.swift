// Reading the report views.

package import PostgreSQL

/// A result for people or machines: names of columns, and rows as PostgreSQL's text.
package struct ReportTable: Sendable, Equatable {
    /// Column names, in order.
    package let columns: [String]
    /// Rows; nil is NULL.
    package let rows: [[String?]]

    /// Creates a table.
    package init(columns: [String], rows: [[String?]]) {
        self.columns = columns
        self.rows = rows
    }
}

/// The reports that the program prints; each is a file of `SQL/statements`.
package enum Report: String, Sendable, CaseIterable {
    /// Newest runs first, with their counts. Parameter: how many at most.
    case runs = "report_runs"
    /// One run's summary. Parameter: the run's id.
    case runSummary = "report_run_summary"
    /// What one run is at, and what comes next. Parameter: the run's id.
    case runStatus = "report_run_status"
    /// Outcomes by phase, kind and reason. Parameter: the run's id.
    case outcomesByReason = "report_outcomes_by_reason"
    /// Recipients with their outcomes. Parameter: the run's id.
    case recipients = "report_recipients"
    /// Devices whose status the run changed. Parameter: the run's id.
    case prunedDevices = "report_pruned_devices"
    /// The run's journal. Parameter: the run's id.
    case events = "report_events"
    /// The run's workers. Parameter: the run's id.
    case workers = "report_workers"
}

extension Store {
    /// Runs a report. Memory holds the whole result; for the recipients of a large run use
    /// ``writeCSV(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - report: Which.
    ///   - parameters: As the report says.
    /// - Returns: The table.
    /// - Throws: Database trouble.
    package func table(
        named report: Report, _ parameters: [PGValue] = []
    ) throws(StoreError) -> ReportTable {
        let result = try run(report.rawValue, parameters)
        let columns = result.columnNames
        let rows = (0..<result.rowCount).map { row in
            columns.indices.map { result.text(row, $0) }
        }
        return ReportTable(columns: columns, rows: rows)
    }

    /// Streams a report about one run as CSV with a header line, in bounded memory.
    ///
    /// - Parameters:
    ///   - report: A report whose only parameter is a run's id.
    ///   - runID: The run's id.
    ///   - body: Gets pieces of the text.
    /// - Throws: What `body` throws, or database trouble.
    package func writeCSV(
        _ report: Report, runID: Int64, _ body: (RawSpan) throws(StoreError) -> Void
    ) throws(StoreError) {
        // COPY takes no parameters; an integer needs no quoting.
        let query = SQLLibrary.replacing(
            "$1", in: SQLLibrary.body(of: SQLLibrary.statement(report.rawValue)),
            with: String(runID))
        let sql = SQLLibrary.text("report_copy", [("query", query)])
        try connection.copyOut(sql, name: report.rawValue, body)
    }
}
