internal import APNSProtocol

extension BenchResults {
    /// Everything as JSON: for each case the figures of both senders and their ratios, each as
    /// median, least and greatest of the pairs.
    var json: String {
        JSONFigure.object([
            ("machine", .text(machine.text)), ("load", .text(machine.load)),
            ("started", .number(Double(startedSeconds))),
            ("postgresql", .number(Double(serverVersion))),
            ("settings", .list(settings.map(JSONFigure.text))),
            ("cases", .list(cases.map(\.json))), ("paces", .list(paces.map(\.json))),
            ("missing", .list(missing.map(JSONFigure.text))),
        ]).text + "\n"
    }
}

/// A part of the JSON.
indirect enum JSONFigure {
    case text(String)
    case number(Double)
    case none
    case list([JSONFigure])
    case object([(String, JSONFigure)])

    static func spread(_ spread: Spread?) -> JSONFigure {
        guard let spread else { return .none }
        return .object([
            ("median", .number(spread.median)), ("least", .number(spread.least)),
            ("greatest", .number(spread.greatest)),
        ])
    }

    var text: String {
        switch self {
        case .none: return "null"
        case .number(let value): return NumberText.fixed(value, digits: value < 1_000 ? 4 : 0)
        case .text(let text):
            var bytes: [UInt8] = []
            JSONText.appendString(text, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        case .list(let items):
            return "[\n" + items.map(\.text).joined(separator: ",\n") + "\n]"
        case .object(let members):
            let parts = members.map { JSONFigure.text($0.0).text + ": " + $0.1.text }
            return "{" + parts.joined(separator: ", ") + "}"
        }
    }
}

extension CaseResult {
    fileprivate var json: JSONFigure {
        .object([
            ("name", .text(one.name)), ("recipients", .number(Double(one.recipients))),
            ("connections", .number(Double(one.connections))),
            ("streams", .number(Double(one.streams))),
            ("round_trip_ms", .number(Double(one.roundTripMilliseconds))),
            ("line", line.map(JSONFigure.text) ?? .none),
            ("skipped", skipped.map(JSONFigure.text) ?? .none),
            ("pairs", .number(Double(pairs.count))),
            ("allowed_per_second", allowedPerSecond.map(JSONFigure.number) ?? .none),
            ("sortie", sortie), ("h2load", load), ("ratio", ratio),
            ("sortie_calls_per_1000", Self.calls(sortieCalls)),
            ("h2load_calls_per_1000", Self.calls(loadCalls)),
        ])
    }

    /// Figures that both senders have.
    private static let shared: [(String, @Sendable (Sample) -> Double)] = [
        ("wall_seconds", { $0.usage.wallSeconds }),
        ("per_second", { $0.recipientsPerSecond }),
        ("cpu_us_per_recipient", { $0.microseconds }),
        ("cpu_us_per_request", { $0.microsecondsPerRequest }),
        ("user_us_per_recipient", { $0.perRecipient($0.usage.userSeconds) }),
        ("system_us_per_recipient", { $0.perRecipient($0.usage.systemSeconds) }),
        ("server_us_per_request", { $0.serverMicroseconds }),
        ("peak_bytes", { Double($0.usage.peakBytes) }),
        ("header_bytes_per_request", { $0.headerBytesPerRequest }),
        ("body_bytes_per_request", { $0.bodyBytesPerRequest }),
    ]

    private var sortie: JSONFigure {
        var members = Self.shared.map { name, value in
            (name, JSONFigure.spread(spread { value($0.sortie) }))
        }
        for role in ThreadRole.allCases {
            members.append(
                (
                    "\(role)_us_per_recipient",
                    .spread(spread { $0.sortie.microseconds(of: role) })
                ))
        }
        let recorded: [(String, (RecordFigures) -> Double)] = [
            ("freeze_seconds", { $0.freezeSeconds }), ("send_seconds", { $0.sendSeconds }),
            ("postgresql_us_per_recipient", { $0.databaseSeconds * 1e6 / Double(one.recipients) }),
            ("log_bytes_per_recipient", { Double($0.logBytes) / Double(one.recipients) }),
            ("disk_bytes_per_recipient", { Double($0.diskBytes) / Double(one.recipients) }),
        ]
        members.append(
            ("send_requests_per_second", .spread(spread { $0.sortie.sendRequestsPerSecond })))
        for (name, value) in recorded {
            members.append((name, .spread(spread { $0.sortie.record.map(value) })))
        }
        return .object(members)
    }

    private var load: JSONFigure {
        .object(Self.shared.map { ($0.0, .spread(self.compared($0.1)?.load)) })
    }

    private var ratio: JSONFigure {
        .object(Self.shared.map { ($0.0, .spread(self.compared($0.1)?.ratio)) })
    }

    private static func calls(_ counts: CallCounts?) -> JSONFigure {
        guard let counts else { return .none }
        return .object([
            ("allocations", .number(counts.allocations)), ("reads", .number(counts.reads)),
            ("writes", .number(counts.writes)), ("written_bytes", .number(counts.writtenBytes)),
        ])
    }
}

extension PaceResult {
    fileprivate var json: JSONFigure {
        .object([
            ("rate", .number(Double(pace.rate))), ("burst", .number(Double(pace.burst))),
            ("seconds", .number(Double(pace.seconds))),
            ("means", .list(means.map(JSONFigure.number))),
            ("deviation", .number(deviation)), ("most_in_a_second", .number(Double(most))),
            ("kept", .text(isKept ? "yes" : "no")),
        ])
    }
}
