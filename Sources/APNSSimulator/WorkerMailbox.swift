internal import LinuxIO

/// What a worker is told from outside.
enum WorkerMessage: Sendable {
    /// Put a report into the box.
    case report(ReportBox)
    /// Close everything and end.
    case stop
}

/// Where a worker's report is waited for.
typealias ReportBox = Monitor<WorkerReport?>

/// What a worker knows at one moment.
struct WorkerReport: Sendable {
    let counters: WorkerCounters
    let transcript: [ReceivedRequest]
}

/// Messages to one worker. Any thread posts, the worker's thread takes.
final class WorkerMailbox: Sendable {
    private struct State {
        var messages: [WorkerMessage] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    private let waker: Waker

    /// - Parameter waker: Wakes the worker's poller.
    init(waker: Waker) {
        self.waker = waker
    }

    /// Leaves a message.
    ///
    /// - Returns: Whether the worker will see it; false: it has ended.
    @discardableResult
    func post(_ message: WorkerMessage) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.messages.append(message) }
            return !state.isClosed
        }
        if isTaken { waker.wake() }
        return isTaken
    }

    /// Takes what was left since the last time.
    ///
    /// - Parameter closing: Takes the last messages: from now on none are accepted.
    /// - Returns: The messages in the order they were left.
    func takeAll(closing: Bool = false) -> [WorkerMessage] {
        state.withLock { state in
            if closing { state.isClosed = true }
            if state.messages.isEmpty { return [] }
            let taken = state.messages
            state.messages.removeAll()
            return taken
        }
    }
}
