internal import LinuxIO

/// The ids of a worker's batches. They rise from one batch to the next, also from phase to phase
/// and whatever the clock does: the database takes one that does not rise for a repetition.
///
/// *Thread*: any.
final class BatchNumbers: Sendable {
    private let last: Monitor<Int64>

    /// - Parameter surroundings: the world around the run.
    init(in surroundings: any RunSurroundings) {
        last = surroundings.monitor(0)
    }

    /// The next id.
    ///
    /// - Parameter nowNanoseconds: the monotonic clock: an id also says when it was made.
    /// - Returns: larger than all before it.
    func next(nowNanoseconds: Int64) -> Int64 {
        last.withLock { last in
            last = max(last + 1, nowNanoseconds)
            return last
        }
    }
}
