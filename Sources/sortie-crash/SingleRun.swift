internal import Glibc
internal import LinuxIO

/// A run whose workers are never started again: it has to finish by itself.
final class SingleRun {
    private static let lookMicroseconds: UInt32 = 20_000

    let server: CrashServer
    let workers: Workers
    let campaign: CrashCampaign
    private let stage: CrashStage
    private let folder: String
    private var view: RunView
    private let begun = MonotonicClock.nanoseconds()
    private let deadline: Int64
    private(set) var seconds = 0.0
    /// What went wrong beside the promises of the record, as sentences.
    private(set) var broken: [String] = []

    /// Prepares it; nothing is started.
    ///
    /// - Parameters:
    ///   - stage: Where.
    ///   - name: Of its folder and the occurrence.
    ///   - campaign: What is sent.
    ///   - serverOptions: Further options of the simulator.
    ///   - secondsMax: The longest that all of it may take.
    /// - Throws: `SystemError` if its files can't be written.
    init(
        _ stage: CrashStage, name: String, campaign: CrashCampaign,
        serverOptions: [String] = [], secondsMax: Double
    ) throws {
        self.stage = stage
        self.campaign = campaign
        folder = "\(stage.folder)/\(name)"
        deadline = begun + Int64(secondsMax * 1e9)
        view = RunView(stage.database, occurrence: name)
        try FileContents.makeDirectory(folder, mode: 0o755)
        let file = "\(folder)/campaign.json"
        try FileContents.write(file, Array(campaign.text.utf8), mode: 0o600)
        server = stage.server(acceptances: "\(folder)/acceptances", options: serverOptions)
        workers = Workers(
            program: stage.program, folder: folder, campaign: file,
            configuration: server.configuration, occurrence: name)
    }

    /// Starts the workers, the first of which begins the run.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - prefix: The program that runs each, by its number from 0.
    /// - Throws: `CrashFailure` if the run does not begin.
    func begin(workers count: Int, prefix: (Int) -> [String] = { _ in [] }) throws {
        try workers.startRun(prefix: prefix(0))
        while try view.find() == nil {
            workers.reap()
            try requireTime()
            guard !workers.living.isEmpty else {
                throw CrashFailure("the run did not begin: \(workers.endings)")
            }
            usleep(Self.lookMicroseconds)
        }
        for number in 1..<max(1, count) {
            try workers.startHelper(run: view.id ?? 0, prefix: prefix(number))
        }
    }

    private func requireTime() throws {
        if stage.stop.isSet { throw CrashFailure("stopped") }
        guard MonotonicClock.nanoseconds() < deadline else {
            throw CrashFailure(
                "the run is not over in time: it is \(try view.state()); "
                    + "workers that ended: \(workers.endings)")
        }
    }

    /// Waits until the simulator has accepted so many, or nobody works any more.
    func wait(untilAccepted count: Int) throws {
        while AcceptanceRecord.countSoFar(server.acceptances) < count {
            workers.reap()
            if workers.living.isEmpty { return }
            try requireTime()
            usleep(Self.lookMicroseconds)
        }
    }

    /// Waits until every worker has ended by itself.
    func awaitEnd() throws {
        while !workers.living.isEmpty {
            try requireTime()
            workers.reap()
            usleep(Self.lookMicroseconds)
        }
        seconds = Double(MonotonicClock.nanoseconds() - begun) / 1e9
        server.stop()
        for ending in workers.endings where !ending.hasPrefix("exit 0") {
            broken.append("END: a worker ended with \(ending)")
        }
    }

    /// What is left of it, to be checked.
    func check() throws -> RoundCheck {
        guard let run = view.id else { throw CrashFailure("there is no run") }
        let expected = stage.options.recipients
        return RoundCheck(
            rule: campaign.rule, expected: expected,
            evidence: try RoundEvidence(run: run, expected: expected, from: stage.database),
            accepted: AcceptanceRecord(FileText.whole(server.acceptances), recipients: expected),
            beyond: nil, doubtMax: campaign.doubtMax(tuning: stage.tuning))
    }

    /// Ends whatever is left.
    func end() {
        workers.killAll()
        server.stop()
    }
}
