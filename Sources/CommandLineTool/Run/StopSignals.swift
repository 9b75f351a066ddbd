internal import Glibc
internal import LinuxIO

/// Ctrl-C and its relatives: the first asks for an orderly stop, the second ends the process at
/// once.
///
/// Create it before any other thread exists, because signals are blocked for the threads made
/// later.
final class StopSignals: Sendable {
    private struct State {
        var isStopAsked = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Monitor(State())

    /// Starts to watch for SIGINT, SIGTERM and SIGHUP (a terminal that went away).
    ///
    /// - Parameters:
    ///   - console: where the stop is announced.
    ///   - announcement: what to say at the first signal.
    /// - Throws: `SystemError` when the system refuses.
    init(console: Console, announcement: String) throws(SystemError) {
        let watch = try SignalWatch()
        try watch.start { [self] signal in received(signal, console, announcement) }
    }

    /// Whether somebody asked for a stop.
    var isStopAsked: Bool { state.withLock(\.isStopAsked) }

    /// Sets what a stop does from now on. A stop that was asked for before is carried out at once.
    func onStop(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isStopAsked
        }
        if isLate { action() }
    }

    private func received(_ signal: Int32, _ console: Console, _ announcement: String) {
        let (isSecond, action) = state.withLock { state in
            defer { state.isStopAsked = true }
            return (state.isStopAsked, state.action)
        }
        if isSecond {
            console.message("Stopped at once. What was on the wire has no recorded answer.")
            // Threads are still at work, so nothing of theirs may be torn down here.
            _exit(ExitCode.stoppedEarly.rawValue)
        }
        console.message(announcement)
        action?()
    }
}
