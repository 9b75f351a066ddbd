internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO

/// Tells a person what a run does: a live line on a terminal, otherwise one line where a phase
/// ends.
///
/// *Thread*: any.
final class RunNarrator: RunObserver, Sendable {
    private struct State {
        var runID: Int64?
        /// When the live line was last written.
        var shownNanoseconds: Int64 = 0
        /// When the phase under way began.
        var phaseNanoseconds: Int64 = 0
        /// What other workers had done in it when that was heard last, and how many there were.
        var others = 0
        var workers = 1
    }

    /// The live line is rewritten five times a second at most: more is flicker.
    private static let intervalNanoseconds: Int64 = 200_000_000

    private let console: Console
    private let isQuiet: Bool
    private let server: String
    private let opened: @Sendable (Int64) -> Void
    private let state = Monitor(State())

    /// A narrator; a quiet one says nothing at all.
    ///
    /// - Parameters:
    ///   - console: where it says what it says.
    ///   - isQuiet: whether it says nothing.
    ///   - server: who accepts pushes.
    ///   - opened: called with the run's number when it is open, on the run's thread.
    init(
        console: Console, isQuiet: Bool, server: String = "APNs",
        opened: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.console = console
        self.isQuiet = isQuiet
        self.server = server
        self.opened = opened
    }

    /// The run's number, once it is open.
    var runID: Int64? { state.withLock(\.runID) }

    func runDid(_ event: RunEvent) {
        switch event {
        case .opened(let runID, let isResumed, let recipients):
            state.withLock { $0.runID = runID }
            say(
                "Run \(runID) \(isResumed ? "goes on" : "begins"): "
                    + NumberText.count(Int64(recipients), "recipient") + ".")
            opened(runID)
        case .phaseStarted(let phase, let total):
            state.withLock { state in
                state.phaseNanoseconds = MonotonicClock.nanoseconds()
                state.others = 0
                state.workers = 1
            }
            if console.isInteractive { break }
            say("\(Self.name(phase)): \(NumberText.count(total)) to go.")
        case .progress(let progress):
            state.withLock { state in
                state.others = max(state.others, progress.others)
                state.workers = max(state.workers, progress.workers)
            }
            show(progress)
        case .note(let text): if !isQuiet { console.message(text) }
        case .phaseEnded(_, var progress, let pruned):
            console.endProgress()
            let (began, others, workers) = state.withLock {
                ($0.phaseNanoseconds, $0.others, $0.workers)
            }
            progress.others = max(progress.others, others)
            progress.workers = max(progress.workers, workers)
            let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
            say(Self.summary(progress, seconds: seconds, pruned: pruned, server: server))
        }
    }

    private func say(_ text: String) {
        if !isQuiet { console.message(text) }
    }

    private func show(_ progress: RunProgress) {
        if isQuiet || !console.isInteractive { return }
        let now = MonotonicClock.nanoseconds()
        let isDue = state.withLock { state in
            guard now - Self.intervalNanoseconds >= state.shownNanoseconds else { return false }
            state.shownNanoseconds = now
            return true
        }
        if isDue { console.progress(Self.line(progress)) }
    }

    // MARK: - Texts

    private static func name(_ phase: RunPhase) -> String {
        phase == .probe ? "Preflight" : "Main send"
    }

    /// The live line.
    static func line(_ progress: RunProgress) -> String {
        // Other workers may be ahead of what this one has counted.
        let all = min(progress.done + progress.others, progress.total)
        let done = NumberText.count(all)
        let share = NumberText.wholeShare(Int64(all), of: Int64(progress.total))
        let isShared = progress.workers > 1
        // Tenths of a second flicker, and a second is as good as done.
        let left = progress.secondsLeft.map {
            "\(NumberText.duration(seconds: max(1, $0.rounded()))) left"
        }
        let refused =
            progress.phase == .probe
            ? "\(NumberText.count(progress.gone)) gone"
            : "\(NumberText.count(progress.rejected)) rejected"
        let parked = progress.parked > 0 ? "\(NumberText.count(progress.parked)) put off" : ""
        return ProgressText.line([
            "\(name(progress.phase)) \(done) of \(NumberText.count(progress.total)) (\(share))",
            progress.waitingFor.map { "waiting: \($0)" } ?? "",
            NumberText.rate(progress.perSecond) + (isShared ? " here" : ""),
            isShared ? "\(progress.workers) workers" : "", left ?? "", refused,
            "\(progress.connections) conn.", parked,
        ])
    }

    /// What is said when a phase is over.
    static func summary(
        _ progress: RunProgress, seconds: Double, pruned: PruneSummary?, server: String = "APNs"
    ) -> String {
        let rate = seconds > 0 ? Double(progress.done) / seconds : 0
        let pace = "in \(NumberText.duration(seconds: seconds)) (\(NumberText.rate(rate)))"
        var parts: [String] = []
        func add(_ count: Int, _ word: String) {
            if count > 0 { parts.append("\(NumberText.count(count)) \(word)") }
        }
        if progress.phase == .probe {
            add(progress.gone, "gone")
            add(progress.rejected - progress.gone, "refused for other reasons")
            if parts.isEmpty { parts = ["no token reported as gone"] }
        } else {
            parts = ["\(NumberText.count(progress.accepted)) accepted by \(server)"]
            add(progress.rejected, "rejected")
        }
        if progress.workers > 1 { add(progress.others, "handled by other workers") }
        add(progress.unknown, "without an answer")
        add(progress.skipped, "skipped")
        if let pruned {
            add(progress.parked, "put off and tried again")
            add(pruned.changed, "devices pruned")
        } else {
            // The phase was stopped: what was put off is among those left.
            add(max(0, progress.total - progress.done - progress.others), "still to go")
        }
        let count = NumberText.count(progress.done)
        return "\(name(progress.phase)): \(count) \(pace): " + parts.joined(separator: ", ") + "."
    }
}
