internal import LinuxIO

/// Lets one fiber run at a time and chooses the next one by chance, in a time of its own.
///
/// Time stands still while anybody can run, but for some microseconds a step, and jumps to the next
/// deadline when nobody can. So an hour of waiting costs nothing, and the same seed gives the same
/// order of steps.
///
/// *Ownership and thread*: it belongs to the fiber that runs. The thread that makes it is the first
/// fiber and the last one to go on.
// Sendable: exactly one fiber runs at any moment, and the gates between them order what they do.
final class Scheduler: @unchecked Sendable {
    /// Steps after which a simulation counts as one that never ends.
    static let stepsMax = 4_000_000
    /// The time after which it does, in nanoseconds: two days.
    static let nanosecondsMax: Int64 = 172_800_000_000_000

    /// The time that has passed, in nanoseconds.
    private(set) var now: Int64 = 0
    /// Points at which another fiber could go on, so far.
    private(set) var steps = 0
    /// A digest of all steps so far.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The first fault found; nothing runs any more after it but the first fiber.
    private(set) var fault: String?
    /// Chance of the order of steps.
    private let random: SimulationRandom
    private let first: Fiber
    private var current: Fiber
    private var runnable: [Fiber] = []
    /// Looked up by key only; its order says nothing.
    private var waiting: [ObjectIdentifier: [Fiber]] = [:]
    private var timers = TimerHeap()
    private var fibers = 1
    private var timerNumbers = 0
    private let writeTrace: ((String) -> Void)?

    /// - Parameters:
    ///   - random: decides who goes on.
    ///   - trace: gets a line for each step; nil: none are made.
    init(random: SimulationRandom, trace: ((String) -> Void)?) {
        self.random = random
        writeTrace = trace
        first = Fiber(number: 0, name: "world", group: nil)
        current = first
    }

    // MARK: - What is told

    /// Whether the simulation is over because of a fault.
    var isBroken: Bool { fault != nil }

    /// Ends the simulation: a rule was broken. Only the first fiber goes on.
    func fail(_ text: @autoclosure () -> String) {
        guard fault == nil else { return }
        let text = text()
        fault = text
        trace("FAULT \(text)")
    }

    /// Notes what happens, for the digest and the trace.
    func trace(_ text: @autoclosure () -> String) {
        guard let writeTrace else { return }
        let micro = String(now / 1000 % 1_000_000)
        let second = "\(now / 1_000_000_000)." + String(repeating: "0", count: 6 - micro.count)
        let who = current.group.map { "\($0.name) \(current.name)" } ?? current.name
        writeTrace("\(steps) \(second)\(micro) [\(who)] \(text())")
    }

