internal import Glibc
internal import LinuxIO

/// One round: a run from its start to its end, with a fault in it, and the check.
final class RoundRun {
    /// The longest that a round may take.
    private static let secondsMax = 180.0
    private static let startsMax = 30
    private static let lookMicroseconds: UInt32 = 20_000
    /// The part of the moments that lies before the first acceptance, and how long that is.
    private static let startShare = 0.15
    private static let startSeconds = 1.0
    /// For noticing, taking over and starting to send, on a busy machine.
    private static let stallExtraSeconds = 3.0

    let stage: CrashStage
    let fault: Fault
    private let folder: String
    private let campaign: CrashCampaign
    let server: CrashServer
    let workers: Workers
    var view: RunView
    var result: RoundResult
    private var begun: Int64 = 0
    private var deadline: Int64 = 0
    var faultAt: (nanoseconds: Int64, wallMicroseconds: Int64, accepted: Int)?
    var beyond: BeyondMarks?
    private var progress: (accepted: Int, nanoseconds: Int64)?
    var frozen: (worker: Workers.Worker, untilNanoseconds: Int64)?

    init(
        _ stage: CrashStage, number: Int, seed: UInt64, rule: CrashOptions.Unconfirmed
    ) throws {
        let options = stage.options
        self.stage = stage
        fault = Fault(
            seed: seed, kinds: options.faults.isEmpty ? Fault.Kind.allCases : options.faults)
        let occurrence = "\(rule.rawValue)-\(number)"
        view = RunView(stage.database, occurrence: occurrence)
        folder = "\(stage.folder)/\(occurrence)"
        let pace = Double(options.recipients) / options.sendSeconds
        campaign = CrashCampaign(
            rule: rule,
            rate: max(20, Int(pace) / (options.workers * CrashCampaign.connections)),
            canary: fault.hasCanary ? min(200, options.recipients / 10) : 0)
        result = RoundResult(
            number: number, seed: seed, rule: rule, fault: fault.kind,
            recipients: options.recipients)
        try FileContents.makeDirectory(folder, mode: 0o755)
        try FileContents.write("\(folder)/campaign.json", Array(campaign.text.utf8), mode: 0o600)
        server = stage.server(acceptances: "\(folder)/acceptances")
        workers = Workers(
            program: stage.program, folder: folder, campaign: "\(folder)/campaign.json",
            configuration: server.configuration, occurrence: occurrence)
    }

    /// Plays the round.
    ///
    /// - Returns: What came of it. Its folder is left only if a promise was broken.
    func play() throws -> RoundResult {
        defer {
            workers.killAll()
            server.stop()
        }
        try server.start(script: try script())
        try stage.writeConfiguration(server)
        begun = MonotonicClock.nanoseconds()
        deadline = begun + Int64(Self.secondsMax * 1e9)
        try workers.startRun()
        try startHelpers()
        try waitForMoment()
        if try view.state() != "finished" { try strike() }
        try finish()
        result.seconds = Double(MonotonicClock.nanoseconds() - begun) / 1e9
        result.restarts = workers.startsCount - stage.options.workers
        try awaitWorkers()
        server.stop()
        try check()
        if result.broken.isEmpty, !stage.options.keepsFolders {
            stage.removeFolder(folder)
        } else {
            try writeFindings()
        }
        return result
    }

    // MARK: - Before the fault

    /// Connections are cut by the simulator itself, at an age of theirs.
    private func script() throws -> String? {
        guard fault.kind == .cutConnections else { return nil }
        let age = Int(fault.moment * stage.options.sendSeconds * 1000)
        let text = "{ rules: [{ after: \(age)ms, do: cut, times: \(1 + fault.victim % 3) }] }\n"
        let path = "\(folder)/script.json"
        try FileContents.write(path, Array(text.utf8), mode: 0o600)
        return path
    }

    private func startHelpers() throws {
        guard stage.options.workers > 1 else { return }
        while try view.find() == nil {
            workers.reap()
            guard !workers.living.isEmpty, MonotonicClock.nanoseconds() < deadline else {
                throw CrashFailure("the run did not begin: \(workers.endings)")
            }
            usleep(5_000)
        }
        guard let run = view.id else { return }
        for _ in 1..<stage.options.workers { try workers.startHelper(run: run) }
    }

