// Opening runs, and what a run's worker tells about itself.

internal import APNSProtocol
internal import PostgreSQL

extension Store {
    /// Opens a run for this process: creates it, resumes it, or says why not. Exclusive: of any
    /// number of processes that try at once, one gets it.
    ///
    /// A run is free if nobody holds it, if its holder's lease has run out, or if its holder ran on
    /// this machine and is dead. Taking over raises the lease epoch, so the former holder's next
    /// ``record(_:run:)`` fails with ``StoreError/leaseLost(_:)``.
    ///
    /// - Parameters:
    ///   - new: The run.
    ///   - worker: This process.
    ///   - isAlive: Whether a process of this machine runs, by pid and start in clock ticks.
    /// - Returns: What came of it.
    /// - Throws: Only for database trouble.
    package func openRun(
        _ new: NewRun, worker: WorkerFacts,
        isAlive: (_ pid: Int32, _ startedTicks: UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun {
        try retryingTransaction { () throws(StoreError) in
            let createdID = try createRun(new)
            let (run, holder) = try lockRun(campaign: new.campaign, occurrence: new.occurrence)
            if createdID == nil, let obstacle = try obstacle(run, holder, new, worker, isAlive) {
                return obstacle
            }
            let held = try hold(run, worker)
            return createdID != nil ? .created(held) : .resumed(held)
        }
    }

    /// Creates the run unless it exists; its id if it was created.
    private func createRun(_ new: NewRun) throws(StoreError) -> Int64? {
        let result = try run(
            "run_create",
            [
                .text(new.campaign), .text(new.occurrence), .text(new.app),
                .text(new.environment.rawValue), .text(new.definition),
                .text(new.definitionHash), .text(new.startedBy),
                .optional(new.expiresAfterSeconds), .boolean(new.isProbeOnly),
                .boolean(new.isRehearsal),
            ])
        guard result.rowCount == 1, let id = result.integer(0, 0) else { return nil }
        if let collapseID = new.collapseID(id) {
            try run("run_set_collapse_id", [.integer(id), .text(collapseID)])
        }
        return id
    }

    private func lockRun(
        campaign: String, occurrence: String
    ) throws(StoreError) -> (Run, WorkerDescription?) {
        let result = try run("run_lock", [.text(campaign), .text(occurrence)])
        let run = try RunColumns.run(result, row: 0)
        return (run, RunColumns.holder(result, row: 0))
    }

    /// What speaks against holding an existing run. A new definition is taken over as long as
    /// nothing of the run can have reached anybody; a frozen audience is forgotten then.
    private func obstacle(
        _ run: Run, _ holder: WorkerDescription?, _ new: NewRun, _ worker: WorkerFacts,
        _ isAlive: (Int32, UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun? {
        if run.state.isFinal, !(run.state == .failed && !run.isFrozen) { return .finished(run) }
        if let holder, holder.leaseSecondsLeft > 0 {
            let isDead =
                holder.facts.host == worker.host
                && !isAlive(holder.facts.pid, holder.facts.pidStartedTicks)
            if !isDead { return .held(by: holder) }
        }
        guard run.definitionHash != new.definitionHash else { return nil }
        if run.isFrozen, try !restart(run) { return .definitionChanged(run) }
        try self.run(
            "run_redefine",
            [
                .integer(run.id), .text(new.definition), .text(new.definitionHash),
                .text(new.app), .text(new.environment.rawValue),
                .optional(new.expiresAfterSeconds), .optional(new.collapseID(run.id)),
                .boolean(new.isProbeOnly),
            ])
        return nil
    }

    /// Takes the run back to before its freeze, if nothing of it can have reached anybody. The
    /// former holder is evicted first, so that it adds nothing meanwhile.
    private func restart(_ run: Run) throws(StoreError) -> Bool {
        try self.run("run_evict", [.integer(run.id)])
        return try self.run("run_restart", [.integer(run.id)]).boolean(0, 0) == true
    }

    /// Makes this process the run's worker. Slices that the former one held are open again.
    private func hold(_ run: Run, _ worker: WorkerFacts) throws(StoreError) -> Run {
        try self.run("run_evict", [.integer(run.id)])
        try self.run("slices_reopen", [.integer(run.id)])
        let result = try self.run(
            "run_hold",
            [
                .integer(run.id), .text(worker.host), .integer(Int64(worker.pid)),
                .integer(Int64(clamping: worker.pidStartedTicks)), .text(worker.version),
                .integer(Int64(Self.leaseSeconds)),
            ])
        var held = try findRun(id: run.id) ?? run
        held.workerID = Int32(truncatingIfNeeded: result.integer(0, 0) ?? 0)
        held.leaseEpoch = Int32(truncatingIfNeeded: result.integer(0, 1) ?? 0)
        return held
    }

    /// Reads a run, without holding it.
    ///
    /// - Parameter id: The run's id.
    /// - Returns: The run; nil if there is none.
    /// - Throws: Only for database trouble.
    package func findRun(id: Int64) throws(StoreError) -> Run? {
        let result = try run("run_find", [.integer(id)])
        return result.rowCount == 1 ? try RunColumns.run(result, row: 0) : nil
    }

    /// Reads the newest run, of a campaign if one is named, without holding it.
    ///
    /// - Parameter campaign: The campaign's name; nil for any.
    /// - Returns: The run; nil if there is none.
    /// - Throws: Only for database trouble.
    package func newestRun(campaign: String? = nil) throws(StoreError) -> Run? {
        let result = try run("run_newest", [.optional(campaign)])
        return result.rowCount == 1 ? try RunColumns.run(result, row: 0) : nil
    }

    // MARK: - While it runs

    /// Changes a run's state; the database refuses changes that are not allowed and writes an
    /// event for those that are.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - state: The new state; the present one is fine.
    ///   - reason: Why, for people; kept as the run's stop reason when it pauses, fails, ends.
    /// - Throws: ``StoreError/stateChangeRefused(_:)``; ``StoreError/leaseLost(_:)`` if another
    ///   worker holds the run.
    package func setState(
        run: Run, to state: RunState, reason: String? = nil
    ) throws(StoreError) {
        let result = try self.run(
            "run_set_state",
            [
                .integer(run.id), .text(state.rawValue), .optional(reason),
                .integer(Int64(run.leaseEpoch)),
            ])
        if result.affectedRows == 0 { throw Self.leaseLost(run) }
        if state.isFinal { try self.run("run_settle", [.integer(run.id)]) }
    }

    /// Writes a line of the run's journal.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - kind: One word: "goaway", "brake".
    ///   - text: A sentence for the operator; no token, no payload.
    ///   - detail: A JSON object with figures; nil for none.
    /// - Throws: Only for database trouble.
    package func addEvent(
        run: Run, kind: String, text: String, detail: String? = nil
    ) throws(StoreError) {
        try self.run(
            "run_event_add",
            [
                .integer(run.id), .text(kind), .text(text), .optional(detail),
                run.workerID == 0 ? .null : .integer(Int64(run.workerID)),
            ])
    }

    /// Renews this worker's lease; ``record(_:run:)`` does so by itself.
    ///
    /// - Parameter run: The run held.
    /// - Throws: ``StoreError/leaseLost(_:)`` if another worker has taken over.
    package func heartbeat(run: Run) throws(StoreError) {
        let result = try self.run(
            "worker_heartbeat",
            [.integer(Int64(run.workerID)), .integer(Int64(Self.leaseSeconds))])
        if result.affectedRows == 0 { throw Self.leaseLost(run) }
    }

    /// Gives the run up at a clean stop: its open slices and the run itself are free at once.
    ///
    /// - Parameters:
    ///   - run: The run held; nothing happens if another worker has it by now.
    ///   - reason: Why the worker ends, for people.
    /// - Throws: Only for database trouble.
    package func releaseRun(run: Run, reason: String = "stopped") throws(StoreError) {
        try retryingTransaction { () throws(StoreError) in
            let ended = try self.run(
                "worker_end", [.integer(Int64(run.workerID)), .text(reason)])
            guard ended.affectedRows == 1 else { return }
            try self.run("slice_release", [.integer(run.id), .integer(Int64(run.workerID))])
            try self.run("run_release", [.integer(run.id), .integer(Int64(run.workerID))])
        }
    }

    static func leaseLost(_ run: Run) -> StoreError {
        .leaseLost(
            "run \(run.id) is no longer held by this process; another worker has taken it over "
                + "or it was released")
    }
}
