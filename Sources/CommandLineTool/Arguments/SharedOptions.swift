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
            + "(default: the date of the schedule, else of today in UTC)")
    static let releaseBrake = OptionDefinition(
        "release-brake", .choice(BrakeName.allCases.map(\.rawValue)),
        "go on although this brake trips; off for this start only, may be repeated",
        isRepeatable: true)
    static let late = OptionDefinition(
        "late", .flag, "send although the start was missed (schedule.not_later_than)")
    static let workers = OptionDefinition(
        "workers", .integer(placeholder: "N", 1...64), "processes that send, on this machine",
        default: "1")
    static let verbose = OptionDefinition(
        "verbose", .flag, "say at the start how much memory it may take, part by part")
    static let run = CommandDefinition.Operand(
        name: "RUN", summary: "the number of a run, or a campaign's name: its newest run")
    static let campaignFile = CommandDefinition.Operand(name: "FILE", summary: "a campaign file")
}
