internal import CampaignRunner
internal import CampaignStore

/// What the world does while the run is under way.
extension SimulatedWorld {
    /// Lives through the whole story: trouble first, then the end of it.
    func live() {
        start(.open, on: fate.one(of: machines))
        for _ in 0..<plan.companions {
            scheduler.sleep(fate.milliseconds(100...2000))
            start(.join(runID: 1), on: fate.one(of: machines))
        }
        while scheduler.now < plan.horizon, !scheduler.isBroken {
            scheduler.sleep(Int64(fate.below(Int(plan.pause) * 2)) + 1_000_000)
            if state.isFinal { break }
            act()
        }
        heal()
        bringToItsEnd()
        finish()
    }

    private func act() {
        let actions: [() -> Void] = [
            killOne, suspendOne, signalOne, cutDatabase, cutAPNs, serverAway, brownOut, pauseRun,
            resumeRun, cancelRun, stepClock, register, join, refuseCredentials, reloadOne,
            stepDatabaseClock, freezeMachine,
        ]
        let weights = plan.weights.all
        var ticket = fate.below(max(1, weights.reduce(0, +)))
        for (index, weight) in weights.enumerated() {
            if ticket < weight { return actions[index]() }
            ticket -= weight
        }
    }

    private func duration() -> Int64 {
        switch fate.below(3) {
        case 0: fate.milliseconds(10...3000)
        case 1: fate.milliseconds(1000...60_000)
        // About as long as a lease: the edge of what must be noticed.
        default: fate.milliseconds(plan.leaseSeconds * 300...plan.leaseSeconds * 3000)
        }
    }

    private func one() -> SimulatedProcess? {
        let processes = atWork
        return processes.isEmpty ? nil : fate.one(of: processes)
    }

    private func killOne() { if let process = one() { kill(process) } }

    private func suspendOne() {
        guard let process = one() else { return }
        process.suspendedUntil = scheduler.now + duration()
        scheduler.trace("\(process.name) is held up until \(process.suspendedUntil / 1_000_000) ms")
    }

    private func signalOne() {
        guard let process = one() else { return }
        scheduler.trace("\(process.name) is asked to stop")
        process.run?.requestStop()
    }

    private func reloadOne() {
        guard let process = one() else { return }
        scheduler.trace("\(process.name) is asked to read its credentials again")
        process.run?.requestReload()
    }

    private func stepDatabaseClock() {
        databaseClock.offset += Int64(fate.number(-20_000...20_000)) * 1000
        scheduler.trace("the database's clock is off by \(databaseClock.offset / 1000) ms")
    }

    /// Everything on a machine stands still, its clocks too.
    private func freezeMachine() {
        let machine = fate.one(of: machines)
        let nanoseconds = duration()
        scheduler.trace("\(machine.name) stands still for \(nanoseconds / 1_000_000) ms")
        machine.stand(from: scheduler.now, until: scheduler.now + nanoseconds)
        for process in atWork where process.machine === machine {
            process.suspendedUntil = max(process.suspendedUntil, scheduler.now + nanoseconds)
        }
    }

    private func cutDatabase() {
        let machine = fate.one(of: machines)
        machine.databaseCutUntil = scheduler.now + duration()
        scheduler.trace("\(machine.name) is cut off from the database")
    }

    private func cutAPNs() {
        let machine = fate.one(of: machines)
        machine.apnsCutUntil = scheduler.now + duration()
        if fate.below(2) == 0 { machine.apnsCuts += 1 }
        scheduler.trace("\(machine.name) is cut off from APNs")
    }

    private func serverAway() {
        databaseAwayUntil = scheduler.now + duration()
        scheduler.trace("the database is away")
    }

    private func brownOut() { apns.brownOutUntil = scheduler.now + duration() }

    private func refuseCredentials() { apns.refusesUntil = scheduler.now + duration() }

    private func pauseRun() { ask(.pause) }

    private func cancelRun() { ask(.cancel) }

    private func ask(_ kind: RunWish.Kind) {
        guard database.tables.run != nil else { return }
        scheduler.trace("a person wishes: \(kind)")
        _ = try? database.ask(RunWish(kind: kind, by: "ann", text: "\(kind) by ann"))
    }

    private func resumeRun() {
        guard database.tables.run != nil else { return }
        scheduler.trace("a person resumes")
        _ = try? database.resumeRun()
        if fate.below(2) == 0 { start(.resume, on: fate.one(of: machines)) }
    }

    private func stepClock() {
        let machine = fate.one(of: machines)
        machine.wallOffset = Int64(fate.number(-plan.wallSkewMax...plan.wallSkewMax)) * 1_000_000
    }

    /// An app reports a token again.
    private func register() {
        let device = fate.below(database.tables.devices.count)
        database.tables.devices[device].registeredAt = database.now
        database.tables.devices[device].status = .active
    }

    private func join() {
        let machine = fate.one(of: machines)
        if database.tables.run != nil, atWork.count < plan.workersMax, fate.below(3) > 0 {
            start(.join(runID: 1), on: machine)
        } else if atWork.isEmpty || fate.below(8) == 0 {
            start(.open, on: machine)
        }
    }

    // MARK: - The end

    /// No faults from now on.
    private func heal() {
        guard !scheduler.isBroken else { return }
        scheduler.trace("faults cease")
        isHealed = true
        rate = SimulationPlan.Rates()
        databaseAwayUntil = 0
        apns.brownOutUntil = 0
        apns.refusesUntil = 0
        for machine in machines {
            machine.databaseCutUntil = 0
            machine.apnsCutUntil = 0
            machine.goOn(at: scheduler.now)
        }
        for process in processes where process.suspendedUntil > scheduler.now {
            process.suspendedUntil = scheduler.now
        }
    }

    /// Starts the run again until it has ended. A brake that trips again and again is a rightful
    /// end, too, and so is a run that is cancelled.
    private func bringToItsEnd() {
        var starts = 0
        while !scheduler.isBroken, !(state.isFinal && atWork.isEmpty) {
            if atWork.isEmpty {
                starts += 1
                if starts > Self.startsMax {
                    if plan.isWrongEnvironment { return }
                    let last = processes.last.map { String(describing: $0.end) } ?? "nothing"
                    return scheduler.fail("END: the run does not end: \(state); \(last)")
                }
                recordKept()
                // Leases of workers on other machines run out first.
                scheduler.sleep(Int64(plan.leaseSeconds) * 1_000_000_000)
                start(.resume, on: machines[0])
            }
            scheduler.sleep(1_000_000_000)
        }
    }

    private static let startsMax = 12
}
