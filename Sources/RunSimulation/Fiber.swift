internal import LinuxIO

/// What fibers have in common that stop and go on together: those of one process.
class FiberGroup {
    /// Shown in traces.
    let name: String
    /// None of its fibers runs before this moment: the process is held up, as by SIGSTOP or by a
    /// machine that swaps.
    var suspendedUntil: Int64 = 0

    init(name: String) {
        self.name = name
    }
}

/// A thread of the simulated world: a real one, of which the ``Scheduler`` lets one run at a time.
///
/// *Ownership and thread*: everything but the gate belongs to whoever runs at the moment.
final class Fiber {
    /// In the order of creation.
    let number: Int
    /// Shown in traces.
    let name: String
    /// The process it belongs to; nil for the world's own.
    let group: FiberGroup?

    /// Opened to let this fiber run.
    let gate = Monitor(false)
    /// What it waits for; nil if it could run.
    var awaited: ObjectIdentifier?
    /// Whether its last wait ended by a signal.
    var isSignalled = false
    /// Rises with every wait that ends, so that timers of former waits are known as such.
    var waitNumber = 0
    /// Its body has returned.
    var isDone = false
    /// Kept so that the thread is not detached before it has ended.
    var thread: WorkerThread?

    init(number: Int, name: String, group: FiberGroup?) {
        self.number = number
        self.name = name
        self.group = group
    }

    /// Lets it run; the caller stops at once.
    func open() {
        gate.withLock { $0 = true }
        gate.signal()
    }

    /// Waits to be let run.
    func pass() {
        _ = gate.take(untilNanoseconds: nil) { isOpen -> Bool? in
            guard isOpen else { return nil }
            isOpen = false
            return true
        }
    }
}

/// Moments at which something happens, the earliest first; of the same moment, in the order of
/// their numbers.
struct TimerHeap {
    struct Timer {
        let moment: Int64
        let number: Int
        let fiber: Fiber
        let waitNumber: Int

        fileprivate func isBefore(_ other: Timer) -> Bool {
            (moment, number) < (other.moment, other.number)
        }
    }

    private var timers: [Timer] = []

    /// The earliest; nil if there is none.
    var first: Timer? { timers.first }

    mutating func push(_ timer: Timer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].isBefore(timers[parent]) else { return }
            timers.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> Timer? {
        guard let first = timers.first else { return nil }
        let last = timers.removeLast()
        guard !timers.isEmpty else { return first }
        timers[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < timers.count && timers[child].isBefore(timers[least]) {
                least = child
            }
            guard least != parent else { return first }
            timers.swapAt(parent, least)
            parent = least
        }
    }
}
