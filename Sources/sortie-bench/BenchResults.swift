/// All that was measured.
struct BenchResults: Sendable {
    let machine: Machine
    /// Seconds since 1970 UTC.
    let startedSeconds: Int64
    /// PostgreSQL's, such as 150007.
    let serverVersion: Int
    /// Its settings that differ from the private cluster's own, as NAME=VALUE.
    let settings: [String]
    var cases: [CaseResult] = []
    var paces: [PaceResult] = []
    /// What else could not be measured, with the reason.
    var missing: [String] = []

    var isComplete: Bool { missing.isEmpty && cases.allSatisfy { $0.skipped == nil } }

    private var measured: [CaseResult] { cases.filter { !$0.pairs.isEmpty } }

    /// The tables that have rows.
    var tables: [ResultTable] {
        [speed, processor, threads, wire, record, distance, pace].filter { !$0.rows.isEmpty }
    }

    /// What a reader of the tables must know beside them.
    var notes: [String] {
        var notes = [
            "Measured on \(machine.text), PostgreSQL \(serverVersion / 10_000) "
                + (settings.isEmpty ? "" : "with \(settings.joined(separator: ", ")) ")
                + "in a private cluster, all on this machine over loopback; load before it: "
                + "\(machine.load). Medians of the pairs; in brackets the least and the greatest."
        ]
        for one in cases {
            if let skipped = one.skipped { notes.append("Left out: \(one.one.name): \(skipped)") }
            if let line = one.line { notes.append("\(one.one.name): delayed by \(line).") }
        }
        return notes + missing.map { "Left out: \($0)" }
    }

    // MARK: - Tables

    private var speed: ResultTable {
        ResultTable(
            "Recipients per second",
            [
                "case", "recipients", "pairs", "sortie, start to exit", "its send phase",
                "its freezing, s", "h2load", "peak memory, MiB",
            ],
            measured.map { one in
                [
                    one.one.title, NumberText.grouped(one.one.recipients), "\(one.pairs.count)",
                    cell(one.spread { $0.sortie.recipientsPerSecond }),
                    cell(one.spread { $0.sortie.sendRequestsPerSecond }),
                    cell(one.spread { $0.sortie.record?.freezeSeconds }),
                    cell(one.spread { $0.load.recipientsPerSecond }),
                    cell(one.spread { Double($0.sortie.usage.peakBytes) / 1_048_576 }),
                ]
            })
    }

    private var processor: ResultTable {
        ResultTable(
            "Processor time in µs per recipient (simulator: per request)",
            [
                "case", "sortie", "of it system", "h2load", "sortie / h2load",
                "per request / h2load", "PostgreSQL", "simulator", "simulator for h2load",
            ],
            measured.map { one in
                let whole = one.compared { $0.microseconds }
                let request = one.compared { $0.microsecondsPerRequest }
                return [
                    one.one.title, cell(whole?.sortie),
                    cell(one.spread { $0.sortie.perRecipient($0.sortie.usage.systemSeconds) }),
                    cell(whole?.load), cell(whole?.ratio), cell(request?.ratio),
                    cell(
                        one.spread { pair in
                            pair.sortie.record.map { pair.sortie.perRecipient($0.databaseSeconds) }
                        }),
                    cell(one.spread { $0.sortie.serverMicroseconds }),
                    cell(one.spread { $0.load.serverMicroseconds }),
                ]
            })
    }

    private var threads: ResultTable {
        ResultTable(
            "sortie's processor time by thread, µs per recipient",
            ["case"] + ThreadRole.allCases.map(\.rawValue),
            measured.map { one in
                [one.one.title]
                    + ThreadRole.allCases.map { role in
                        cell(one.spread { $0.sortie.microseconds(of: role) })
                    }
            })
    }

    private var wire: ResultTable {
        ResultTable(
            "On the wire and in the process",
            [
                "case", "header bytes per request", "h2load's", "body bytes per request",
                "write calls per 1,000", "h2load's", "allocations per 1,000", "h2load's",
            ],
            measured.map { one in
                [
                    one.one.title, cell(one.spread { $0.sortie.headerBytesPerRequest }),
                    cell(one.spread { $0.load.headerBytesPerRequest }),
                    cell(one.spread { $0.sortie.bodyBytesPerRequest }),
                    cell(one.sortieCalls?.writes), cell(one.loadCalls?.writes),
                    cell(one.sortieCalls?.allocations), cell(one.loadCalls?.allocations),
                ]
            })
    }

    private var record: ResultTable {
        ResultTable(
            "What the record costs, per 1,000,000 recipients",
            [
                "case", "PostgreSQL, processor s", "write-ahead log, MB", "tables and indexes, MB",
                "requests on the wire, MB",
            ],
            measured.map { one in
                let millions = Double(one.one.recipients) / 1_000_000
                func recorded(_ value: (RecordFigures) -> Double) -> String {
                    cell(one.spread { $0.sortie.record.map(value) })
                }
                return [
                    one.one.title,
                    recorded { $0.databaseSeconds / millions },
                    recorded { Double($0.logBytes) / 1e6 / millions },
                    recorded { Double($0.diskBytes) / 1e6 / millions },
                    cell(
                        one.spread { pair in
                            let received = pair.sortie.received
                            return Double(received.headerBlockBytes + received.bodyBytes) / 1e6
                                / millions
                        }),
                ]
            })
    }

    private var distance: ResultTable {
        ResultTable(
            "At a distance",
            ["case", "streams and windows allow, per second", "sortie's send phase", "share"],
            measured.compactMap { one in
                guard let allowed = one.allowedPerSecond,
                    let reached = one.spread({ $0.sortie.sendRequestsPerSecond })
                else { return nil }
                let share = NumberText.fixed(reached.median / allowed * 100, digits: 0)
                return [one.one.title, NumberText.short(allowed), cell(reached), "\(share) %"]
            })
    }

    private var pace: ResultTable {
        ResultTable(
            "The pace, as the simulator saw it",
            [
                "rate of each connection", "burst", "seconds", "mean", "farthest from the rate",
                "most in a second", "kept",
            ],
            paces.map { one in
                let mean = one.means.reduce(0, +) / Double(max(1, one.means.count))
                return [
                    NumberText.grouped(one.pace.rate), NumberText.grouped(one.pace.burst),
                    "\(one.pace.seconds)", NumberText.fixed(mean, digits: 2),
                    NumberText.fixed(one.deviation * 100, digits: 2) + " %",
                    NumberText.grouped(one.most), one.isKept ? "yes" : "no",
                ]
            })
    }

    private func cell(_ spread: Spread?) -> String {
        guard let spread else { return "" }
        let median = NumberText.short(spread.median)
        let (least, greatest) = (
            NumberText.short(spread.least), NumberText.short(spread.greatest)
        )
        if least == median, greatest == median { return median }
        return "\(median) (\(least)–\(greatest))"
    }

    private func cell(_ value: Double?) -> String { value.map(NumberText.short) ?? "" }
}
