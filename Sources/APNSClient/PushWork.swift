/// The loop's work: batches with entries not yet submitted, entries that came back, and batches
/// whose last answers are still out.
///
/// Batches are named by an index that is reused, so that a request in flight needs no reference.
///
/// A class, because a struct kept in the loop was copied for each look at it, with a reference
/// counted for each of its arrays.
///
/// *Ownership and thread*: the loop's.
final class PushWork {
    private var batches: [PushBatch?] = []
    private var freeIndexes: [Int] = []
    private var queue: [Int] = []
    private var queueHead = 0
    private var cursor = 0
    /// The number of entries of the batch that the queue begins with.
    private var cursorEnd = 0
    private var returned: [(batch: Int, entry: Int)] = []

    /// Whether anything waits to be submitted.
    var hasWaiting: Bool { queueHead < queue.count || !returned.isEmpty }

    /// Whether every entry of every batch has ended.
    var isEmpty: Bool { freeIndexes.count == batches.count }

    func add(_ batch: PushBatch) {
        guard !batch.items.isEmpty else { return }
        let index: Int
        if let free = freeIndexes.popLast() {
            batches[free] = batch
            index = free
        } else {
            batches.append(batch)
            index = batches.count - 1
        }
        queue.append(index)
        if queueHead == queue.count - 1 { cursorEnd = batch.items.count }
    }

    /// The batch of an index given out by ``next()``.
    func batch(_ index: Int) -> PushBatch {
        guard let batch = batches[index] else {
            preconditionFailure("batch \(index) was released while an entry was open")
        }
        return batch
    }

    /// The next entry to submit: those that came back first, then in order.
    func next() -> (batch: Int, entry: Int)? {
        // The look first spares a check for overlapping accesses at almost every call.
        if !returned.isEmpty, let back = returned.popLast() { return back }
        guard queueHead < queue.count else { return nil }
        let index = queue[queueHead]
        let entry = cursor
        cursor += 1
        if cursor == cursorEnd { advance() }
        return (index, entry)
    }

    private func advance() {
        cursor = 0
        queueHead += 1
        if queueHead == queue.count {
            queue.removeAll(keepingCapacity: true)
            queueHead = 0
        } else if queueHead >= 64 {
            queue.removeSubrange(..<queueHead)
            queueHead = 0
        }
        if queueHead < queue.count { cursorEnd = batch(queue[queueHead]).items.count }
    }

    /// An entry was not processed and waits again.
    func comeBack(_ batch: Int, _ entry: Int) {
        returned.append((batch, entry))
    }

    /// An entry has ended; with its last entry the batch is released.
    func ended(_ index: Int) {
        let batch = batch(index)
        batch.remaining -= 1
        guard batch.remaining == 0 else { return }
        batches[index] = nil
        freeIndexes.append(index)
    }
}
