internal import APNSClient
internal import APNSProtocol
internal import LinuxIO

/// Writes down how each request ended.
///
/// *Thread*: the loop calls it; others look at `state` under its lock.
final class SoakLedger: PushLoopDelegate, Sendable {
    /// What was counted.
    struct Counts: Sendable {
        var ended = 0
        var endedAgain = 0
        var accepted = 0
        var judgedOtherwise = 0
        var unknown = 0
        var notSent = 0
        var connectionsOpened = 0
        var goAways = 0
        var failure: String?
    }

    struct State: Sendable {
        var counts = Counts()
        /// By ordinal: whether it has ended.
        var hasEnded: [Bool]
    }

    let state: Monitor<State>

    init(requests: Int) {
        state = Monitor(State(hasEnded: Array(repeating: false, count: requests + 1)))
    }

    var stopDrainNanoseconds: Int64? { nil }

    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd) {
        state.withLock { state in
            let ordinal = Int(entry.ordinal)
            if state.hasEnded[ordinal] { state.counts.endedAgain += 1 }
            state.hasEnded[ordinal] = true
            state.counts.ended += 1
            switch end {
            case .judged(.accepted): state.counts.accepted += 1
            case .judged: state.counts.judgedOtherwise += 1
            case .unknown: state.counts.unknown += 1
            case .notSent: state.counts.notSent += 1
            }
        }
    }

    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64) { state.signal() }

    func loopNoted(_ note: LoopNote) {
        state.withLock { state in
            if note.kind == .opened { state.counts.connectionsOpened += 1 }
            if note.kind == .draining, note.text.hasPrefix("GOAWAY") { state.counts.goAways += 1 }
        }
    }

    func loopMetReason(_ code: ReasonCode, text: String) {}

    func loopFailed(_ failure: LoopFailure) {
        state.withLock { $0.counts.failure = "\(failure)" }
        state.signal()
    }
}
