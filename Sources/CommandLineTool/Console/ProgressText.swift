/// The one line that shows how far a phase is.
enum ProgressText {
    /// A line that wraps can't be rewritten in place: one column less than the narrowest terminal.
    static let columnsMax = 79

    /// Joins what fits, in order of importance.
    ///
    /// - Parameter parts: short texts, the most important first; empty ones are left out.
    /// - Returns: a line of at most `columnsMax` columns.
    static func line(_ parts: [String]) -> String {
        var line = ""
        for part in parts where !part.isEmpty {
            let longer = line.isEmpty ? part : "\(line)  \(part)"
            if longer.count > columnsMax { break }
            line = longer
        }
        return line
    }
}
