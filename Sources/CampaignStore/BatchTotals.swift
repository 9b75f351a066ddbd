// What a batch adds up to, so that roll-ups cost one small statement and no scan.

internal import APNSProtocol

/// Sums of a ``RecordBatch``: outcomes by kind and reason, progress by slice, what leaves and
/// enters the retry list.
///
/// The lists are searched from their last hit on. A batch has a handful of slices and reasons, so
/// this beats a dictionary, and it runs once per recipient.
struct BatchTotals {
    struct Tally {
        var kind: OutcomeKind
        var reason: ReasonCode
        var count: Int64
    }

    struct Progress {
        var slice: Int32
        /// Recipients accounted for.
        var recorded: Int64
        /// The new mark; 0 leaves it.
        var through: Int32
    }

    private(set) var tallies: [Tally] = []
    private(set) var progress: [Progress] = []
    /// Parked recipients that have an outcome now.
    private(set) var unparked: [Int64] = []
    /// Parked recipients that may go on the wire now.
    private(set) var announced: [Int64] = []
    private var lastTally = 0
    private var lastProgress = 0

    init(_ batch: RecordBatch) {
        for outcome in batch.outcomes {
            count(outcome.kind, outcome.reason)
            if outcome.source >= 0 {
                advance(outcome.source) { $0.recorded += 1 }
            } else {
                unparked.append(Int64(outcome.ordinal))
            }
        }
        for park in batch.parks where park.slice >= 0 {
            advance(park.slice) { $0.recorded += 1 }
        }
        for announcement in batch.announcements {
            switch announcement {
            case .slice(let number, let through):
                advance(number) { $0.through = max($0.through, through) }
            case .retry(let ordinals):
                announced.append(contentsOf: ordinals.lazy.map(Int64.init))
            }
        }
        leaveOutEnded()
    }

    /// A parked recipient that is left out on purpose has its outcome in the batch that would
    /// announce it. One statement must not change the same row twice: which change counts is open.
    private mutating func leaveOutEnded() {
        guard !announced.isEmpty, !unparked.isEmpty else { return }
        let ended = Set(unparked)
        announced.removeAll { ended.contains($0) }
    }

    private mutating func count(_ kind: OutcomeKind, _ reason: ReasonCode) {
        let isSame = { (tally: Tally) in tally.kind == kind && tally.reason == reason }
        if lastTally < tallies.count, isSame(tallies[lastTally]) {
            tallies[lastTally].count += 1
        } else if let index = tallies.firstIndex(where: isSame) {
            tallies[index].count += 1
            lastTally = index
        } else {
            lastTally = tallies.count
            tallies.append(Tally(kind: kind, reason: reason, count: 1))
        }
    }

    private mutating func advance(_ slice: Int32, _ change: (inout Progress) -> Void) {
        if lastProgress >= progress.count || progress[lastProgress].slice != slice {
            if let index = progress.firstIndex(where: { $0.slice == slice }) {
                lastProgress = index
            } else {
                lastProgress = progress.count
                progress.append(Progress(slice: slice, recorded: 0, through: 0))
            }
        }
        change(&progress[lastProgress])
    }
}
