/// A table of texts.
struct ResultTable: Sendable {
    let title: String
    let columns: [String]
    let rows: [[String]]

    init(_ title: String, _ columns: [String], _ rows: [[String]]) {
        self.title = title
        self.columns = columns
        self.rows = rows
    }

    /// For a terminal: columns side by side.
    var text: String {
        let widths = columns.indices.map { column in
            ([columns] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([columns] + rows).map { row in
            row.indices.map { column in
                row[column] + String(repeating: " ", count: widths[column] - row[column].count)
            }.joined(separator: "  ").trimmingBlanks
        }.joined(separator: "\n")
    }

    /// For a page.
    var markdown: String {
        let lines = [columns, columns.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

extension String {
    /// Without the blanks at its end.
    fileprivate var trimmingBlanks: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
