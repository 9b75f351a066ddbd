internal import CampaignStore
internal import PostgreSQL

/// What one run is at: its progress, what comes next, its workers, and what happened of late.
struct RunStatus {
    private let status: ReportRow
    private let workers: [ReportRow]
    private let events: [ReportRow]

    /// How many events are of late.
    private static let eventsMax = 10

    /// Reads a run's status.
    ///
    /// - Parameters:
    ///   - runID: a run that is there.
    ///   - store: a connection.
    /// - Throws: `StoreError` if it is gone, or the database is.
    init(runID: Int64, store: Store) throws(StoreError) {
        let found = try store.table(named: .runStatus, [.integer(runID)]).namedRows
        guard let status = found.first else {
            throw .source("run \(runID) is no longer in the database")
        }
        self.status = status
        workers = try store.table(named: .workers, [.integer(runID)]).namedRows
        events = try store.table(named: .events, [.integer(runID)]).namedRows
            .suffix(Self.eventsMax)
    }

    /// The same as a JSON object.
    var json: JSONOutput {
        guard case .object(var fields) = status.json else { return .null }
        fields.append(("worker_list", .list(workers.map(\.json))))
        fields.append(("events", .list(events.map(\.json))))
        return .object(fields)
    }

    /// For people.
    var text: String {
        [heading, workerTable, eventTable].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// What comes next, and when if that is known.
    static func next(_ row: ReportRow) -> String? {
        guard let step = row.text("next_step") else { return nil }
        guard let moment = row.text("next_step_at") else { return step }
        return "\(step), \(ReportColumn.shortTime(moment))"
    }

    private func time(_ column: String) -> String {
        ReportColumn.text(column, status.text(column))
    }

    private var heading: String {
        let whole = status.count("recipients")
        let done = whole - status.count("unsent")
        var lines = [
            "Run \(status.count("run_id")), \(status.text("campaign") ?? "") "
                + "\(status.text("occurrence") ?? ""): \(status.text("state") ?? "") since "
                + time("state_at")
        ]
        if let reason = status.text("stop_reason") { lines.append("  why: \(reason)") }
        lines.append(
            "  progress: \(NumberText.count(done)) of \(NumberText.count(whole, "recipient")) "
                + "(\(NumberText.wholeShare(done, of: whole)))"
                + (status.text("last_progress_at") == nil
                    ? "" : ", the last in the minute of \(time("last_progress_at"))"))
        if status.count("parked") > 0 {
            lines.append("  put off: \(NumberText.count(status.count("parked")))")
        }
        if let next = Self.next(status) { lines.append("  next: \(next)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private var workerTable: String {
        if workers.isEmpty { return "" }
        var table = TextTable(
            .right("worker"), .left("role"), .left("host"), .right("process"), .right("slices"),
            .right("announced"), .right("recorded"), .right("parked"), .right("total"),
            .left("last heard of"), .left(""))
        for row in workers {
            let counts = [
                "slices_held", "slice_recipients_announced", "slice_recipients_recorded",
                "parked_claimed", "recipients_recorded",
            ]
            table.add(
                [
                    String(row.count("worker_id")), row.text("role") ?? "", row.text("host") ?? "",
                    String(row.count("pid")),
                ] + counts.map { NumberText.count(row.count($0)) }
                    + [
                        ReportColumn.text("heartbeat_at", row.text("heartbeat_at")),
                        row.text("end_reason") ?? "",
                    ])
        }
        return table.text()
    }

    private var eventTable: String {
        if events.isEmpty { return "" }
        var table = TextTable(.left("at"), .right("worker"), .left("kind"), .left("event"))
        for row in events {
            table.add(
                ReportColumn.text("at", row.text("at")), row.text("worker_id") ?? "",
                row.text("kind") ?? "", row.text("text") ?? "")
        }
        return table.text()
    }
}
