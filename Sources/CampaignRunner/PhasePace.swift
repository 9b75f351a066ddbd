internal import SendPolicy

/// Sizes that follow from a phase's pace: how many recipients travel in one batch, and how many may
/// be announced ahead of sending.
///
/// Announced recipients are in doubt after a crash, so the window is a quarter of a second of
/// sending, and at most ``RunTuning/windowMax``. The smaller it is, the more transactions: a window
/// is announced by halves, so that at a quarter of a second there are some eight of them a second.
struct PhasePace: Sendable, Equatable {
    /// Recipients announced and not yet on the wire, at most.
    let window: Int
    /// Recipients of one batch, at most.
    let batch: Int
    /// Recipients read out of the database at a time, at most.
    let chunk: Int
    /// Recipients announced and not yet recorded, at most: window, wire and outcomes together.
    let unrecordedMax: Int
    /// A transaction is worth it with so many outcomes …
    let flushCount: Int
    /// … or when the oldest has waited so long.
    let flushNanoseconds: Int64
    /// For how long a database that is away is waited for.
    let patienceNanoseconds: Int64

    /// Below this a window would cost a transaction for every few recipients.
    static let windowMin = 20
    /// Outcomes that may wait for the database before sending waits too.
    static let backlogMax = 40_000

    /// - Parameters:
    ///   - rate: of each connection.
    ///   - connections: how many.
    ///   - maxInFlight: requests open on each.
    ///   - totalPerSecond: of all workers of the run together; nil for no limit.
    ///   - tuning: the largest window, and when a transaction is worth it.
    init(
        rate: Rate, connections: Int, maxInFlight: Int, totalPerSecond: Double? = nil,
        tuning: RunTuning = RunTuning()
    ) {
        let own = rate.perSecond.map { $0 * Double(connections) }
        let perSecond = totalPerSecond.map { min($0, own ?? $0) } ?? own
        let largest = tuning.windowMax
        let quarter = perSecond.map { Int(min($0 / 4, Double(largest))) } ?? largest
        window = min(max(quarter, Self.windowMin), largest)
        batch = max(window / 4, 5)
        // About two seconds of sending, so that what was read is not stale when it is sent.
        chunk = min(max(window * 8, 100), 10_000)
        flushCount = tuning.batchRows
        flushNanoseconds = Int64(tuning.batchMilliseconds) * 1_000_000
        patienceNanoseconds = Int64(tuning.databasePatienceSeconds) * 1_000_000_000
        unrecordedMax = window + connections * maxInFlight + Self.backlogMax
    }
}
