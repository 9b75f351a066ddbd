internal import CampaignStore
internal import PostgreSQL

/// What happened in one run, for people and for machines.
struct RunReport {
    let summary: ReportRow
    /// Outcomes by phase, kind and reason.
    let reasons: [ReportRow]

    /// Reads the figures of a run that is there.
    init(runID: Int64, store: Store) throws(StoreError) {
        let found = try store.table(named: .runSummary, [.integer(runID)]).namedRows
        guard let summary = found.first else {
            throw .source("run \(runID) is no longer in the database")
        }
        self.summary = summary
        reasons = try store.table(named: .outcomesByReason, [.integer(runID)]).namedRows
    }

    init(summary: ReportRow, reasons: [ReportRow]) {
        self.summary = summary
        self.reasons = reasons
    }

    /// The summary, what refused recipients met, and what to do about it.
    var text: String {
        [heading, countTable, preflight, reasonTable, advice].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// The same as a JSON object; `ending` adds how this very execution ended.
    func json(ending: RunEnding? = nil) -> JSONOutput {
        guard case .object(var fields) = summary.json else { return .null }
        if let ending {
            fields.append(("end", .text(ending.name)))
            fields.append(("exit_status", .integer(Int64(ending.code.rawValue))))
            fields.append(("message", .optional(ending.message)))
        }
        fields.append(("reasons", .list(reasons.map(\.json))))
        return .object(fields)
    }

    // MARK: - Parts of the text

    private var isProbeOnly: Bool { summary.flag("probe_only") }

    private var isRehearsal: Bool { summary.flag("rehearsal") }

    private var heading: String {
        let name = "\(summary.text("campaign") ?? "") \(summary.text("occurrence") ?? "")"
        let seconds = NumberText.duration(seconds: summary.number("seconds") ?? 0)
        let kind = isProbeOnly ? "preflight of " : ""
        let title = isRehearsal ? "Rehearsal, run" : "Run"
        return "\(title) \(summary.count("run_id")), \(kind)\(name): "
            + "\(summary.text("state") ?? ""), \(seconds)\n"
    }

    private var countTable: String {
        var table = TextTable(.left(""), .right(""), .right(""))
        let whole = summary.count("recipients")
        let server = isRehearsal ? "the simulator" : "APNs"
        table.add("recipients", NumberText.count(whole), "")
        for (name, column) in [
            ("accepted by \(server)", "accepted"), ("rejected by \(server)", "rejected"),
            ("unknown: sent, no answer", "unknown"), ("skipped on purpose", "skipped"),
            ("unsent", "unsent"),
        ] {
            let count = summary.count(column)
            table.add(name, NumberText.count(count), NumberText.share(count, of: whole))
        }
        return table.text()
    }

    private var preflight: String {
        let probed = summary.count("probe_recipients")
        let pruned = summary.count("pruned")
        var sentences: [String] = []
        if probed > 0, !isProbeOnly {
            let refused = NumberText.count(summary.count("probe_rejected"))
            sentences.append(
                "Preflight: \(NumberText.count(probed)) probed, \(refused) of them refused.")
        }
        if pruned > 0 {
            sentences.append(
                "\(NumberText.count(pruned, "device")) no longer active after this run.")
        }
        return sentences.isEmpty ? "" : sentences.joined(separator: " ") + "\n"
    }

    private var told: [ReportRow] {
        reasons.filter { row in
            row.text("reason") != nil && (isProbeOnly || row.text("phase") == "send")
        }
    }

    private var reasonTable: String {
        if told.isEmpty { return "" }
        var table = TextTable(.left("outcome"), .left("reason"), .right("recipients"), .left(""))
        for row in told {
            let reason = row.text("reason") ?? ""
            table.add(
                row.text("outcome") ?? "", reason, NumberText.count(row.count("recipients")),
                ReasonText.of(reason)?.meaning ?? "")
        }
        return table.text()
    }

    private var advice: String {
        let lines = told.compactMap { row -> String? in
            guard let reason = row.text("reason") else { return nil }
            return ReasonText.of(reason)?.advice.map { "  \(reason): \($0)\n" }
        }
        return lines.isEmpty ? "" : "What to do\n" + lines.joined()
    }
}
