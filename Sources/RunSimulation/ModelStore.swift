internal import CampaignModel
internal import CampaignRunner
internal import CampaignStore
internal import PostgreSQL

/// One connection of a process to the ``ModelDatabase``, with everything that can go wrong on the
/// way there and back.
///
/// *Ownership and thread*: of the fiber that opened it.
final class ModelStore {
    private let process: SimulatedProcess
    private let purpose: String
    private var isConnected = false

    init(process: SimulatedProcess, purpose: String) {
        self.process = process
        self.purpose = purpose
    }

    private var world: SimulatedWorld { process.world }
    private var scheduler: Scheduler { process.scheduler }
    var database: ModelDatabase { world.database }

    // MARK: - The way there and back

    /// What a killed process gets.
    private static let cutOff = StoreError.source("the process was killed")

    private static func lost(_ name: String) -> StoreError {
        .database(
            PGError(
                attempted: name, message: "the connection was lost", isConnectionLost: true))
    }

    private var isCut: Bool {
        process.machine.databaseCutUntil > scheduler.now
            || world.databaseAwayUntil > scheduler.now
    }

    func connect() throws(StoreError) {
        if process.isKilled { throw Self.cutOff }
        scheduler.trace("\(purpose): connects")
        scheduler.sleep(world.faults.milliseconds(1...5))
        if process.isKilled { throw Self.cutOff }
        guard isCut else {
            isConnected = true
            return
        }
        // Refused at once, or never answered.
        if world.faults.below(2) == 0 { scheduler.sleep(world.faults.milliseconds(500...5000)) }
        throw Self.lost("connect")
    }

    /// Carries a statement to the server; returns if the server is to carry it out now. `effect` is
    /// the statement, if the server may carry it out later, on its own.
    private func arrive(_ name: String, _ effect: (() -> Void)?) throws(StoreError) {
        if process.isKilled { throw Self.cutOff }
        guard isConnected else { throw Self.lost(name) }
        let isSlow = world.faults.happens(world.rate.slow)
        scheduler.sleep(world.faults.milliseconds(isSlow ? 100...6000 : 0...4))
        if process.isKilled {
            // It was on its way already, or not.
            if world.faults.below(2) == 0, let effect, !isCut {
                scheduler.trace("\(purpose): \(name), sent before the kill")
                effect()
            }
            throw Self.cutOff
        }
        if isCut { try breakDown(name) }
        if world.faults.happens(world.rate.failedBefore) {
            scheduler.trace("\(purpose): \(name) fails before")
            throw .database(
                PGError(attempted: name, sqlState: "40001", message: "serialization failure"))
        }
        if world.faults.happens(world.rate.dropped) { try breakDown(name) }
        if let effect, world.faults.happens(world.rate.late) {
            lateEffect(name, effect)
            try breakDown(name)
        }
    }

    /// The connection ends, at once or after a time without a word.
    private func breakDown(_ name: String) throws(StoreError) {
        scheduler.trace("\(purpose): \(name) breaks down")
        isConnected = false
        if world.faults.below(3) == 0 { scheduler.sleep(world.faults.milliseconds(100...9000)) }
        throw process.isKilled ? Self.cutOff : Self.lost(name)
    }

    /// The server carries the statement out although its client is gone.
    private func lateEffect(_ name: String, _ effect: @escaping () -> Void) {
        let delay = world.faults.milliseconds(1...4000)
        let action = WorldAction { [scheduler, world] in
            scheduler.sleep(delay)
            if world.isOver { return }
            scheduler.trace("\(name), late")
            effect()
        }
        world.spawn("late", action)
    }

    /// Carries the answer back.
    private func answer(_ name: String) throws(StoreError) {
        scheduler.mix(name.utf8.count)
        scheduler.trace("\(purpose): \(name)")
        let isLost = world.faults.happens(world.rate.answerLost)
        scheduler.sleep(world.faults.milliseconds(0...2))
        if process.isKilled { throw Self.cutOff }
        guard isLost || isCut else { return }
        scheduler.trace("\(purpose): the answer to \(name) is lost")
        isConnected = false
        if world.faults.below(3) == 0 { scheduler.sleep(world.faults.milliseconds(100...9000)) }
        throw process.isKilled ? Self.cutOff : Self.lost(name)
    }

    /// A statement that changes something, there and back.
    func write<R>(
        _ name: String, _ body: @escaping () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try arrive(name) { _ = try? body() }
        let result = try body()
        try answer(name)
        return result
    }

    /// A statement that changes nothing, or that the server never carries out on its own because
    /// its COMMIT is a message of its own.
    func ask<R>(_ name: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try arrive(name, nil)
        let result = try body()
        try answer(name)
        return result
    }

    /// The process works as another worker from now on.
    func entered(_ run: Run) {
        if !process.isKilled { process.workerID = run.workerID }
        world.checks.entered(run.workerID, process)
    }
}
