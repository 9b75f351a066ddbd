internal import CampaignStore

/// What became of the rows of an imported file.
struct ImportReport {
    let file: String
    let summary: ImportSummary

    var text: String {
        var table = TextTable(.left(""), .right(""), .left(""))
        func add(_ name: String, _ count: Int, _ note: String = "", always: Bool = false) {
            if count > 0 || always { table.add(name, NumberText.count(count), note) }
        }
        add("rows", summary.rowsRead, always: true)
        add("new devices", summary.new, always: true)
        add("refreshed", summary.updated, always: true)
        add("as they were", summary.unchanged, always: true)
        add("active again", summary.revived, "registered since APNs called their token dead")
        add("duplicates", summary.duplicates, "the same token more than once in the file")
        add("refused", summary.rejected, always: true)
        add("cleaned", summary.cleaned, "token without the blanks or brackets around it")
        add("unusual length", summary.unusualLength, "tokens that do not have 64 digits")
        return "Imported \(file)\n" + table.text()
    }

    /// The refused rows, the first of them one by one. Nil: none.
    var refusals: String? {
        if summary.rejected == 0 { return nil }
        let rows = summary.examples.map { "\(file): \($0)" }
        let others = summary.rejected - rows.count
        let rest = others > 0 ? ["... and \(NumberText.count(others)) more"] : []
        let causes = causesByCount.map { cause, count in
            "refused \(NumberText.count(Int64(count), "row")): \(cause)"
        }
        return (rows + rest + causes).joined(separator: "\n")
    }

    var json: JSONOutput {
        let counts: [(String, Int)] = [
            ("rows", summary.rowsRead), ("new", summary.new), ("updated", summary.updated),
            ("unchanged", summary.unchanged), ("revived", summary.revived),
            ("duplicates", summary.duplicates), ("rejected", summary.rejected),
            ("cleaned", summary.cleaned), ("unusual_length", summary.unusualLength),
        ]
        let causes = causesByCount.map { ($0, JSONOutput.integer(Int64($1))) }
        return .object(
            [("file", .text(file))] + counts.map { ($0, .integer(Int64($1))) }
                + [("rejected_by_cause", .object(causes))])
    }

    private var causesByCount: [(String, Int)] {
        summary.rejectedByCause.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { ($0.key, $0.value) }
    }
}
