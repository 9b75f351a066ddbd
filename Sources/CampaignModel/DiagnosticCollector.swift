internal import DocumentTree

/// Collects everything that is wrong with one file while it is read.
///
/// *Ownership and thread*: made by a reader for one reading, shared by its parts on one thread.
final class DiagnosticCollector {
    private let file: String
    private var list: [Diagnostic] = []

    /// A collector for one file.
    ///
    /// - Parameter file: the file as the user named it.
    init(file: String) {
        self.file = file
    }

    /// Notes that the file cannot be used.
    ///
    /// - Parameters:
    ///   - place: where.
    ///   - path: the field.
    ///   - message: what was found and what to write instead.
    func error(_ place: SourcePlace, _ path: String, _ message: String) {
        add(.error, place, path, message)
    }

    /// Notes what the author should know.
    ///
    /// - Parameters:
    ///   - place: where.
    ///   - path: the field.
    ///   - message: what was found and what to write instead.
    func warning(_ place: SourcePlace, _ path: String, _ message: String) {
        add(.warning, place, path, message)
    }

    /// Everything in the order of the file, with the value if there is no error.
    ///
    /// - Parameter value: what was read; nil only if an error was noted.
    /// - Returns: the value with the warnings, or everything.
    func result<Value>(_ value: Value?) -> Result<Checked<Value>, Diagnostics> {
        guard let value, !list.contains(where: { $0.severity == .error }) else {
            precondition(!list.isEmpty, "a value is missing and nothing says why")
            return .failure(Diagnostics(list))
        }
        return .success(Checked(value, warnings: Diagnostics.inFileOrder(list)))
    }

    private func add(
        _ severity: Diagnostic.Severity, _ place: SourcePlace, _ path: String, _ message: String
    ) {
        list.append(
            Diagnostic(
                file: file, place: place, fieldPath: path, severity: severity, message: message))
    }
}
