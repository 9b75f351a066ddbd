internal import SendPolicy

/// Sizes that follow from a phase's pace: how many recipients travel in one batch, and how many may
/// be announced ahead of sending.
///
/// Announced recipients are in doubt after a crash, so the window is a quarter of a second of
/// sending, and at most ``windowMax``. The smaller it is, the more transactions; at a quarter of
/// a second and four batches a window there are at most 16 a second.
struct PhasePace: Sendable, Equatable {
    /// Recipients announced and not yet on the wire, at most.
    let window: Int
    /// Recipients of one batch, at most.
    let batch: Int
    /// Recipients read out of the database at a time, at most.
    let chunk: Int
    /// Recipients announced and not yet recorded, at most: window, wire and outcomes together.
    let unrecordedMax: Int

    /// 8,000 recipients: a tenth of a second at the speed of the wire, one COPY of about 1 MB.
    static let windowMax = 8000
    /// Below this a window would cost a transaction for every few recipients.
    static let windowMin = 20
    /// Outcomes that may wait for the database before sending waits too.
    static let backlogMax = 40_000

    init(rate: Rate, connections: Int, maxInFlight: Int) {
        let perSecond = rate.perSecond.map { $0 * Double(connections) }
        let quarter = perSecond.map { Int(min($0 / 4, Double(Self.windowMax))) } ?? Self.windowMax
        window = min(max(quarter, Self.windowMin), Self.windowMax)
        batch = max(window / 4, 5)
        // About two seconds of sending, so that what was read is not stale when it is sent.
        chunk = min(max(window * 8, 100), 10_000)
        unrecordedMax = window + connections * maxInFlight + Self.backlogMax
    }
}
