internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO

/// The machines, the database, APNs, the people, and what goes wrong.
///
/// *Ownership and thread*: the running fiber's.
// Sendable: one fiber runs at a time.
final class SimulatedWorld: @unchecked Sendable {
    let plan: SimulationPlan
    let scheduler: Scheduler
    let database: ModelDatabase
    /// For processes, in the order in which they come.
    let chance: SimulationRandom
    /// For what goes wrong at calls and requests.
    let faults: SimulationRandom
    /// For what the world does.
    let fate: SimulationRandom
    private(set) var machines: [SimulatedMachine] = []
    private(set) var processes: [SimulatedProcess] = []
    /// How often things go wrong now.
    var rate: SimulationPlan.Rates
    /// How far the server's clock is off.
    let databaseClock = ClockOffset()
    /// The server is away before this moment.
    var databaseAwayUntil: Int64 = 0
    /// Faults have ceased.
    var isHealed = false
    /// Nothing happens any more.
    private(set) var isOver = false
    private(set) var kills = 0
    /// Batches that workers could not record, with their runs.
    private var kept: [(batch: RecordBatch, run: Run)] = []
    private var others: [Fiber] = []

    private(set) lazy var apns = ModelAPNs(world: self, tokens: drawTokens())
    private(set) lazy var checks = Checks(world: self)

    init(_ plan: SimulationPlan, fault: ModelFault?, trace: ((String) -> Void)?) {
        self.plan = plan
        let random = SimulationRandom(seed: plan.seed ^ 0x5117_0C1E)
        let scheduler = Scheduler(random: random.split(), trace: trace)
        let clock = databaseClock
        self.scheduler = scheduler
        chance = random.split()
        faults = random.split()
        fate = random.split()
        rate = plan.rates
        database = ModelDatabase(sliceSize: plan.sliceSize, fault: fault) {
            SimulatedMachine.epoch + scheduler.now / 1000 + clock.offset
        }
        database.didCommit = { [unowned self] change in checks.committed(change) }
        for number in 0..<plan.machines { machines.append(machine(number)) }
        database.tables.devices = (1...plan.devices).map(device)
    }

    private func machine(_ number: Int) -> SimulatedMachine {
        let drift = Int64(fate.number(-plan.clockDriftMax...plan.clockDriftMax))
        return SimulatedMachine(
            name: "machine\(number + 1)", drift: drift,
            monotonicOffset: Int64(fate.number(1...1_000_000)) * 1_000_000,
            wallOffset: Int64(fate.number(-plan.wallSkewMax...plan.wallSkewMax)) * 1_000_000)
    }

    private func device(_ number: Int) -> ModelTables.DeviceRow {
        let digits = String(number, radix: 16)
        let days = Int64(fate.number(1...30))
        return ModelTables.DeviceRow(
            token: String(repeating: "0", count: 64 - digits.count) + digits,
            registeredAt: SimulatedMachine.epoch - days * 86_400_000_000)
    }

    private func drawTokens() -> [ModelAPNs.Token] {
        database.tables.devices.map { device in
            if plan.isWrongEnvironment { return .bad }
            let percent = fate.below(100)
            if percent < plan.gonePercent {
                // Some were registered again since.
                let hours = Int64(fate.number(-48...48)) * 3_600_000_000
                return .gone(device.registeredAt + hours)
            }
            return percent < plan.gonePercent + plan.badPercent ? .bad : .good
        }
    }

    // MARK: - Processes

    var state: RunState { database.tables.run?.state ?? .planned }

    var atWork: [SimulatedProcess] { processes.filter { !$0.isKilled && $0.end == nil } }

    /// Starts a process that works on the run.
    func start(_ entry: RunEntry, on machine: SimulatedMachine) {
        let process = SimulatedProcess(world: self, machine: machine, number: processes.count)
        processes.append(process)
        guard let request = plan.request(entry, in: process) else {
            return scheduler.fail("OpenSSL gives no key")
        }
        let run = CampaignRun(request)
        process.run = run
        scheduler.trace("\(process.name) starts: \(entry)")
        let action = WorldAction {
            process.end = run.execute(observer: SilentObserver())
            process.scheduler.trace("ended: \(String(describing: process.end))")
        }
        spawn("main", action, process)
    }

    /// SIGKILL.
    func kill(_ process: SimulatedProcess) {
        scheduler.trace("kills \(process.name)")
        process.kill()
        kills += 1
    }

    func spawn(_ name: String, _ action: WorldAction, _ process: SimulatedProcess? = nil) {
        do {
            others.append(try scheduler.spawn(name: name, group: process) { action.body() })
        } catch {
            scheduler.fail("no thread: \(error)")
        }
    }

    // MARK: - Recovery files

    func keep(_ batches: [RecordBatch], _ run: Run) {
        scheduler.trace("keeps \(batches.count) batches of worker \(run.workerID)")
        kept += batches.map { ($0, run) }
    }

    /// Whether a worker has kept what it could not record.
    func hasKept(of workerID: Int32) -> Bool { kept.contains { $0.run.workerID == workerID } }

    /// A person has the recovery files recorded.
    func recordKept() {
        for (batch, run) in kept {
            if tableHolds(run) { _ = try? database.record(batch, run: run) }
            _ = try? database.recordLate(batch, run: run)
        }
        kept = []
    }

    private func tableHolds(_ run: Run) -> Bool {
        database.tables.worker(run.workerID)?.endedAt == nil
    }

    /// Ends the simulation when every fiber has returned.
    func finish() {
        isOver = true
        for fiber in others { scheduler.join(fiber) }
    }
}

/// How far a clock is off, in microseconds.
final class ClockOffset {
    var offset: Int64 = 0
}

/// Something that a fiber does.
struct WorldAction: @unchecked Sendable {
    // Sendable: run once, by one fiber, while no other runs.
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}

/// Nobody watches.
private final class SilentObserver: RunObserver {
    func runDid(_ event: RunEvent) {}
}
