internal import CampaignStore

/// One row of a report, by the names of its columns.
struct ReportRow {
    private let columns: [String]
    private let cells: [String?]

    init(columns: [String], cells: [String?]) {
        self.columns = columns
        self.cells = cells
    }

    /// A cell as PostgreSQL writes it. Nil: NULL, or no such column.
    func text(_ column: String) -> String? {
        guard let index = columns.firstIndex(of: column) else { return nil }
        return cells[index]
    }

    /// A count; NULL is none.
    func count(_ column: String) -> Int64 { text(column).flatMap { Int64($0) } ?? 0 }

    func number(_ column: String) -> Double? { text(column).flatMap { Double($0) } }

    func flag(_ column: String) -> Bool { text(column) == "t" }

    /// The row as a JSON object with the columns' names as keys.
    var json: JSONOutput {
        .object(
            zip(columns, cells).map { column, cell in
                (column, ReportColumn.json(column, cell))
            })
    }
}

extension ReportTable {
    /// The rows, one by one.
    var namedRows: [ReportRow] { rows.map { ReportRow(columns: columns, cells: $0) } }
}
