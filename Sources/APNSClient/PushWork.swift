/// The loop's work: batches with entries not yet submitted, entries that came back, and batches
/// whose last answers are still out.
///
/// Batches are named by an index that is reused, so that a request in flight needs no reference.
struct PushWork {
    private var batches: [PushBatch?] = []
    private var freeIndexes: [Int] = []
    private var queue: [Int] = []
    private var queueHead = 0
    private var cursor = 0
    private var returned: [(batch: Int, entry: Int)] = []

    /// Whether anything waits to be submitted.
    var hasWaiting: Bool { queueHead < queue.count || !returned.isEmpty }

    /// Whether every entry of every batch has ended.
    var isEmpty: Bool { freeIndexes.count == batches.count }

    mutating func add(_ batch: PushBatch) {
        guard !batch.entries.isEmpty else { return }
        let index: Int
        if let free = freeIndexes.popLast() {
            batches[free] = batch
            index = free
        } else {
            batches.append(batch)
            index = batches.count - 1
        }
        queue.append(index)
    }

    /// The batch of an index given out by ``next()``.
    func batch(_ index: Int) -> PushBatch {
        guard let batch = batches[index] else {
            preconditionFailure("batch \(index) was released while an entry was open")
        }
        return batch
    }

    /// The next entry to submit: those that came back first, then in order.
    mutating func next() -> (batch: Int, entry: Int)? {
        if let back = returned.popLast() { return back }
        guard queueHead < queue.count else { return nil }
        let index = queue[queueHead]
        let entry = cursor
        cursor += 1
        if cursor == batch(index).entries.count { advance() }
        return (index, entry)
    }

    private mutating func advance() {
        cursor = 0
        queueHead += 1
        if queueHead == queue.count {
            queue.removeAll(keepingCapacity: true)
            queueHead = 0
        } else if queueHead >= 64 {
            queue.removeSubrange(..<queueHead)
            queueHead = 0
        }
    }

    /// An entry was not processed and waits again.
    mutating func comeBack(_ batch: Int, _ entry: Int) {
        returned.append((batch, entry))
    }

    /// An entry has ended; with its last entry the batch is released.
    mutating func ended(_ index: Int) {
        let batch = batch(index)
        batch.remaining -= 1
        guard batch.remaining == 0 else { return }
        batches[index] = nil
        freeIndexes.append(index)
    }
}