    /// Mixes a number into the digest.
    func mix(_ number: Int) {
        digest = (digest ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    // MARK: - Fibers

    /// Makes a fiber that can run from now on.
    func spawn(
        name: String, group: FiberGroup?, _ body: sending @escaping () -> Void
    ) throws(SystemError) -> Fiber {
        let fiber = Fiber(number: fibers, name: name, group: group)
        fibers += 1
        let start = FiberStart(fiber: fiber, scheduler: self, body: body)
        fiber.thread = try WorkerThread.start(name: name) { start.run() }
        trace("starts \(name)")
        runnable.append(fiber)
        pass()
        return fiber
    }

    /// Waits until a fiber's body has returned.
    func join(_ fiber: Fiber) {
        while !fiber.isDone, !isBroken {
            _ = wait(for: ObjectIdentifier(fiber), until: nil)
        }
    }

    /// The running fiber's body has returned.
    fileprivate func ended(_ fiber: Fiber) {
        trace("ends")
        fiber.isDone = true
        fiber.thread = nil
        release(ObjectIdentifier(fiber))
        let next = next()
        current = next
        next.open()
    }

    // MARK: - Waiting

    /// Lets others go on before the running fiber, if chance will have it so.
    func pass() {
        runnable.append(current)
        goOn(from: current)
    }

    /// Waits for a signal; false when the deadline passed first.
    func wait(for monitor: ObjectIdentifier, until deadline: Int64?) -> Bool {
        let fiber = current
        fiber.awaited = monitor
        fiber.isSignalled = false
        waiting[monitor, default: []].append(fiber)
        if let deadline { setTimer(deadline, fiber) }
        goOn(from: fiber)
        return fiber.isSignalled
    }

    /// Lets everybody go on who waits for a monitor.
    func signal(_ monitor: ObjectIdentifier) {
        guard release(monitor), random.below(4) == 0 else { return }
        pass()
    }

    /// Waits until a moment.
    func sleep(until moment: Int64) {
        guard moment > now else { return pass() }
        let fiber = current
        setTimer(moment, fiber)
        goOn(from: fiber)
    }

    /// Waits so long.
    func sleep(_ nanoseconds: Int64) { sleep(until: now + nanoseconds) }

    @discardableResult
    private func release(_ monitor: ObjectIdentifier) -> Bool {
        guard let fibers = waiting.removeValue(forKey: monitor) else { return false }
        for fiber in fibers {
            fiber.isSignalled = true
            wake(fiber)
        }
        return true
    }

    private func wake(_ fiber: Fiber) {
        fiber.awaited = nil
        fiber.waitNumber += 1
        runnable.append(fiber)
    }

    private func setTimer(_ moment: Int64, _ fiber: Fiber) {
        timerNumbers += 1
        timers.push(
            TimerHeap.Timer(
                moment: moment, number: timerNumbers, fiber: fiber, waitNumber: fiber.waitNumber))
    }

    // MARK: - Choosing

    private func goOn(from fiber: Fiber) {
        let next = next()
        guard next !== fiber else {
            current = fiber
            return
        }
        current = next
        next.open()
        fiber.pass()
    }

    /// The fiber that runs next; it is taken from those that can.
    private func next() -> Fiber {
        steps += 1
        now += Int64(1000 + random.below(20_000))
        if steps >= Self.stepsMax || now >= Self.nanosecondsMax {
            fail("it does not end: \(steps) steps, \(now / 1_000_000_000) s")
        }
        while !isBroken {
            fireTimers()
            if let fiber = takeRunnable() {
                mix(fiber.number)
                return fiber
            }
            guard let timer = timers.first else {
                fail("everybody waits for ever")
                break
            }
            now = max(now, timer.moment)
        }
        return first
    }

    private func takeRunnable() -> Fiber? {
        while !runnable.isEmpty {
            let fiber = runnable.remove(at: random.below(runnable.count))
            guard let group = fiber.group, group.suspendedUntil > now else { return fiber }
            setTimer(group.suspendedUntil, fiber)
        }
        return nil
    }

    /// Takes a fiber out of those that wait. No empty list stays behind: addresses are used again,
    /// and whether one was used before must not matter.
    private func forget(_ fiber: Fiber, _ monitor: ObjectIdentifier) {
        waiting[monitor]?.removeAll { $0 === fiber }
        if waiting[monitor]?.isEmpty == true { waiting[monitor] = nil }
    }

    private func fireTimers() {
        while let timer = timers.first, timer.moment <= now {
            _ = timers.popFirst()
            let fiber = timer.fiber
            guard timer.waitNumber == fiber.waitNumber, !fiber.isDone else { continue }
            if let monitor = fiber.awaited { forget(fiber, monitor) }
            wake(fiber)
        }
    }
}

/// What a new fiber's thread does: it waits to be chosen, runs its body and lets another go on.
// Sendable: handed to the new thread, which touches it only while its fiber runs.
private final class FiberStart: @unchecked Sendable {
    private let fiber: Fiber
    private let scheduler: Scheduler
    private let body: () -> Void

    init(fiber: Fiber, scheduler: Scheduler, body: @escaping () -> Void) {
        self.fiber = fiber
        self.scheduler = scheduler
        self.body = body
    }

    func run() {
        fiber.pass()
        body()
        scheduler.ended(fiber)
    }
}
