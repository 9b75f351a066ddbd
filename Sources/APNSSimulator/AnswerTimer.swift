/// An answer that is not due yet.
struct DelayedAnswer: Sendable, Equatable {
    /// When it is due, in nanoseconds of the monotonic clock.
    let dueNanoseconds: Int64
    /// The connection's place in the worker's table.
    let connection: Int32
    /// The connection's number: an answer for one that has ended is dropped, whoever is in its
    /// place.
    let connectionNumber: Int32
    let slot: Int32
    /// The slot's generation: an answer to a stream that ended meanwhile is dropped.
    let generation: UInt32
}

/// Delayed answers in the order they are due: a binary heap in one array.
///
/// Owned by one worker. Adding and taking cost O(log n) and allocate only while it grows.
struct AnswerTimer: Sendable {
    private var heap: [DelayedAnswer] = []

    /// When the next answer is due; nil: none waits.
    var nextNanoseconds: Int64? { heap.first?.dueNanoseconds }

    /// Adds an answer.
    mutating func add(_ answer: DelayedAnswer) {
        heap.append(answer)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].dueNanoseconds < heap[parent].dueNanoseconds else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next answer that is due.
    ///
    /// - Parameter nowNanoseconds: The present.
    /// - Returns: The earliest answer due by then; nil: none.
    mutating func take(nowNanoseconds: Int64) -> DelayedAnswer? {
        guard let first = heap.first, first.dueNanoseconds <= nowNanoseconds,
            let last = heap.popLast()
        else { return nil }
        if heap.isEmpty { return first }
        heap[0] = last
        sink()
        return first
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count,
                heap[child + 1].dueNanoseconds < heap[child].dueNanoseconds
            {
                child += 1
            }
            guard heap[child].dueNanoseconds < heap[parent].dueNanoseconds else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}

/// Gives out the moments at which a server of limited speed answers, one after the other.
struct AnswerPace: Sendable {
    private let intervalNanoseconds: Double
    private var nextFree: Double = 0

    /// - Parameter answersPerSecond: More than 0.
    init(answersPerSecond: Double) {
        intervalNanoseconds = 1e9 / answersPerSecond
    }

    /// The moment at which a request that arrives now is answered.
    ///
    /// - Parameter nowNanoseconds: The present; never before that of an earlier call.
    /// - Returns: Now, or later if others are before it.
    mutating func turn(nowNanoseconds: Int64) -> Int64 {
        let start = max(Double(nowNanoseconds), nextFree)
        nextFree = start + intervalNanoseconds
        return Int64(start)
    }
}
