internal import APNSClient
internal import APNSProtocol
internal import CampaignStore
internal import LinuxIO

/// A batch on its way from the reader to the loop: the writer announces it first.
struct RenderedBatch: Sendable {
    /// What the writer commits before anything of it may go on the wire.
    let announcement: Announcement
    /// The requests; nil if every recipient of it is skipped.
    let push: PushBatch?
    /// Recipients that are left out on purpose, already with their outcome.
    let skips: [OutcomeRecord]

    /// Recipients in it.
    var count: Int { (push?.entries.count ?? 0) + skips.count }
}

/// What the three threads of a phase pass to one another, behind one lock.
///
/// ```
/// reader ──rendered──► writer ──announced──► loop ──outcomes──► writer
/// ```
/// Every queue in it is bounded: rendered batches by the reader's wait, everything else by the
/// writer, which announces no more than ``PhasePace`` allows.
///
/// *Thread*: any; waits are for the writer only.
final class PhaseExchange: Sendable {
    struct State: Sendable {
        /// Batches read and rendered, not yet announced.
        var rendered: [RenderedBatch] = []
        /// Ends that wait to be recorded.
        var outcomes: [OutcomeRecord] = []
        /// Recipients to be parked.
        var parks: [ParkRecord] = []
        /// When the oldest of those came, monotonic; nil if there are none.
        var oldestNanoseconds: Int64?
        /// Recipients announced so far.
        var announced = 0
        /// Of those, put on a connection or ended without.
        var submitted = 0
        /// Of those, recorded in the database.
        var recorded = 0
        /// Nothing more may be announced.
        var isClosed = false
        /// The writer is between taking batches to announce and handing them to the loop.
        var isAnnouncing = false
        /// No more outcomes will come.
        var isLoopDone = false
        /// Texts of reasons that APNSProtocol does not know.
        var reasonTexts: [ReasonCode: String] = [:]
        /// Numbers for the progress line.
        var progress: RunProgress
        /// The brakes over what all loops met.
        var brakes: PhaseBrakes
        /// What the reader waits for, if it waits for a moment.
        var waitingFor: String?
        /// Events for the run's journal.
        var notes: [LoopNote] = []
    }

    /// Rendered batches that may wait for the writer.
    static let renderedMax = 4
    /// What batches may hold before the reader waits: those that wait, and those that a request on
    /// the wire keeps. Room for eight thousand personal payloads of 4 KiB.
    static let batchBytesMax = 36 << 20
    /// What batches hold.
    let gauge = BatchGauge()

    let state: Monitor<State>
    /// Signalled when the reader may have room or its retries may be settled.
    let readerTurn: Monitor<Int>
    /// True, and signalled, when no more batches will be rendered.
    let readerEnd: Monitor<Bool>

    /// - Parameters:
    ///   - progress: where the phase stands.
    ///   - brakes: the phase's brakes.
    ///   - surroundings: where the threads wait.
    init(
        progress: RunProgress, brakes: PhaseBrakes,
        in surroundings: any RunSurroundings = SystemSurroundings()
    ) {
        state = surroundings.monitor(State(progress: progress, brakes: brakes))
        readerTurn = surroundings.monitor(0)
        readerEnd = surroundings.monitor(false)
    }

    /// Lets nothing more be announced, and waits until what is being announced has been handed to
    /// the loop. Bounded by the writer's patience with the database.
    func closeAnnouncements() {
        state.withLock { $0.isClosed = true }
        state.signal()
        _ = state.wait(untilNanoseconds: nil) { !$0.isAnnouncing }
    }

    /// The writer is gone, by its end or by a failure.
    func writerEnded() {
        state.withLock {
            $0.isClosed = true
            $0.isAnnouncing = false
        }
        state.signal()
    }

    /// Tells the reader that something it may wait for has changed.
    func wakeReader() {
        readerTurn.withLock { $0 &+= 1 }
        readerTurn.signal()
    }
}
