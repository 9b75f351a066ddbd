/// One sentence about a file that a person wrote: where, which field, what is wrong, what to write.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// Whether the file can be used all the same.
    package enum Severity: String, Sendable, Hashable {
        /// The file cannot be used.
        case error
        /// The file can be used, but probably does not do what its author wants.
        case warning
    }

    /// The file as the user named it.
    package let file: String
    /// Where in the file.
    package let place: SourcePlace
    /// The field from the root, such as `message.translations.hu.title`; empty for the whole file.
    package let fieldPath: String
    /// Whether the file can be used all the same.
    package let severity: Severity
    /// What was found and what to write instead; the user's own text is shown escaped and cut.
    package let message: String

    /// A sentence about one place of a file.
    ///
    /// - Parameters:
    ///   - file: the file as the user named it.
    ///   - place: where in the file.
    ///   - fieldPath: the field from the root; empty for the whole file.
    ///   - severity: whether the file can be used all the same.
    ///   - message: what was found and what to write instead.
    package init(
        file: String, place: SourcePlace, fieldPath: String = "", severity: Severity = .error,
        message: String
    ) {
        self.file = file
        self.place = place
        self.fieldPath = fieldPath
        self.severity = severity
        self.message = message
    }

    /// The line, counted from 1.
    package var line: Int { place.line }

    /// The column in characters, counted from 1.
    package var column: Int { place.column }

    /// `file:line:column: error: field: message`, the form that editors and CI systems link.
    package var description: String {
        let field = fieldPath.isEmpty ? "" : fieldPath + ": "
        return "\(file):\(line):\(column): \(severity.rawValue): \(field)\(message)"
    }
}

/// Everything that is wrong with a file, in the order of the file; at least one error.
package struct Diagnostics: Error, Sendable, Hashable, CustomStringConvertible {
    /// Errors and warnings, in the order of the file.
    package let list: [Diagnostic]

    /// Everything that is wrong with a file.
    ///
    /// - Parameter list: errors and warnings in any order.
    package init(_ list: [Diagnostic]) {
        self.list = Diagnostics.inFileOrder(list)
    }

    /// One line for each.
    package var description: String { list.map(\.description).joined(separator: "\n") }

    /// Sorts by place; sentences about one place keep the order in which they were found.
    ///
    /// - Parameter list: diagnostics of one file.
    /// - Returns: the same ones in the order of the file.
    package static func inFileOrder(_ list: [Diagnostic]) -> [Diagnostic] {
        let numbered = list.enumerated().sorted { left, right in
            (left.element.place, left.offset) < (right.element.place, right.offset)
        }
        return numbered.map(\.element)
    }
}

/// A value read from a file that can be used, with what its author should know.
package struct Checked<Value> {
    /// What was read.
    package let value: Value
    /// Sentences of severity ``Diagnostic/Severity/warning``, in the order of the file.
    package let warnings: [Diagnostic]

    /// A value read from a file.
    ///
    /// - Parameters:
    ///   - value: what was read.
    ///   - warnings: what its author should know.
    package init(_ value: Value, warnings: [Diagnostic]) {
        self.value = value
        self.warnings = warnings
    }
}

extension Checked: Sendable where Value: Sendable {}
extension Checked: Equatable where Value: Equatable {}
