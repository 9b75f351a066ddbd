internal import Glibc
internal import LinuxIO

/// PostgreSQL restarted three times in the middle of a run, with a pooler in transaction mode
/// between: in good order, at once, and killed. The run has to finish by itself.
struct RestartTest {
    private static let secondsMax = 300.0
    private static let sendSeconds = 6.0
    private static let absenceSeconds = 0.5

    let options: CrashOptions
    let stop: StopFlag
    let say: (String) -> Void

    /// Plays it once for each rule.
    ///
    /// - Returns: Whether every promise held.
    func run() throws -> Bool {
        let stage = try CrashStage(options: options, stop: stop)
        var isWhole = false
        defer { stage.end(keepsFolder: options.keepsFolders || (!isWhole && !stop.isSet)) }
        let pooler = try Pooler(folder: "\(stage.folder)/pooler", to: stage.database)
        defer { pooler.stop() }
        var broken: [String] = []
        for rule in options.rules { broken += try play(rule, stage, pooler) }
        isWhole = broken.isEmpty
        for sentence in broken { say("BROKEN \(sentence)") }
        if !isWhole { say("Left for a look: \(stage.folder)") }
        return isWhole
    }

    private func play(
        _ rule: CrashOptions.Unconfirmed, _ stage: CrashStage, _ pooler: Pooler
    ) throws -> [String] {
        let campaign = CrashCampaign(
            rule: rule,
            rate: max(
                20,
                options.recipients
                    / Int(Self.sendSeconds * Double(options.workers * CrashCampaign.connections))),
            canary: 0)
        let set = try SingleRun(
            stage, name: "restarts-\(rule.rawValue)", campaign: campaign,
            secondsMax: Self.secondsMax)
        defer { set.end() }
        try set.server.start()
        try set.server.writeConfiguration(
            adding: [stage.databaseField(pooler.conninfo), stage.tuning.text])
        try set.begin(workers: options.workers)
        for (number, signal) in [SIGINT, SIGQUIT, SIGKILL].enumerated() {
            try set.wait(untilAccepted: options.recipients * (number + 1) / 4)
            if signal == SIGKILL {
                stage.database.killServer()
            } else {
                stage.database.stopServer(signal)
            }
            stop.pause(seconds: Self.absenceSeconds)
            try stage.database.start()
            say("\(rule.rawValue): restart \(number + 1), signal \(signal)")
        }
        try set.awaitEnd()
        let check = try set.check()
        say(
            "\(rule.rawValue): \(NumberText.grouped(options.recipients)) recipients, "
                + "\(options.workers) workers, 3 restarts behind a pooler: lost \(check.lost), "
                + "doubled \(check.doubled), in doubt \(check.inDoubt), "
                + "all in \(NumberText.seconds(set.seconds)) s")
        return (check.broken + set.broken).map { "\(rule.rawValue): \($0)" }
    }
}
