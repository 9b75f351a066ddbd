internal import LinuxIO

/// Whether somebody asked for a stop, by Ctrl-C or SIGTERM; any thread.
final class StopFlag: Sendable {
    private let state = Monitor(false)

    /// Watches for signals; before any other thread exists.
    init() throws {
        let watch = try SignalWatch()
        try watch.start { [state] _ in
            state.withLock { $0 = true }
            state.signal()
        }
    }

    var isSet: Bool { state.withLock { $0 } }

    /// Waits for a while, and no longer once a stop is asked for.
    func pause(seconds: Double) {
        let end = MonotonicClock.nanoseconds() + Int64(max(0, seconds) * 1e9)
        _ = state.wait(untilNanoseconds: end) { $0 }
    }
}
