/// `sortie demo`: the whole job on example data, with nothing set up before and nothing left
/// behind.
enum DemoCommand {
    static let definition = CommandDefinition(
        "demo", .trying, "show the whole job on example data, in under a minute",
        options: [
            OptionDefinition(
                "devices", .integer(placeholder: "N", 100...1_000_000), "how many example devices",
                default: "50000"),
            OptionDefinition(
                "rate", .number(placeholder: "R", 1...1_000_000),
                "requests per second on each connection of the main send", default: "1500"),
            OptionDefinition(
                "keep", .flag, "leave database and simulator running, and say how to reach them"),
        ],
        discussion: """
            Needs nothing set up: a private PostgreSQL cluster, the APNs simulator and example
            devices are made in a temporary folder, and removed at the end. Nothing reaches Apple.
            """,
        examples: ["sortie demo", "sortie demo --devices 5000 --keep"],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let signals = try StopSignals(
            console: console, announcement: "Stopping, and tidying up.")
        let stage = try DemoStage(
            devices: arguments.integer("devices") ?? 0,
            ratePerSecond: arguments.number("rate") ?? 0, console: console, signals: signals)
        do {
            let code = try stage.play()
            if arguments.has("keep"), !signals.isStopAsked {
                try stage.leaveRunning()
            } else {
                stage.tearDown()
                if code == .done { console.message(DemoText.next) }
            }
            return code
        } catch {
            stage.tearDown()
            throw error
        }
    }
}
