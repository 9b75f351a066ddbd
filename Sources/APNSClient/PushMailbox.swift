internal import LinuxIO

/// What other threads want of one loop, batches aside. Taking it costs one lock per turn.
///
/// *Thread*: any.
final class PushMailbox: Sendable {
    struct Requests: Sendable {
        var isFinishing = false
        var stopDrainNanoseconds: Int64?
    }

    private let state = Monitor(Requests())
    private let waker: Waker

    init(waker: Waker) {
        self.waker = waker
    }

    func wake() {
        waker.wake()
    }

    func finish() {
        state.withLock { $0.isFinishing = true }
        waker.wake()
    }

    func stop(drainNanoseconds: Int64) {
        state.withLock {
            $0.isFinishing = true
            $0.stopDrainNanoseconds = min($0.stopDrainNanoseconds ?? .max, drainNanoseconds)
        }
        waker.wake()
    }

    /// Everything asked for since the last call.
    func take() -> Requests {
        state.withLock { requests in
            let taken = requests
            requests.stopDrainNanoseconds = nil
            return taken
        }
    }
}