    /// Waits for the moment: a time while nothing was accepted yet, then a number of acceptances.
    private func waitForMoment() throws {
        let share = (fault.moment - Self.startShare) / (1 - Self.startShare)
        let count = Int(share * Double(stage.options.recipients))
        let early = begun + Int64(fault.moment / Self.startShare * Self.startSeconds * 1e9)
        while MonotonicClock.nanoseconds() < deadline, !stage.stop.isSet {
            if share < 0 {
                if MonotonicClock.nanoseconds() >= early { return }
            } else if AcceptanceRecord.countSoFar(server.acceptances) >= count {
                return
            }
            workers.reap()
            if workers.living.isEmpty { return }
            usleep(1_000)
        }
    }

    // MARK: - After the fault

    /// Sees the run to its end: whoever is left goes on; if nobody is, it is started again.
    private func finish() throws {
        while try view.state() != "finished", MonotonicClock.nanoseconds() < deadline {
            if stage.stop.isSet { throw CrashFailure("stopped") }
            try noteRecovery()
            thawIfDue()
            workers.reap()
            let isFrozenAlone = frozen != nil && workers.living.count == 1
            if workers.living.isEmpty || (isFrozenAlone && isLeaseOver) {
                guard workers.startsCount < Self.startsMax else { break }
                try workers.startRun()
            }
            usleep(Self.lookMicroseconds)
        }
        try noteRecovery()
    }

    private var isLeaseOver: Bool {
        guard let faultAt else { return false }
        let lease = Int64(stage.tuning.leaseSeconds) * 1_000_000_000
        return MonotonicClock.nanoseconds() > faultAt.nanoseconds + lease
    }

    private func thawIfDue() {
        guard let frozen, MonotonicClock.nanoseconds() >= frozen.untilNanoseconds else { return }
        workers.signal(frozen.worker, SIGCONT)
        self.frozen = nil
    }

    /// Notes when acceptances are recorded again, and the longest time in which none was.
    private func noteRecovery() throws {
        guard let faultAt else { return }
        let accepted = try view.accepted()
        let now = MonotonicClock.nanoseconds()
        let last = progress ?? (faultAt.accepted, faultAt.nanoseconds)
        guard accepted > last.accepted else { return }
        result.stallSeconds = max(
            result.stallSeconds, Double(now - last.nanoseconds) / 1e9)
        progress = (accepted, now)
        if result.recoverySeconds == nil, fault.kind != .cutConnections {
            result.recoverySeconds = Double(now - faultAt.nanoseconds) / 1e9
        }
    }

    /// Every worker ends by itself when the run is over; a frozen one after its time.
    private func awaitWorkers() throws {
        while !workers.living.isEmpty, MonotonicClock.nanoseconds() < deadline {
            thawIfDue()
            workers.reap()
            usleep(Self.lookMicroseconds)
        }
        if !workers.living.isEmpty {
            result.broken.append("END: \(workers.living.count) workers did not end")
        }
    }

    // MARK: - The check

    private func check() throws {
        guard let run = view.id else { throw CrashFailure("there is no run: \(workers.endings)") }
        let check = RoundCheck(
            rule: campaign.rule, expected: stage.options.recipients,
            evidence: try RoundEvidence(
                run: run, expected: stage.options.recipients, from: stage.database),
            accepted: AcceptanceRecord(
                FileText.whole(server.acceptances), recipients: stage.options.recipients),
            beyond: beyond, doubtMax: campaign.doubtMax(tuning: stage.tuning))
        result.lost = check.lost
        result.doubled = check.doubled
        result.doubledUnasked = check.doubledUnasked
        result.inDoubt = check.inDoubt
        result.inDoubtMost = check.inDoubtMost
        result.doubtMax = check.doubtMax
        result.beyond = beyond?.ordinals.count
        if let faultAt, let first = check.evidence.takeovers.first {
            result.takeoverSeconds = Double(first.at - faultAt.wallMicroseconds) / 1e6
        }
        result.broken += check.broken + stalled
        if result.broken.isEmpty {
            try stage.database.query("DROP TABLE sortie.outcome_\(run), sortie.recipient_\(run)")
        }
    }

    /// Whoever is left goes on within two leases, whatever the others hold.
    private var stalled: [String] {
        let secondsMax = 2 * Double(stage.tuning.leaseSeconds) + Self.stallExtraSeconds
        guard result.isHit, fault.kind.leavesWorkers, stage.options.workers > 1,
            result.stallSeconds > secondsMax
        else { return [] }
        let seconds = NumberText.seconds(result.stallSeconds)
        return ["STALL: those who were left recorded nothing for \(seconds) s"]
    }

    private func writeFindings() throws {
        let lines =
            [result.line] + result.broken + ["workers that ended:"] + workers.endings
            + ["the run in the database: \(view.id ?? 0)", ""]
        try FileContents.write(
            "\(folder)/findings", Array(lines.joined(separator: "\n").utf8), mode: 0o644)
    }
}
