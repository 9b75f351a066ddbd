// What came of an import.

/// A row of a file that was left out.
package struct RejectedRow: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line on which the row begins, from 1.
    package let line: Int
    /// The column's name as in the header; nil if the whole row is wrong.
    package let column: String?
    /// Why, without the value.
    package let cause: String

    package var description: String {
        "line \(line)\(column.map { ", column \(DeviceColumns.quoted($0))" } ?? ""): \(cause)"
    }
}

/// What came of an import of devices.
package struct ImportSummary: Sendable, Equatable {
    /// How many examples of rejected rows are kept.
    package static let examplesMax = 20

    /// Rows of the file, without its header and blank lines.
    package internal(set) var rowsRead = 0
    /// Devices that were not known.
    package internal(set) var new = 0
    /// Known devices of which something changed.
    package internal(set) var updated = 0
    /// Known devices of which nothing changed.
    package internal(set) var unchanged = 0
    /// Of those updated: devices that were dead and are active again.
    package internal(set) var revived = 0
    /// Rows whose token was in the file before; the one registered last counts.
    package internal(set) var duplicates = 0
    /// Rows whose token had brackets, blanks or the like around it.
    package internal(set) var cleaned = 0
    /// Rows whose token is not 64 digits long: allowed, and worth a look.
    package internal(set) var unusualLength = 0
    /// Rows left out.
    package internal(set) var rejected = 0
    /// Rows left out, by cause.
    package internal(set) var rejectedByCause: [String: Int] = [:]
    /// The first of them.
    package internal(set) var examples: [RejectedRow] = []

    mutating func reject(_ row: RejectedRow) {
        rejected += 1
        // A hostile file could invent causes without end; there are a few dozen honest ones.
        if rejectedByCause[row.cause] != nil || rejectedByCause.count < 100 {
            rejectedByCause[row.cause, default: 0] += 1
        }
        if examples.count < Self.examplesMax { examples.append(row) }
    }
}
