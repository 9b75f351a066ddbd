internal import CampaignStore

/// The promises, looked at whenever a request begins and whenever a transaction is committed.
///
/// *Ownership and thread*: the running fiber's.
final class Checks {
    /// A request as APNs sees it.
    struct Request {
        let process: SimulatedProcess
        let workerID: Int32
        let phase: RunPhase
        let ordinal: Int32
    }

    /// What happened, for the table.
    struct Counts {
        var requests = 0
        var accepted = 0
        var evictions = 0
        var doubts = 0
        var late = 0
        var pauses = 0
        var batches = 0
    }

    unowned let world: SimulatedWorld
    private(set) var counts = Counts()
    /// By phase and ordinal: when the last request began that was accepted.
    private var acceptedAt: [[Int64?]] = [[], []]
    /// By ordinal, of the main send: when a doubt was recorded last.
    private var doubtAt: [Int64?] = []
    /// By device: whether the preflight pruned it.
    private var isPruned: [Bool] = []
    /// By device: what APNs said of its token.
    private var told: [(isGone: Bool, isBad: Bool)] = []
    /// When somebody asked for a stop that is not done yet.
    private var wishAt: Int64?
    /// A brake was tripped, and what the run has pruned was not taken back since.
    private var needsUndo = false
    private var begun: [Int64] = []
    private var firstOfSecond = 0
    private var highestPhase = 0

    init(world: SimulatedWorld) {
        self.world = world
    }

    private var tables: ModelTables { world.database.tables }
    private var now: Int64 { world.scheduler.now }

    private func fail(_ rule: String, _ text: @autoclosure () -> String) {
        world.scheduler.fail("\(rule): \(text())")
    }

    private func sizeLists() {
        let recipients = tables.recipients.count
        let devices = tables.devices.count
        if acceptedAt[1].count != recipients {
            acceptedAt = [
                Array(repeating: nil, count: recipients), Array(repeating: nil, count: recipients),
            ]
            doubtAt = Array(repeating: nil, count: recipients)
        }
        if isPruned.count != devices {
            isPruned = Array(repeating: false, count: devices)
            told = Array(repeating: (false, false), count: devices)
        }
    }

    /// A process has become a worker.
    func entered(_ workerID: Int32, _ process: SimulatedProcess) {
        world.scheduler.trace("\(process.name) is worker \(workerID)")
    }

    // MARK: - Requests

    /// A request begins.
    func begins(_ request: Request) {
        sizeLists()
        counts.requests += 1
        world.scheduler.mix(Int(request.ordinal))
        world.scheduler.trace("\(request.phase) \(request.ordinal) on the wire")
        checkAnnounced(request)
        checkWish(request)
        checkOnce(request)
        checkRate()
        let device = tables.recipients[Int(request.ordinal) - 1].device
        // An app that reports the token again takes the pruning back.
        if request.phase == .send, isPruned[device], tables.devices[device].status != .active {
            fail("PRUNED", "recipient \(request.ordinal) was pruned and is sent to")
        }
    }

    private func checkAnnounced(_ request: Request) {
        let (worker, ordinal) = (request.workerID, request.ordinal)
        guard let row = tables.worker(worker), row.endedAt == nil else {
            if world.plan.clocksLie { return }
            return fail("LATE", "worker \(worker) begins a request for \(ordinal) after its end")
        }
        let place = ModelTables.index(request.phase)
        if let park = tables.parks[place][Int(ordinal) - 1] {
            if park.isAnnounced, park.workerID == worker { return }
        } else if tables.outcomes[place][Int(ordinal) - 1] == nil {
            let isAnnounced = tables.slices[place].contains {
                $0.workerID == worker && $0.state == .leased
                    && $0.first <= ordinal && ordinal <= $0.sendingThrough
            }
            if isAnnounced { return }
        }
        fail(
            "ANNOUNCED",
            "worker \(worker) sends to \(ordinal), which it has not announced: "
                + "\(standing(ordinal, request.phase))")
    }

    /// What the tables say of a recipient.
    private func standing(_ ordinal: Int32, _ phase: RunPhase) -> String {
        if let outcome = tables.outcome(phase, ordinal) { return "\(outcome)" }
        if let park = tables.park(phase, ordinal) { return "\(park)" }
        let slice = tables.slices[ModelTables.index(phase)].first {
            $0.first <= ordinal && ordinal <= $0.last
        }
        return slice.map { "\($0)" } ?? "it takes no part"
    }

    /// A wish is heard with the next heartbeat, or what is not renewed runs out.
    private func checkWish(_ request: Request) {
        guard let wishAt, !world.plan.clocksLie else { return }
        let bound = Int64(world.plan.leaseSeconds) * 600_000_000 + 2_000_000_000
        if now - wishAt > bound {
            let milliseconds = (now - wishAt) / 1_000_000
            fail("WISH", "a request begins \(milliseconds) ms after the wish to stop")
        }
    }

