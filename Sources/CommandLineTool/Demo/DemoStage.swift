internal import APNSProtocol
internal import APNSSimulator
internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO
internal import LocalCluster
internal import PostgreSQL

/// The demo's props, and its acts in order. Used by one thread.
final class DemoStage {
    private let devices: Int
    private let ratePerSecond: Double
    private let console: Console
    private let signals: StopSignals
    private let folder: DemoFolder
    private let fates: TokenFates
    private var cluster: LocalCluster?
    private var simulator: Simulator?

    /// Which tokens have which fate; any number would do.
    private static let seed: UInt64 = 2_026

    init(
        devices: Int, ratePerSecond: Double, console: Console, signals: StopSignals
    ) throws(CommandFailure) {
        self.devices = devices
        self.ratePerSecond = ratePerSecond
        self.console = console
        self.signals = signals
        folder = try DemoFolder()
        fates = TokenFates(
            shares: DemoDevices.shares, seed: Self.seed,
            referenceMilliseconds: WallClock.microseconds() / 1_000)
    }

    /// Everything up to the last report.
    func play() throws -> ExitCode {
        let database = try act("A private PostgreSQL in \(folder.path)") { try startCluster() }
        let simulator = try act("The APNs simulator, with a certificate made on the spot") {
            try startSimulator(database)
        }
        let made = try importDevices(database)
        let (code, runID) = try send(database)
        guard let runID else { return code }
        try report(runID, made, simulator, database)
        return code
    }

    /// Says what is done and how long it took; stops here if somebody asked for it.
    private func act<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
        if signals.isStopAsked { throw CommandFailure(.stoppedEarly, "The demo was stopped.") }
        let start = MonotonicClock.nanoseconds()
        let value = try body()
        let seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        console.message("\(what): \(NumberText.duration(seconds: seconds))")
        return value
    }

    // MARK: - Acts

    private func startCluster() throws -> DatabaseAccess {
        let cluster = try LocalCluster(folder: folder.file("cluster"))
        self.cluster = cluster
        try cluster.start()
        let database = DatabaseAccess(cluster)
        _ = try database.migrate()
        return database
    }

    private func startSimulator(_ database: DatabaseAccess) throws -> Simulator {
        let credentials = try SimulatorCredentials.make(in: folder.path)
        var configuration = SimulatorConfiguration(fates: fates)
        configuration.credential = credentials.rule
        configuration.latency = AnswerLatency(fixedMilliseconds: 10, jitterMilliseconds: 20)
        let simulator = try Simulator(configuration, certificates: credentials.certificates)
        let port = try simulator.start()
        self.simulator = simulator
        _ = try SimulatorFiles(
            host: configuration.host, port: port, app: DemoCampaign.app, credentials: credentials,
            database: database.connection
        ).write(into: folder.path)
        return simulator
    }

    private func importDevices(_ database: DatabaseAccess) throws -> DemoDevices.Made {
        var devices = DemoDevices(
            fates: fates, nowSeconds: WallClock.microseconds() / 1_000_000)
        let made = devices.make(count: self.devices)
        let file = try folder.write("devices.csv", made.csv)
        let count = NumberText.count(self.devices)
        try act("sortie devices import devices.csv (\(count) devices, made up)") {
            let summary = try DevicesImport(
                file: file,
                defaults: DeviceDefaults(app: DemoCampaign.app, environment: .production)
            ).carryOut(try database.open("import"))
            precondition(summary.rejected == 0, "the demo's own devices are in order")
        }
        return made
    }

    private func send(_ database: DatabaseAccess) throws -> (ExitCode, runID: Int64?) {
        if signals.isStopAsked { throw CommandFailure(.stoppedEarly, "The demo was stopped.") }
        let name = try folder.write(
            DemoCampaign.fileName,
            Array(DemoCampaign.text(ratePerSecond: ratePerSecond).utf8))
        console.message("sortie run \(DemoCampaign.fileName)")
        let file = try CampaignFile(name)
        let configuration = try ConfigurationFile(
            named: folder.file("sortie.json"), console: console)
        let run = CampaignRun(
            RunRequest(
                campaign: file.campaign, definition: file.bytes, occurrence: "demo",
                kind: .campaign, database: database.connection,
                endpoint: try PushTarget.endpoint(
                    for: file.campaign, configuration, console: console),
                startedBy: Operator.name, version: Version.text))
        signals.onStop { run.requestStop() }
        let narrator = RunNarrator(console: console, isQuiet: false)
        let ending = RunEnding(run.execute(observer: narrator))
        console.endProgress()
        if let message = ending.message { console.message(message) }
        return (ending.code, ending.runID ?? narrator.runID)
    }

    private func report(
        _ runID: Int64, _ made: DemoDevices.Made, _ simulator: Simulator,
        _ database: DatabaseAccess
    ) throws {
        let store = try database.open("report")
        let report = try RunReport(runID: runID, store: store)
        console.output("\n\(report.text)\n")
        // Of a run that was stopped, answers may still be on their way.
        guard report.summary.text("state") == "finished" else { return }
        let pruned = try store.table(named: .prunedDevices, [.integer(runID)]).namedRows
        let check = DemoCheck(
            report: report, statistics: simulator.snapshot(),
            registeredAgain: made.registeredAgain,
            prunedUsers: Set(pruned.compactMap { $0.text("user_id") }),
            rateAndBurst: Int(max(ratePerSecond, DemoCampaign.preflightRatePerSecond).rounded(.up))
                + DemoCampaign.burst)
        console.output(check.text + "\n")
    }

    // MARK: - The end

    /// Stops and removes everything.
    func tearDown() {
        console.endProgress()
        _ = simulator?.stop()
        do {
            try cluster?.stop()
        } catch {
            console.message("\(error)")
        }
        folder.remove()
    }

    /// Leaves the database running, and the simulator as a process of its own.
    func leaveRunning() throws {
        guard let cluster, let simulator else { return }
        _ = simulator.stop()
        let process = try startSimulatorProcess(database: cluster.conninfo)
        console.message(
            DemoText.kept(
                folder: folder.path, conninfo: cluster.conninfo, simulatorProcess: process))
    }

    private func startSimulatorProcess(database: String) throws -> Int32 {
        let file = folder.file("sortie.json")
        try FileContents.remove(file)
        let shares = DemoDevices.shares
        let process = try ChildProcess.start(
            CommandLine.arguments.first ?? "sortie",
            [
                "simulator", "--port", "0", "--folder", folder.path, "--seed", String(Self.seed),
                "--dead", String(shares.dead),
                "--other-environment", String(shares.otherEnvironment),
                "--unanswered", String(shares.ignored), "--database", database,
            ],
            outputPath: folder.file("simulator.log"))
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        while !FileContents.exists(file) {
            guard MonotonicClock.nanoseconds() < deadline else {
                throw CommandFailure(
                    .outOfReach, "The simulator did not start; see \(folder.file("simulator.log"))")
            }
            Pause.milliseconds(20)
        }
        return process
    }
}
