/// What the columns of the reports hold, by name: PostgreSQL hands over text, and a text of digits
/// may be a number or a user's name.
enum ReportColumn {
    /// Counts and identifiers, which are JSON numbers and stand at the right of their column.
    static let numbers: Set<String> = [
        "run_id", "recipients", "accepted", "rejected", "unknown", "skipped", "unsent", "parked",
        "unconfirmed", "probe_recipients", "probe_accepted", "probe_rejected", "probe_unknown",
        "probe_skipped", "pruned", "seconds", "accepted_percent", "ordinal", "device_id",
        "http_status", "attempts", "latency_ms", "worker_id",
        "workers", "lead_worker_id", "max_rate", "pid", "slices_held",
        "slice_recipients_announced", "slice_recipients_recorded", "parked_claimed", "rate_share",
        "recipients_recorded",
    ]
    static let flags: Set<String> = ["probe_only", "undone", "rehearsal"]
    /// Columns that are JSON in the database.
    static let documents: Set<String> = ["detail"]

    /// A cell as a JSON value.
    static func json(_ column: String, _ cell: String?) -> JSONOutput {
        guard let cell else { return .null }
        if numbers.contains(column) || documents.contains(column) { return .verbatim(cell) }
        return flags.contains(column) ? .boolean(cell == "t") : .text(cell)
    }

    /// A cell as a person reads it.
    static func text(_ column: String, _ cell: String?) -> String {
        guard let cell else { return "" }
        if flags.contains(column) { return cell == "t" ? "yes" : "no" }
        return shortTime(cell)
    }

    static func heading(_ column: String) -> TextTable.Column {
        let title = column.replacing("_", with: " ")
        return numbers.contains(column) ? .right(title) : .left(title)
    }

    /// A time to the second: fractions only widen a table.
    static func shortTime(_ cell: String) -> String {
        // 2026-11-30 06:31:41.123456+00
        guard cell.utf8.count >= 22, let point = cell.firstIndex(of: "."),
            cell.utf8.prefix(5).last == UInt8(ascii: "-"),
            let zone = cell[point...].firstIndex(where: { $0 == "+" || $0 == "-" })
        else { return cell }
        return String(cell[..<point] + cell[zone...])
    }
}
