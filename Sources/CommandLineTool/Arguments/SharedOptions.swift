internal import SendPolicy

/// Options and operands that several commands have.
enum SharedOptions {
    static let config = OptionDefinition(
        "config", .text(placeholder: "FILE"),
        "the configuration; else SORTIE_CONFIG, ./sortie.json, /etc/sortie/sortie.json")
    static let json = OptionDefinition("json", .flag, "print the result as JSON")
    static let quiet = OptionDefinition("quiet", .flag, "print nothing unless it fails")
    static let occurrence = OptionDefinition(
        "occurrence", .text(placeholder: "KEY"),
        "the name of this planned execution; the same one never runs twice "
            + "(default: today's date in UTC)")
    static let releaseBrake = OptionDefinition(
        "release-brake", .choice(BrakeName.allCases.map(\.rawValue)),
        "go on although this brake trips; off for this start only, may be repeated",
        isRepeatable: true)
    static let campaignFile = CommandDefinition.Operand(name: "FILE", summary: "a campaign file")
}
