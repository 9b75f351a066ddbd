internal import LinuxIO

/// Three workers in three network namespaces, one of which loses its line to the database and later
/// the one to the simulator. The run has to finish by itself, and `max_rate` to hold in every
/// second.
struct NetworkTest {
    private static let workers = 3
    private static let sendSeconds = 24
    private static let secondsMax = 300.0
    /// Longer than the lease: others take over.
    private static let cutSeconds = 7.0

    let options: CrashOptions
    let stop: StopFlag
    let say: (String) -> Void

    /// Plays it once for each rule.
    ///
    /// - Returns: Whether every promise held; also if this machine can't do it, which is said.
    func run() throws -> Bool {
        guard ProcessFacts.userID == 0 else {
            say("skipped: network namespaces need root")
            return true
        }
        let spaces: NetworkSpaces
        do {
            spaces = try NetworkSpaces(count: Self.workers)
        } catch {
            say("skipped: this machine makes no network namespaces: \(error)")
            return true
        }
        defer { spaces.remove() }
        let stage = try CrashStage(options: options, stop: stop)
        var isWhole = false
        defer { stage.end(keepsFolder: options.keepsFolders || (!isWhole && !stop.isSet)) }
        try stage.database.listen(on: NetworkSpaces.Line.database.address)
        var broken: [String] = []
        for rule in options.rules { broken += try play(rule, stage, spaces) }
        isWhole = broken.isEmpty
        for sentence in broken { say("BROKEN \(sentence)") }
        if !isWhole { say("Left for a look: \(stage.folder)") }
        return isWhole
    }

    private func play(
        _ rule: CrashOptions.Unconfirmed, _ stage: CrashStage, _ spaces: NetworkSpaces
    ) throws -> [String] {
        let maxRate = max(30, options.recipients / Self.sendSeconds)
        let campaign = CrashCampaign(rule: rule, rate: maxRate, canary: 0, maxRate: maxRate)
        let set = try SingleRun(
            stage, name: "network-\(rule.rawValue)", campaign: campaign,
            serverOptions: ["--host", NetworkSpaces.Line.simulator.address],
            secondsMax: Self.secondsMax)
        defer { set.end() }
        try set.server.start()
        let line = "host=\(NetworkSpaces.Line.database.address) port=5432 user=sortie dbname=sortie"
        try set.server.writeConfiguration(
            adding: [stage.databaseField(line), stage.tuning.text])
        try set.begin(workers: Self.workers) { spaces.prefix($0) }
        let victim = Int(options.seed % UInt64(Self.workers))
        try cut(.database, of: victim, spaces, set, atShare: 0.2, rule)
        try cut(.simulator, of: victim, spaces, set, atShare: 0.6, rule)
        try set.awaitEnd()
        return try judge(set, maxRate: maxRate, rule)
    }

    private func cut(
        _ line: NetworkSpaces.Line, of victim: Int, _ spaces: NetworkSpaces, _ set: SingleRun,
        atShare share: Double, _ rule: CrashOptions.Unconfirmed
    ) throws {
        try set.wait(untilAccepted: Int(Double(options.recipients) * share))
        try spaces.set(line, of: victim, isUp: false)
        defer {
            do {
                try spaces.set(line, of: victim, isUp: true)
            } catch {
                say("the line stays cut: \(error)")
            }
        }
        say("\(rule.rawValue): worker \(victim + 1) is cut off from the \(line)")
        stop.pause(seconds: Self.cutSeconds)
    }

    private func judge(
        _ set: SingleRun, maxRate: Int, _ rule: CrashOptions.Unconfirmed
    ) throws -> [String] {
        let check = try set.check()
        // When a request was sent; where that was never recorded, when it was accepted.
        let times = (1...options.recipients).flatMap { ordinal -> [Int64] in
            if let sent = check.evidence.outcomes[ordinal]?.sentAt { return [sent] }
            return check.accepted.times[ordinal]
        }
        let sentMost = SlidingSecond.most(of: times)
        say(
            "\(rule.rawValue): \(NumberText.grouped(options.recipients)) recipients, 3 workers, "
                + "one cut off twice: lost \(check.lost), doubled \(check.doubled), "
                + "in doubt \(check.inDoubt), max_rate \(maxRate), most sent in any second "
                + "\(sentMost), most accepted \(check.accepted.inOneSecondMax), "
                + "all in \(NumberText.seconds(set.seconds)) s")
        var broken = check.broken + set.broken
        if sentMost > maxRate {
            broken.append("RATE: \(sentMost) were sent in one second, more than \(maxRate)")
        }
        return broken.map { "\(rule.rawValue): \($0)" }
    }
}
