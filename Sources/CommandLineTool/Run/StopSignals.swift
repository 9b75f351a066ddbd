internal import Glibc
internal import LinuxIO

/// Ctrl-C and its relatives: the first asks for an orderly stop, the second ends the process at
/// once. SIGHUP asks for the credentials to be read again, unless it says that the terminal is
/// gone.
///
/// Create it before any other thread exists, because signals are blocked for the threads made
/// later.
final class StopSignals: Sendable {
    /// What SIGHUP means to a command.
    enum Hangup: Sendable {
        /// The same as SIGTERM.
        case stops
        /// Read the credentials again.
        case reloads
    }

    private struct State {
        var isStopAsked = false
        var action: (@Sendable () -> Void)?
        var atOnce: (@Sendable () -> Void)?
        var reload: (@Sendable () -> Void)?
    }

    private let state = Monitor(State())
    private let hangup: Hangup
    /// Whether the process had a terminal that it can lose.
    private let hadTerminal: Bool
    /// Whether it was started by nohup or the like: it shall outlive its terminal.
    private let outlivesTerminal: Bool

    /// Starts to watch for SIGINT, SIGTERM and SIGHUP.
    ///
    /// - Parameters:
    ///   - console: where the stop is announced.
    ///   - announcement: what to say at the first signal.
    ///   - hangup: what SIGHUP means.
    /// - Throws: `SystemError` when the system refuses.
    init(
        console: Console, announcement: String, hangup: Hangup = .stops
    ) throws(SystemError) {
        self.hangup = hangup
        hadTerminal = Self.hasTerminal
        outlivesTerminal = Self.isHangupIgnored
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

    /// Sets what comes before the end at the second signal.
    func onStopAtOnce(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.atOnce = action }
    }

    /// Sets what SIGHUP does from now on, if it means to read the credentials again.
    func onReload(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.reload = action }
    }

    /// Waits for a stop. Returns whether one was asked for.
    func waitForStop(untilNanoseconds moment: Int64) -> Bool {
        state.wait(untilNanoseconds: moment) { $0.isStopAsked }
    }

    private func received(_ signal: Int32, _ console: Console, _ announcement: String) {
        if signal == SIGHUP, outlivesTerminal, hangup == .stops { return }
        let isTerminalGone = hadTerminal && !outlivesTerminal && !Self.hasTerminal
        if signal == SIGHUP, hangup == .reloads, !isTerminalGone {
            // Before there is something to do, nothing was read yet.
            state.withLock(\.reload)?()
            return
        }
        let (isSecond, action, atOnce) = state.withLock { state in
            defer { state.isStopAsked = true }
            return (state.isStopAsked, state.action, state.atOnce)
        }
        if isSecond {
            atOnce?()
            console.message("Stopped at once. What was on the wire has no recorded answer.")
            // Threads are still at work, so nothing of theirs may be torn down here.
            _exit(ExitCode.stoppedEarly.rawValue)
        }
        console.message(announcement)
        state.signal()
        action?()
    }

    /// Whether whoever started the process made it ignore SIGHUP, as nohup does.
    private static var isHangupIgnored: Bool {
        var action = sigaction()
        // Sound: with no new action the structure is only written, and a handler is a pointer,
        // which is compared by its bits; SIG_IGN is 1 in Linux' headers.
        return unsafe sigaction(SIGHUP, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Whether the process has a terminal that can hang up: `/dev/tty` opens then, and no longer
    /// when that one is gone.
    private static var hasTerminal: Bool {
        // Sound: the path is lent for the call.
        let raw = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if raw >= 0 { close(raw) }
        return raw >= 0
    }
}
