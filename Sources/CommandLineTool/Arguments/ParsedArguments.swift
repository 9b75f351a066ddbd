internal import CampaignModel

/// What was typed after a command, checked against its definition.
///
/// Every value has been checked by the parser, so the look-ups below do not fail: a missing option
/// has its default or is nil.
struct ParsedArguments: Sendable {
    let command: CommandDefinition
    /// The arguments that are no options, in order.
    let operands: [String]
    /// Whether `--help` was among them; nothing else has been checked then.
    let wantsHelp: Bool
    private let values: [String: [String]]

    init(
        command: CommandDefinition, operands: [String] = [], values: [String: [String]] = [:],
        wantsHelp: Bool = false
    ) {
        self.command = command
        self.operands = operands
        self.values = values
        self.wantsHelp = wantsHelp
    }

    /// The option's value as typed, or its default.
    func text(_ name: String) -> String? {
        values[name]?.first ?? command.option(named: name)?.defaultValue
    }

    /// The values of an option that may be repeated, as typed.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The option's value as a whole number, or its default.
    func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// The option's value as a number, or its default.
    func number(_ name: String) -> Double? { text(name).flatMap { Double($0) } }

    /// The option's value as a length of time in milliseconds, or its default.
    func milliseconds(_ name: String) -> Int64? { text(name).flatMap(DurationText.milliseconds) }

    /// Whether the flag was given.
    func has(_ name: String) -> Bool { values[name] != nil }
}
