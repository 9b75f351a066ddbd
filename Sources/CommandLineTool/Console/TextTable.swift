/// A table of aligned columns for people.
///
/// Every line is indented by two blanks and has no blanks at its end. Columns are as wide as their
/// widest cell; nothing is cut, because a report is also read in files.
struct TextTable: Sendable {
    enum Alignment: Sendable { case left, right }

    struct Column: Sendable {
        let title: String
        let alignment: Alignment

        static func left(_ title: String) -> Column { Column(title: title, alignment: .left) }
        static func right(_ title: String) -> Column { Column(title: title, alignment: .right) }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    init(columns: [Column]) { self.columns = columns }

    /// - Parameter cells: one text for each column.
    mutating func add(_ cells: String...) { add(cells) }

    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has one cell for each column")
        rows.append(cells)
    }

    /// The table as text, with a last line end. Titles are left out if all of them are empty.
    func text() -> String {
        let titles = columns.map(\.title)
        let hasTitles = titles.contains { !$0.isEmpty }
        let lines = (hasTitles ? [titles] : []) + rows
        let widths = columns.indices.map { column in
            lines.map { Self.width(of: $0[column]) }.max() ?? 0
        }
        return lines.map { line(of: $0, widths: widths) + "\n" }.joined()
    }

    private func line(of cells: [String], widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[index] - Self.width(of: cell))
            line += "  " + (columns[index].alignment == .left ? cell + padding : padding + cell)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Columns on a terminal: one for each character. Wide scripts take two, which only shifts the
    /// columns to their right.
    private static func width(of cell: String) -> Int { cell.count }
}
