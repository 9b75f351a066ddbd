/// The table at the end: a row for each rule and fault, and a sum for each rule.
struct ResultTable {
    private static let header = [
        "unconfirmed", "fault", "rounds", "hit", "recipients", "lost", "doubled", "unasked",
        "in doubt", "most at once", "allowed", "beyond marks", "restarts", "recovery", "worst",
        "stall", "takeover",
    ]

    let results: [RoundResult]

    /// The table as lines of text.
    var text: String {
        var rows = [Self.header]
        for rule in [CrashOptions.Unconfirmed.keep, .resend] {
            let all = results.filter { $0.rule == rule }
            guard !all.isEmpty else { continue }
            for fault in Fault.Kind.allCases {
                let some = all.filter { $0.fault == fault }
                if !some.isEmpty { rows.append(row(rule, fault.rawValue, some)) }
            }
            rows.append(row(rule, "all", all))
        }
        let widths = Self.header.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, text in
                column < 2
                    ? text + String(repeating: " ", count: widths[column] - text.count)
                    : NumberText.padded(text, widths[column])
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private func row(
        _ rule: CrashOptions.Unconfirmed, _ fault: String, _ some: [RoundResult]
    ) -> [String] {
        let sum = { (value: (RoundResult) -> Int) in
            NumberText.grouped(some.reduce(0) { $0 + value($1) })
        }
        let recoveries = some.compactMap(\.recoverySeconds).sorted()
        let takeovers = some.compactMap(\.takeoverSeconds).sorted()
        return [
            rule.rawValue, fault, "\(some.count)", "\(some.count { $0.isHit })",
            sum { $0.recipients }, sum { $0.lost }, sum { $0.doubled }, sum { $0.doubledUnasked },
            sum { $0.inDoubt }, NumberText.grouped(some.map(\.inDoubtMost).max() ?? 0),
            NumberText.grouped(some.map(\.doubtMax).max() ?? 0), sum { $0.beyond ?? 0 },
            sum { $0.restarts },
            Self.seconds(Self.median(recoveries)), Self.seconds(recoveries.last),
            Self.seconds(some.map(\.stallSeconds).max()),
            Self.seconds(Self.median(takeovers)),
        ]
    }

    private static func median(_ sorted: [Double]) -> Double? {
        sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    private static func seconds(_ value: Double?) -> String {
        value.map { "\(NumberText.seconds($0)) s" } ?? "-"
    }
}
