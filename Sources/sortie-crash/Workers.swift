internal import Glibc
internal import LinuxIO

/// The processes that work on a round's run.
final class Workers {
    /// One of them.
    struct Worker: Sendable {
        let processID: Int32
        let log: String
        /// The program that runs it, and its arguments before the worker's own; empty: none.
        var prefix: [String] = []
    }

    private let program: String
    private let folder: String
    private let campaign: String
    private let configuration: String
    private let occurrence: String
    private(set) var living: [Worker] = []
    private(set) var startsCount = 0
    /// How those that ended by themselves did, in order.
    private(set) var endings: [String] = []

    /// Names workers; none is started.
    ///
    /// - Parameters:
    ///   - program: The built sortie.
    ///   - folder: For their output.
    ///   - campaign: The campaign file.
    ///   - configuration: Their sortie.json.
    ///   - occurrence: The run's.
    init(
        program: String, folder: String, campaign: String, configuration: String,
        occurrence: String
    ) {
        self.program = program
        self.folder = folder
        self.campaign = campaign
        self.configuration = configuration
        self.occurrence = occurrence
    }

    /// Starts `sortie run`: it begins the run, or goes on with it.
    func startRun(prefix: [String] = [], configuration other: String? = nil) throws {
        try start(
            ["run", campaign, "--occurrence", occurrence, "--quiet", "--config"]
                + [other ?? configuration], prefix)
    }

    /// Starts `sortie work` on a run that has begun.
    func startHelper(
        run: Int, prefix: [String] = [], configuration other: String? = nil
    ) throws {
        try start(
            ["work", "--run", "\(run)", "--config", other ?? configuration], prefix)
    }

    private func start(_ arguments: [String], _ prefix: [String]) throws {
        startsCount += 1
        let log = "\(folder)/worker-\(startsCount).log"
        let command = prefix + [program] + arguments
        let pid = try ChildProcess.start(command[0], Array(command.dropFirst()), outputPath: log)
        living.append(Worker(processID: pid, log: log, prefix: prefix))
    }

    /// Forgets those that have ended.
    func reap() {
        living.removeAll { worker in
            guard let ending = ChildProcess.wait(worker.processID, untilNanoseconds: 0) else {
                return false
            }
            endings.append("\(Self.text(ending)): \(FileText.end(worker.log))")
            return true
        }
    }

    private static func text(_ ending: ChildProcess.Ending) -> String {
        switch ending {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "signal \(signal)"
        case .timedOut: "no end"
        }
    }

    /// Sends a signal to one of them; the processes that it started itself get it too.
    func signal(_ worker: Worker, _ signal: Int32) {
        kill(-worker.processID, signal)
    }

    /// Sends a signal to all.
    func signalAll(_ signal: Int32) {
        for worker in living { self.signal(worker, signal) }
    }

    /// Ends those that are left without a word, and waits until they are gone.
    func killAll() {
        signalAll(SIGKILL)
        for worker in living { _ = ChildProcess.wait(worker.processID, untilNanoseconds: nil) }
        living.removeAll()
    }
}
