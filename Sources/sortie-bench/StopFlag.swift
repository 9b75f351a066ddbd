internal import LinuxIO

/// Whether somebody asked for a stop, by Ctrl-C or SIGTERM; any thread.
final class StopFlag: Sendable {
    private let state = Monitor(false)

    /// Watches for signals; before any other thread exists.
    init() throws {
        let watch = try SignalWatch()
        try watch.start { [state] _ in state.withLock { $0 = true } }
    }

    var isSet: Bool { state.withLock { $0 } }
}
