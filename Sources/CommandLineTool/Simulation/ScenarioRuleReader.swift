internal import APNSSimulator
internal import DocumentTree

/// Reads one rule of a scenario file.
struct ScenarioRuleReader {
    private typealias Scenario = SimulatorScenario

    /// What a rule may do: the words of the field `do`.
    private enum Deed: String, CaseIterable {
        case answer, ignore, delay, reset, streams, goaway, cut, flood
        case stopReading = "stop_reading"
        case stopAnswering = "stop_answering"
        case closeHalf = "close_half"

        /// The fields that say how.
        var fields: [String] {
            switch self {
            case .answer: ["status", "reason", "timestamp", "body", "retry_after", "end", "code"]
            case .delay, .stopReading, .stopAnswering: ["for"]
            case .reset: ["code"]
            case .streams: ["limit"]
            case .goaway: ["last", "code", "debug", "notice"]
            case .flood: ["frame", "per_second", "for"]
            case .ignore, .cut, .closeHalf: []
            }
        }
    }

    private enum Ending: String, CaseIterable {
        case complete, never, reset
    }

    private enum LastStream: String, CaseIterable {
        case all, none, this, half
    }

    private static let triggers = [
        "after_requests", "every_requests", "request", "after", "every", "token_prefix",
        "token_share", "chance",
    ]
    private static let numberMax = 1_000_000_000
    private static let codeMax = Int(UInt32.max)

    private let fields: ScenarioFields

    init(_ fields: ScenarioFields) {
        self.fields = fields
    }

    /// The rule.
    ///
    /// - Returns: nil if something is wrong with it, which has been noted.
    func rule() -> SimulatorScenario.Rule? {
        guard fields.isMapping else { return nil }
        guard fields.has("do") else {
            note("this field is missing; write one such as answer", of: "do")
            return nil
        }
        guard let deed = fields.word("do", Deed.self) else { return nil }
        fields.allow(Self.triggers + ["connections", "times", "do"] + deed.fields)
        let connections = connections()
        let times = fields.number("times", 1...Self.numberMax)
        guard let action = action(deed), let trigger = trigger() else { return nil }
        guard !(trigger.isByClock && action.needsRequest) else {
            note("needs a request: use another trigger than a time", of: "do")
            return nil
        }
        return Scenario.Rule(trigger, action, connections: connections, timesMax: times)
    }

    private func note(_ message: String, of name: String) {
        let place = fields.node(name)?.place ?? fields.place
        fields.faults.note(place, fields.path(of: name), message)
    }

    private func connections() -> Set<Int>? {
        guard fields.has("connections") else { return nil }
        let numbers = fields.items("connections").compactMap { node -> Int? in
            if case .scalar(let scalar) = node.content, let number = Int(scalar.text), number > 0 {
                return number
            }
            fields.faults.note(
                node.place, fields.path(of: "connections"), "write numbers from 1 on")
            return nil
        }
        return Set(numbers)
    }

    // MARK: - Triggers

    private func trigger() -> SimulatorScenario.Trigger? {
        let given = Self.triggers.filter(fields.has)
        guard given.count == 1, let name = given.first else {
            let known = Self.triggers.joined(separator: ", ")
            fields.faults.note(
                fields.place, fields.path, "a rule has exactly one trigger of \(known)")
            return nil
        }
        switch name {
        case "after_requests": return number(name).map { .afterRequests($0) }
        case "every_requests": return number(name).map { .everyRequests($0) }
        case "request": return number(name).map { .requestInAll($0) }
        case "after": return fields.duration(name).map { .after(nanoseconds: $0) }
        case "every": return every()
        case "token_share": return fields.share(name).map { .tokenShare($0) }
        case "chance": return fields.share(name).map { .chance($0) }
        default: return prefix()
        }
    }

    private func number(_ name: String) -> Int? { fields.number(name, 1...Self.numberMax) }

    private func every() -> SimulatorScenario.Trigger? {
        guard let nanoseconds = fields.duration("every") else { return nil }
        guard nanoseconds > 0 else {
            note("write more than nothing", of: "every")
            return nil
        }
        return .every(nanoseconds: nanoseconds)
    }

    private func prefix() -> SimulatorScenario.Trigger? {
        guard let text = fields.text("token_prefix")?.lowercased() else { return nil }
        guard !text.isEmpty, text.utf8.count <= 200, text.allSatisfy(\.isHexDigit) else {
            note("write the first digits of a token, 0-9 and a-f", of: "token_prefix")
            return nil
        }
        return .tokenPrefix(Array(text.utf8))
    }

    // MARK: - Actions

    private func action(_ deed: Deed) -> SimulatorScenario.Action? {
        switch deed {
        case .answer: return answer().map { .reply(.answer($0)) }
        case .ignore: return .reply(.ignored)
        case .delay: return required("for", fields.duration).map { .delay(nanoseconds: $0) }
        case .reset: return code().map { .reply(.reset(code: $0)) }
        case .streams:
            let limit = required("limit") { fields.number($0, 0...100_000) }
            return limit.map { .step(.streamLimit(UInt32($0))) }
        case .goaway: return .step(.farewell(farewell()))
        case .cut: return .step(.drop)
        case .stopReading: return .step(.stopReading(nanoseconds: fields.duration("for")))
        case .stopAnswering: return .step(.stopAnswering(nanoseconds: fields.duration("for")))
        case .flood: return flood().map { .step(.flood($0)) }
        case .closeHalf: return .step(.closeHalf)
        }
    }

    /// A field that must be given.
    private func required<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
        if !fields.has(name) { note("this field is missing", of: name) }
        return read(name)
    }

    private func code() -> UInt32? {
        required("code") { fields.number($0, 0...Self.codeMax) }.map { UInt32($0) }
    }

    private func answer() -> ScriptedAnswer? {
        guard let status = required("status", { fields.number($0, 200...599) }) else {
            return nil
        }
        var answer = ScriptedAnswer(status: status)
        answer.reason = fields.text("reason") ?? ""
        answer.timestampMilliseconds = fields.number("timestamp", 0...Int.max).map { Int64($0) }
        answer.body = fields.text("body").map { Array($0.utf8) }
        answer.retryAfterSeconds = fields.duration("retry_after").map { Int($0 / 1_000_000_000) }
        switch fields.word("end", Ending.self) ?? .complete {
        case .complete: break
        case .never: answer.ending = .never
        case .reset: answer.ending = .resetAfter(code: code() ?? 0)
        }
        return answer
    }

    private func farewell() -> ConnectionFarewell {
        var farewell = ConnectionFarewell()
        switch fields.word("last", LastStream.self) ?? .all {
        case .all: farewell.last = .all
        case .none: farewell.last = .none
        case .this: farewell.last = .this
        case .half: farewell.last = .half
        }
        farewell.errorCode = UInt32(fields.number("code", 0...Self.codeMax) ?? 0)
        let debug = Array((fields.text("debug") ?? "").utf8)
        if debug.count > 16_000 { note("write at most 16,000 bytes", of: "debug") }
        farewell.debugData = Array(debug.prefix(16_000))
        farewell.noticeNanoseconds = fields.duration("notice")
        return farewell
    }

    private func flood() -> ConnectionFlood? {
        let frame = required("frame") { fields.word($0, ConnectionFlood.Frame.self) }
        let perSecond = required("per_second") { fields.number($0, 1...1_000_000) }
        guard let frame, let perSecond else { return nil }
        return ConnectionFlood(
            frame: frame, perSecond: perSecond, nanoseconds: fields.duration("for"))
    }
}
