internal import APNSClient
internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// A process that works on the run: the surroundings of production code in the simulated world.
///
/// When it is killed it is cut off: nothing that it does from then on has any effect, and its
/// fibers run out.
///
/// *Ownership and thread*: the running fiber's.
// Sendable: one fiber runs at a time, and the scheduler's gates order what they do.
final class SimulatedProcess: FiberGroup, RunSurroundings, WaitPlace, @unchecked Sendable {
    let world: SimulatedWorld
    let machine: SimulatedMachine
    /// Ids are used again soon.
    let processID: Int32
    /// No two processes have the same.
    let startTicks: UInt64
    /// It was killed.
    private(set) var isKilled = false
    /// What it does.
    var run: CampaignRun?
    /// How that ended; nil while it is under way.
    var end: RunEnd?
    /// The worker that it is now; 0 before it has entered.
    var workerID: Int32 = 0
    /// The process's share of `max_rate`, over all its clients.
    var share = ShareBucket()
    private let random: SimulationRandom

    init(world: SimulatedWorld, machine: SimulatedMachine, number: Int) {
        self.world = world
        self.machine = machine
        processID = Int32(100 + number % 5)
        startTicks = UInt64(number)
        random = world.chance.split()
        super.init(name: "\(machine.name)/\(number)")
    }

    var scheduler: Scheduler { world.scheduler }

    /// SIGKILL.
    func kill() {
        isKilled = true
        suspendedUntil = 0
    }

    // MARK: - WaitPlace

    func wait(for monitor: ObjectIdentifier, untilNanoseconds deadline: Int64?) -> Bool {
        scheduler.wait(for: monitor, until: deadline.map { moment(ofMonotonic: $0) })
    }

    func signal(_ monitor: ObjectIdentifier) { scheduler.signal(monitor) }

    private func moment(ofMonotonic clock: Int64) -> Int64 {
        // A deadline of "never" must not overflow.
        clock > 1 << 60 ? 1 << 60 : machine.moment(ofMonotonic: clock)
    }

    // MARK: - RunSurroundings

    var waitPlace: (any WaitPlace)? { self }

    func monotonicNanoseconds() -> Int64 { machine.monotonic(at: scheduler.now) }

    func wallMicroseconds() -> Int64 { machine.wall(at: scheduler.now) }

    func startThread(
        name: String, _ body: sending @escaping () -> Void
    ) throws(SystemError) -> any RunThread {
        FiberThread(
            fiber: try scheduler.spawn(name: name, group: self, body), scheduler: scheduler)
    }

    func openStore(
        conninfo: String, purpose: String
    ) throws(StoreError) -> sending any RunStore {
        let store = ModelStore(process: self, purpose: purpose)
        try store.reconnect()
        return store
    }

    func startClient(
        configuration: PushClientConfiguration, delegates: sending [any PushLoopDelegate]
    ) throws(SystemError) -> any RunClient {
        precondition(delegates.count == 1, "the simulation has one loop in a process")
        return try ModelClient.start(configuration, delegate: delegates[0], in: self)
    }

    func keep(unrecorded: [RecordBatch], of run: Run) throws(SystemError) -> String {
        if !isKilled { world.keep(unrecorded, run) }
        return "the recovery file"
    }

    func workerFacts(version: String) -> WorkerFacts {
        WorkerFacts(
            host: machine.name, pid: processID, pidStartedTicks: startTicks,
            pidSpace: machine.name, version: version)
    }

    func isAlive(processID: Int32, startedAtTicks: UInt64) -> Bool {
        world.processes.contains {
            $0.processID == processID && $0.startTicks == startedAtTicks
                && $0.machine === machine && !$0.isKilled && $0.end == nil
        }
    }

    var bootID: String { machine.name }

    func randomBits() -> UInt64 { random.next() }
}

/// A fiber as the run's code sees it.
struct FiberThread: RunThread, @unchecked Sendable {
    // Sendable: touched by the running fiber only.
    let fiber: Fiber
    let scheduler: Scheduler

    func join() { scheduler.join(fiber) }
}
