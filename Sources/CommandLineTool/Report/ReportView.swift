/// What `sortie report` can show.
enum ReportView: String, CaseIterable, Sendable {
    case summary, reasons, recipients, pruned, events
}

/// How `sortie report` prints it.
enum ReportFormat: String, CaseIterable, Sendable {
    case table, json, csv
}
