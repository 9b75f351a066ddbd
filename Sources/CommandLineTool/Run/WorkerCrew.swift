internal import Glibc
internal import LinuxIO

/// The other worker processes of `run --workers N`: started when the run is open, ended with it.
///
/// Each is this very program as `work --run ID`, in a session of its own, so that only this process
/// hears the terminal. If this process is killed they go on by themselves.
///
/// *Thread*: any.
final class WorkerCrew: Sendable {
    private struct State {
        var processIDs: [Int32] = []
        var hasStarted = false
        var isStopped = false
    }

    private let count: Int
    private let arguments: ParsedArguments
    private let console: Console
    private let state = Monitor(State())

    /// How long they have to notice that the run is over …
    private static let endNanoseconds: Int64 = 30_000_000_000
    /// … and then to stop in order, which takes no longer than answers and the database do.
    private static let stopNanoseconds: Int64 = 90_000_000_000

    /// A crew that is not at work yet.
    ///
    /// - Parameters:
    ///   - count: how many processes beside this one.
    ///   - arguments: the command line, of which they get what concerns them.
    ///   - console: told what goes wrong with them.
    init(count: Int, arguments: ParsedArguments, console: Console) {
        self.count = count
        self.arguments = arguments
        self.console = console
    }

    /// Starts them; only the first call does.
    func start(runID: Int64) {
        let isWanted = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted && !state.isStopped
        }
        guard isWanted else { return }
        for _ in 0..<count {
            do throws(SystemError) {
                let processID = try ChildProcess.startBeside(
                    Self.program, Self.words(runID, arguments))
                let isStopped = state.withLock { state in
                    state.processIDs.append(processID)
                    return state.isStopped
                }
                if isStopped { kill(processID, SIGTERM) }
            } catch {
                return console.message("A worker could not be started: \(error)")
            }
        }
    }

    private static func words(_ runID: Int64, _ arguments: ParsedArguments) -> [String] {
        var words = ["work", "--run", String(runID), "--quiet"]
        if let file = arguments.text("config") { words += ["--config", file] }
        for brake in arguments.texts("release-brake") { words += ["--release-brake", brake] }
        return words
    }

    /// This program's file; the kernel's name for it if it was replaced since.
    private static var program: String {
        let path = ProcessFacts.executablePath
        return path.isEmpty || path.hasSuffix(" (deleted)") ? "/proc/self/exe" : path
    }

    /// Asks them to stop in order; only the first call does, because a second signal would end them
    /// at once.
    func stop() {
        let processIDs = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped ? [] : state.processIDs
        }
        for processID in processIDs { kill(processID, SIGTERM) }
    }

    /// Passes a signal on.
    func pass(_ signal: Int32) {
        for processID in state.withLock(\.processIDs) { kill(processID, signal) }
    }

    /// Waits until they have ended, and says how many ended badly. None is left afterwards.
    ///
    /// - Parameter isOver: whether they find out by themselves that there is nothing more to do.
    func finish(isOver: Bool) {
        if !isOver { stop() }
        var left = state.withLock { state in
            state.isStopped = state.isStopped || state.processIDs.isEmpty
            return state.processIDs
        }
        let count = left.count
        var bad: [String] = []
        reap(&left, Self.endNanoseconds, &bad)
        if !left.isEmpty {
            stop()
            reap(&left, Self.stopNanoseconds, &bad)
        }
        for processID in left {
            _ = ChildProcess.stop(processID, untilNanoseconds: MonotonicClock.nanoseconds())
            bad.append("process \(processID) did not stop and was killed")
        }
        state.withLock { $0.processIDs = [] }
        guard !bad.isEmpty else { return }
        console.message(
            "\(bad.count) of \(count) other workers ended badly (\(bad.joined(separator: ", "))); "
                + "what they held was taken over.")
    }

    /// Waits for those that are left, together at most so long.
    private func reap(_ left: inout [Int32], _ nanoseconds: Int64, _ bad: inout [String]) {
        let deadline = MonotonicClock.nanoseconds() + nanoseconds
        left.removeAll { processID in
            guard let ending = ChildProcess.wait(processID, untilNanoseconds: deadline) else {
                return false
            }
            if let fault = Self.fault(ending) { bad.append("process \(processID) \(fault)") }
            return true
        }
    }

    /// What is bad about an end; nil if nothing is.
    private static func fault(_ ending: ChildProcess.Ending) -> String? {
        switch ending {
        case .exited(ExitCode.done.rawValue), .exited(ExitCode.stoppedEarly.rawValue): nil
        case .exited(let code): "ended with \(code)"
        case .signalled(let signal): "was killed by signal \(signal)"
        case .timedOut: "did not end"
        }
    }
}
