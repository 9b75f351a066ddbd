internal import LinuxIO
internal import Synchronization

/// The batches that no loop has begun yet, shared by all loops of a client.
///
/// A loop takes one batch at a time, when it has a stream free and nothing of its own left to
/// submit. So a loop whose connections are slow or gone holds up one batch at most, and none is
/// idle while batches wait. The lock is taken once per batch, not per push.
///
/// *Thread*: any.
final class PushQueue: Sendable {
    private struct State: Sendable {
        /// Oldest first, from `head` on.
        var batches: [PushBatch?] = []
        var head = 0
        var loops: Int
    }

    private let state: Monitor<State>
    /// Looked at each turn without the lock.
    private let count = Atomic<Int>(0)

    /// A queue for so many loops.
    init(loops: Int) {
        state = Monitor(State(loops: loops))
    }

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func put(_ batches: [PushBatch]) {
        state.withLock { state in
            state.batches.append(contentsOf: batches)
            count.store(state.batches.count - state.head, ordering: .releasing)
        }
    }

    /// The oldest batch, or nil if there is none.
    func take() -> PushBatch? {
        guard !isEmpty else { return nil }
        return state.withLock { state in
            guard state.head < state.batches.count else { return nil }
            let batch = state.batches[state.head]
            state.batches[state.head] = nil
            state.head += 1
            if state.head == state.batches.count {
                state.batches.removeAll(keepingCapacity: true)
                state.head = 0
            }
            count.store(state.batches.count - state.head, ordering: .releasing)
            return batch
        }
    }

    /// A loop has ended. The last one gets what nobody has begun.
    func leave() -> [PushBatch] {
        state.withLock { state in
            state.loops -= 1
            guard state.loops == 0 else { return [] }
            let rest = state.batches[state.head...].compactMap { $0 }
            state.batches = []
            state.head = 0
            count.store(0, ordering: .releasing)
            return rest
        }
    }
}