    private func checkOnce(_ request: Request) {
        let index = Int(request.ordinal) - 1
        guard let accepted = acceptedAt[ModelTables.index(request.phase)][index] else { return }
        let isResend = request.phase == .send && tables.run?.new.unconfirmed == .resend
        if isResend, let doubt = doubtAt[index], doubt >= accepted || world.plan.clocksLie {
            return
        }
        fail("ONCE", "recipient \(request.ordinal) (\(request.phase)) is sent to once more")
    }

    private func checkRate() {
        guard let rate = world.plan.maxRate, !world.plan.clocksLie else { return }
        begun.append(now)
        while begun[firstOfSecond] <= now - 1_000_000_000 { firstOfSecond += 1 }
        let count = begun.count - firstOfSecond
        if count > rate { fail("RATE", "\(count) requests in a second, and \(rate) are allowed") }
    }

    /// APNs has taken it, or will have.
    func accepted(_ request: Request) {
        counts.accepted += 1
        acceptedAt[ModelTables.index(request.phase)][Int(request.ordinal) - 1] = now
    }

    /// APNs refuses it.
    func refused(_ request: Request, _ status: UInt16, _ reason: String, _ timestamp: Int64) {
        let device = tables.recipients[Int(request.ordinal) - 1].device
        if status == 410 { told[device].isGone = true }
        if status == 400 { told[device].isBad = true }
    }

    // MARK: - Commits

    /// A transaction was committed.
    func committed(_ change: ModelDatabase.Change) {
        sizeLists()
        switch change {
        case .batch(let batch, let worker):
            counts.batches += 1
            check(batch, worker)
            if needsUndo, !batch.announcements.isEmpty, tables.run?.wish == nil { checkUndone() }
        case .late(let batch, let worker):
            counts.late += 1
            check(batch, worker)
        case .eviction(let worker, let doubt): checkEviction(worker, doubt)
        case .leave(let worker, let doubt):
            note(doubt)
            if !doubt.isEmpty, !world.hasKept(of: worker) {
                fail("LEAVE", "worker \(worker) leaves \(doubt.count) recipients in doubt")
            }
        case .wish(let wish):
            if tables.run?.wish != nil { wishAt = wishAt ?? now }
            if wish.kind == .brake, wish.by.hasPrefix("brake") { needsUndo = true }
            world.scheduler.trace("wish: \(wish.kind)")
        case .state(let state, let before):
            if state == .paused, before != .paused { counts.pauses += 1 }
            world.scheduler.trace("state: \(before) -> \(state)")
        case .devices(let devices, let phase): checkDevices(devices, phase)
        case .undone: needsUndo = false
        case .other: break
        }
        if tables.run?.wish == nil { wishAt = nil }
        checkTables()
    }

    private func check(_ batch: RecordBatch, _ worker: Int32) {
        let place = ModelTables.index(batch.phase)
        let isResend = batch.phase == .send && tables.run?.new.unconfirmed == .resend
        for outcome in batch.outcomes {
            let wasAccepted = acceptedAt[place][Int(outcome.ordinal) - 1] != nil
            if outcome.kind == .accepted, !wasAccepted {
                fail("HONEST", "\(outcome.ordinal) is recorded as accepted, and was not")
            }
            if outcome.kind == .rejected || outcome.kind == .skipped, wasAccepted, !isResend {
                fail("HONEST", "\(outcome.ordinal) is \(outcome.kind), and was accepted")
            }
        }
        guard batch.phase == .send else { return }
        for park in batch.parks where park.cause == .unconfirmed {
            doubtAt[Int(park.ordinal) - 1] = now
        }
    }

    /// The run goes on after a brake.
    private func checkUndone() {
        for (index, device) in tables.devices.enumerated() where device.status != .active {
            return fail("HARM", "device \(index + 1) is \(device.status) after a brake")
        }
    }

    /// These were recorded as in doubt.
    private func note(_ doubt: [ModelDatabase.Doubt]) {
        counts.doubts += doubt.count
        guard tables.run?.new.unconfirmed == .resend else { return }
        for one in doubt where one.phase == .send { doubtAt[Int(one.ordinal) - 1] = now }
    }

    private func checkEviction(_ worker: Int32, _ doubt: [ModelDatabase.Doubt]) {
        counts.evictions += 1
        world.scheduler.trace("worker \(worker) evicted, \(doubt.count) in doubt")
        note(doubt)
        let bound = world.plan.doubtMax
        if doubt.count > bound { fail("DOUBT", "\(doubt.count) in doubt, at most \(bound) may be") }
    }

    private func checkDevices(_ devices: [Int], _ phase: RunPhase) {
        for device in devices {
            let status = tables.devices[device].status
            let isTold = status == .unregistered ? told[device].isGone : told[device].isBad
            if !isTold {
                fail("HARM", "device \(device + 1) is \(status), and APNs did not say so")
            }
            if status == .invalid, world.plan.isWrongEnvironment {
                fail("HARM", "device \(device + 1) is invalid in the wrong environment")
            }
            if phase == .probe { isPruned[device] = true }
        }
    }
}
