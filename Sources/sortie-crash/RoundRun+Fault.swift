internal import Glibc
internal import LinuxIO

// What goes wrong, and what is put back.
extension RoundRun {
    /// Does what the round's fault is.
    func strike() throws {
        let accepted = try view.accepted()
        let victims = try chosenVictims()
        faultAt = (MonotonicClock.nanoseconds(), WallClock.microseconds(), accepted)
        result.isHit = !fault.kind.hitsWorkers || !victims.isEmpty
        switch fault.kind {
        case .killWorker, .killLead, .killWorkers: kill(victims)
        case .freezeWorker: freeze(victims)
        case .freezeWriter: try freezeWriting(victims)
        case .killPostgres: stage.database.killServer()
        case .killBackend: result.isHit = try stage.database.killBackend(fault.victim)
        case .stopPostgres: stage.database.stopServer(SIGQUIT)
        case .restartPostgres: stage.database.stopServer(SIGINT)
        case .killSimulator: server.killNow()
        case .cutConnections: break
        case .powerFailure:
            stage.database.killServer()
            kill(victims)
        }
        try putBack(victims)
    }

    /// Starts again what is no worker, and looks at the marks.
    private func putBack(_ victims: [Workers.Worker]) throws {
        switch fault.kind {
        case .killPostgres, .stopPostgres, .restartPostgres, .powerFailure:
            stage.stop.pause(seconds: fault.absenceSeconds)
            try stage.database.start()
            try lookAtMarks(victims)
        case .killSimulator:
            try lookAtMarks(victims)
            stage.stop.pause(seconds: fault.absenceSeconds)
            try server.start()
        case .cutConnections: break
        default: try lookAtMarks(victims)
        }
    }

    private func lookAtMarks(_ victims: [Workers.Worker]) throws {
        guard let run = try view.find() else { return }
        let hit = try view.workers(of: victims.map(\.processID))
        guard try view.isQuiet(hit) else { return }
        beyond = try BeyondMarks.look(run: run, victims: hit, in: stage.database)
    }

    private func chosenVictims() throws -> [Workers.Worker] {
        guard fault.kind.hitsWorkers, !workers.living.isEmpty else { return [] }
        let one = workers.living[fault.victim % workers.living.count]
        switch fault.kind {
        case .killWorkers, .powerFailure: return workers.living
        case .killLead:
            let pid = try view.leadProcessID()
            return workers.living.filter { Int($0.processID) == pid }
        default: return [one]
        }
    }

    private func kill(_ victims: [Workers.Worker]) {
        for victim in victims { workers.signal(victim, SIGKILL) }
    }

    private func freeze(_ victims: [Workers.Worker]) {
        guard let victim = victims.first else { return }
        workers.signal(victim, SIGSTOP)
        // So long that it shows whether the others wait for the locks of this one.
        let leases = fault.kind == .freezeWriter ? 4.0 : 1.0
        let seconds = leases * Double(stage.tuning.leaseSeconds) + 1 + fault.absenceSeconds
        frozen = (victim, MonotonicClock.nanoseconds() + Int64(seconds * 1e9))
    }

    /// Stops a worker again and again until it is caught in a transaction.
    private func freezeWriting(_ victims: [Workers.Worker]) throws {
        guard let victim = victims.first else { return }
        let numbers = try view.workers(of: [victim.processID])
        result.isHit = false
        for _ in 0..<500 where !numbers.isEmpty {
            workers.signal(victim, SIGSTOP)
            if try isStuck(numbers) {
                result.isHit = true
                break
            }
            workers.signal(victim, SIGCONT)
            usleep(1_000)
        }
        if result.isHit { freeze(victims) }
    }

    /// Whether a transaction stays open: one that the server was about to end is not meant.
    private func isStuck(_ workers: Set<Int>) throws -> Bool {
        for _ in 0..<4 {
            if try view.isFree(workers) { return false }
            usleep(10_000)
        }
        return true
    }
}
