internal import APNSProtocol
internal import APNSSimulator
internal import DocumentTree
internal import LinuxIO

/// `sortie simulator`: a stand-in for APNs, until it is told to stop.
enum SimulatorCommand {
    static let definition = CommandDefinition(
        "simulator", .trying, "stand in for APNs on this machine",
        options: options,
        discussion: """
            Speaks HTTP/2 over TLS as APNs does, judges requests by Apple's rules, and answers with
            Apple's reasons. Certificate and key are made anew in the folder, with a sortie.json
            that sends there. Shares are from 0 to 1; a token's fate depends on its digits and the
            seed alone. Nothing that is sent to it reaches a device. It runs until Ctrl-C, and then
            says what it received.
            """,
        examples: [
            "sortie simulator --dead 0.05 --latency 20",
            "sortie simulator --mood apns --script faults.json",
            "sortie run Campaigns/demo.json --config sortie-simulator/sortie.json",
        ],
        action: run)

    private static let options = [
        OptionDefinition(
            "host", .text(placeholder: "ADDRESS"), "listen on this address", default: "127.0.0.1"),
        OptionDefinition(
            "port", .integer(placeholder: "N", 0...65_535), "listen on this port; 0: any free",
            default: "8443"),
        OptionDefinition(
            "name", .text(placeholder: "NAME"),
            "the name that senders connect to (default: the address)"),
        OptionDefinition(
            "folder", .text(placeholder: "DIR"),
            "where certificate, key and a ready sortie.json are written",
            default: "sortie-simulator"),
        OptionDefinition(
            "app", .text(placeholder: "BUNDLE-ID"), "the app in that sortie.json",
            default: "com.example.shop"),
        OptionDefinition(
            "database", .text(placeholder: "CONNECTION"), "the database in that sortie.json"),
        share("dead", "tokens that answer 410"),
        share("other-environment", "tokens that answer 400 BadDeviceToken"),
        share("wrong-topic", "tokens that answer 400 DeviceTokenNotForTopic"),
        share("unanswered", "tokens whose requests are never answered"),
        share("unavailable", "attempts that answer 503 ServiceUnavailable"),
        OptionDefinition(
            "latency", .integer(placeholder: "MS", 0...60_000),
            "answer after this many milliseconds", default: "0"),
        OptionDefinition(
            "rate", .number(placeholder: "R", 0.1...10_000_000),
            "answer at most this many requests per second (default: no limit)"),
        OptionDefinition(
            "streams", .integer(placeholder: "N", 1...100_000),
            "requests that may be open at once on a connection", default: "1000"),
        OptionDefinition(
            "seed", .integer(placeholder: "N", 0...Int.max), "which tokens have which fate",
            default: "1"),
        OptionDefinition(
            "mood", .text(placeholder: "NAME"),
            "plain, or apns: behave as APNs is reported to, limits falling after refusals",
            default: "plain"),
        OptionDefinition(
            "script", .text(placeholder: "FILE"),
            "play the faults of this file: see docs/simulator.md"),
        OptionDefinition(
            "fast", .flag, "judge nothing but --dead: answer at once, and count"),
        OptionDefinition(
            "statistics", .text(placeholder: "FILE"),
            "write what was received there, as JSON, every second and at the end"),
        OptionDefinition(
            "acceptances", .text(placeholder: "FILE"),
            "append a line for each accepted send: microseconds since 1970 and the token"),
        OptionDefinition(
            "keep-keys", .flag,
            "go on with the keys that --keep-keys left in the folder, so that senders need not "
                + "be told new ones"),
    ]

