/// Where something stands in a file that a person wrote.
package struct SourcePlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, counted from 1.
    package let line: Int
    /// The column in characters (Unicode scalars), counted from 1; a tab is one column.
    package let column: Int

    /// A place by line and column.
    ///
    /// - Parameters:
    ///   - line: counted from 1.
    ///   - column: in characters, counted from 1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file: the place of what concerns the file as a whole.
    package static let start = SourcePlace(line: 1, column: 1)

    /// `line 3, column 5`.
    package var description: String { "line \(line), column \(column)" }

    /// Order in the file.
    ///
    /// - Parameters:
    ///   - left: one place.
    ///   - right: another place of the same file.
    /// - Returns: whether `left` stands before `right`.
    package static func < (left: SourcePlace, right: SourcePlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
