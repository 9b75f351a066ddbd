internal import APNSSimulator
internal import DocumentTree

/// A file that says what goes wrong in a simulator; docs/simulator.md describes every field.
struct ScenarioFile: Equatable {
    private enum Mood: String, CaseIterable {
        case plain, apns
    }

    /// Streams a connection may have open; nil: as the command line says.
    var streams: UInt32?
    /// The mood `apns`; nil: none.
    var mood: APNSMood?
    var scenario: SimulatorScenario

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - root: the document's root.
    ///   - file: the file as the user named it.
    ///   - seed: of what is drawn at random, unless the file names one.
    /// - Returns: the scenario, or everything that is wrong with it, in the order of the file.
    static func read(
        _ root: DocumentNode, file: String, seed: UInt64
    ) -> Result<ScenarioFile, Diagnostics> {
        let faults = ScenarioFaults(file: file)
        let fields = ScenarioFields(root, path: "", faults: faults)
        fields.allow(["seed", "streams", "mood", "busy", "bad_tokens_max", "rules"])
        let seed = fields.number("seed", 0...Int.max).map { UInt64($0) } ?? seed
        let streams = fields.number("streams", 0...100_000).map { UInt32($0) }
        let rules = fields.items("rules").enumerated().compactMap { index, node in
            ScenarioRuleReader(
                ScenarioFields(node, path: "rules[\(index)]", faults: faults)
            ).rule()
        }
        let scenario = ScenarioFile(
            streams: streams, mood: mood(fields, streams: streams, seed: seed),
            scenario: SimulatorScenario(seed: seed, rules: rules))
        return faults.list.isEmpty ? .success(scenario) : .failure(Diagnostics(faults.list))
    }

    private static func mood(
        _ fields: ScenarioFields, streams: UInt32?, seed: UInt64
    ) -> APNSMood? {
        guard fields.word("mood", Mood.self) == .apns else {
            for name in ["busy", "bad_tokens_max"] {
                guard let node = fields.node(name) else { continue }
                fields.faults.note(node.place, name, "this belongs to \"mood\": apns")
            }
            return nil
        }
        var mood = APNSMood(seed: seed)
        if let streams { mood.streams = max(1, streams) }
        if let most = fields.number("bad_tokens_max", 1...1_000_000) { mood.badTokensMax = most }
        guard let node = fields.node("busy") else { return mood }
        let busy = ScenarioFields(node, path: "busy", faults: fields.faults)
        busy.allow(["after", "for", "every", "share"])
        if let after = busy.duration("after") { mood.busyAfterNanoseconds = after }
        if let length = busy.duration("for") { mood.busyNanoseconds = length }
        if let every = busy.duration("every") { mood.busyEveryNanoseconds = every }
        if let share = busy.share("share") { mood.busyShare = share }
        return mood
    }

    /// Puts the file's settings in place of those of the command line.
    func apply(to configuration: inout SimulatorConfiguration) {
        if let streams { configuration.maxConcurrentStreams = streams }
        if let mood { configuration.mood = mood }
        configuration.scenario = scenario
    }
}