    private static func share(_ name: String, _ what: String) -> OptionDefinition {
        OptionDefinition(name, .number(placeholder: "S", 0...1), "share of \(what)", default: "0")
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let stop = Monitor(false)
        let signals = try StopSignals(console: console, announcement: "Stopping the simulator.")
        signals.onStop {
            stop.withLock { $0 = true }
            stop.signal()
        }
        if arguments.has("fast"), arguments.has("acceptances") {
            throw CommandFailure(.usage, "--fast judges nothing: leave it out for --acceptances")
        }
        let faults = try faults(arguments)
        let address = arguments.text("host") ?? ""
        let name = arguments.text("name") ?? (isAnyAddress(address) ? "localhost" : address)
        let folder = arguments.text("folder") ?? ""
        let credentials = try SimulatorCredentials.make(
            in: folder, hosts: [name, "localhost", "127.0.0.1", "::1"],
            keepsKeys: arguments.has("keep-keys"))
        var configuration = configuration(arguments, credentials)
        faults.apply(to: &configuration)
        let simulator = try Simulator(configuration, certificates: credentials.certificates)
        let files = SimulatorFiles(
            host: name, port: try simulator.start(), app: arguments.text("app") ?? "",
            credentials: credentials, database: arguments.text("database"))
        return try serve(simulator, files, folder, arguments, console, until: stop)
    }

    /// What `--mood` and `--script` ask for; the file has the last word.
    private static func faults(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> ScenarioFile {
        let seed = UInt64(arguments.integer("seed") ?? 1)
        var faults = ScenarioFile(scenario: SimulatorScenario(seed: seed, rules: []))
        if let name = arguments.text("script") {
            let file = try DocumentFile(name, failingWith: .badFile)
            switch ScenarioFile.read(file.root, file: name, seed: seed) {
            case .success(let scenario): faults = scenario
            case .failure(let list): throw CommandFailure(.badFile, list.description)
            }
        }
        switch arguments.text("mood") {
        case "apns":
            let streams = UInt32(arguments.integer("streams") ?? 1000)
            faults.mood = faults.mood ?? APNSMood(streams: faults.streams ?? streams, seed: seed)
        case "plain", nil: break
        case let other?:
            throw CommandFailure(.usage, "--mood \(other): write plain or apns")
        }
        return faults
    }

    private static func isAnyAddress(_ address: String) -> Bool {
        address == "0.0.0.0" || address == "::"
    }

    /// What the options mean to the simulator.
    static func configuration(
        _ arguments: ParsedArguments, _ credentials: SimulatorCredentials
    ) -> SimulatorConfiguration {
        let share = { (name: String) in arguments.number(name) ?? 0 }
        var configuration = SimulatorConfiguration(
            fates: TokenFates(
                shares: TokenShares(
                    dead: share("dead"), otherEnvironment: share("other-environment"),
                    wrongTopic: share("wrong-topic"), ignored: share("unanswered")),
                seed: UInt64(arguments.integer("seed") ?? 1),
                referenceMilliseconds: WallClock.microseconds() / 1_000))
        configuration.host = arguments.text("host") ?? ""
        configuration.port = UInt16(arguments.integer("port") ?? 0)
        configuration.credential = credentials.rule
        configuration.latency = AnswerLatency(
            fixedMilliseconds: Double(arguments.integer("latency") ?? 0))
        configuration.answersPerSecond = arguments.number("rate")
        configuration.maxConcurrentStreams = UInt32(arguments.integer("streams") ?? 0)
        configuration.faults.transientShare = share("unavailable")
        configuration.isFast = arguments.has("fast")
        configuration.tracksTokens = !configuration.isFast
        configuration.acceptancesFile = arguments.text("acceptances")
        return configuration
    }

    private static func serve(
        _ simulator: Simulator, _ files: SimulatorFiles, _ folder: String,
        _ arguments: ParsedArguments, _ console: Console, until stop: Monitor<Bool>
    ) throws -> ExitCode {
        let configuration = try files.write(into: folder)
        console.message(
            """
            Listening on \(arguments.text("host") ?? ""):\(files.port). Send to it with:
              sortie run FILE --config \(configuration)
            Its certificate authority: \(files.credentials.authorityFile)
            Its signing key:           \(files.credentials.keyFile)
            Ctrl-C stops it.
            """)
        let statisticsFile = arguments.text("statistics")
        while !stop.wait(untilNanoseconds: MonotonicClock.nanoseconds() + second, until: { $0 }) {
            if let statisticsFile {
                try FileContents.write(statisticsFile, simulator.snapshot().json, mode: 0o644)
            }
        }
        let statistics = simulator.stop()
        if let statisticsFile {
            try FileContents.write(statisticsFile, statistics.json, mode: 0o644)
        }
        console.output(statistics.summary)
        return .done
    }

    private static let second: Int64 = 1_000_000_000
}
