// Opening runs, joining them, and looking at them.

internal import APNSProtocol
internal import PostgreSQL

extension Store {
    /// Opens a run for this process: creates it, takes it up again, or says why not. Exclusive: of
    /// any number of processes that try at once, one gets it, and it leads.
    ///
    /// A run is free if none of its workers has a lease, or those that have one ran on this machine
    /// and are dead. They are evicted first, see ``evict(worker:reason:)``.
    ///
    /// - Parameters:
    ///   - new: The run.
    ///   - worker: This process.
    ///   - leaseSeconds: How long this worker holds what it leases without a sign of life.
    ///   - resumesRequested: Whether a pause that a person asked for is no obstacle.
    ///   - isAlive: Whether a process of this machine runs, by pid and start in clock ticks.
    /// - Returns: What came of it.
    /// - Throws: Only for database trouble.
    package func openRun(
        _ new: NewRun, worker: WorkerFacts, leaseSeconds: Int = Store.leaseSeconds,
        resumesRequested: Bool = false,
        isAlive: (_ pid: Int32, _ startedTicks: UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun {
        try retryingTransaction { () throws(StoreError) in
            let isNew = try createRun(new)
            var run = try lockRun(campaign: new.campaign, occurrence: new.occurrence)
            if isNew { return .created(try enter(run, worker, leaseSeconds)) }
            if run.state.isFinal, !(run.state == .failed && !run.isFrozen) { return .finished(run) }
            if run.recordProtocol != Self.recordProtocol, run.isFrozen {
                return .otherProtocol(run)
            }
            var doubt = 0
            for peer in try peers(run: run) {
                if try isLive(peer, seenFrom: worker, isAlive) { return .held(by: peer) }
                doubt += try evict(worker: peer.id, reason: "its process is gone", force: true) ?? 0
            }
            // What the last one was asked for has been done with its eviction.
            run = try findRun(id: run.id) ?? run
            if run.state.isFinal, !(run.state == .failed && !run.isFrozen) { return .finished(run) }
            if run.pauseCause == .request || run.wish?.kind == .pause, !resumesRequested {
                return .pausedByRequest(run)
            }
            if run.definitionHash != new.definitionHash, try !redefine(run, new) {
                return .definitionChanged(run)
            }
            if run.state == .failed {
                try setState(run: run, to: .freezing)
            } else {
                try self.run("run_resume", [.integer(run.id), .text(new.startedBy)])
            }
            return .resumed(try enter(run, worker, leaseSeconds), doubt: doubt)
        }
    }

    /// Joins a run that is under way, whoever else works on it.
    ///
    /// - Parameters:
    ///   - id: The run's id.
    ///   - worker: This process.
    ///   - leaseSeconds: How long this worker holds what it leases without a sign of life.
    /// - Returns: What came of it.
    /// - Throws: Only for database trouble.
    package func joinRun(
        id: Int64, worker: WorkerFacts, leaseSeconds: Int = Store.leaseSeconds
    ) throws(StoreError) -> JoinedRun {
        try retryingTransaction { () throws(StoreError) in
            try self.run("run_lock_id", [.integer(id)])
            guard let run = try findRun(id: id) else { return .missing }
            if run.state.isClosed || run.wish != nil { return .closed(run) }
            if run.recordProtocol != Self.recordProtocol { return .otherProtocol(run) }
            return .joined(try enter(run, worker, leaseSeconds))
        }
    }

    /// Creates the run unless it exists. Returns whether it did.
    private func createRun(_ new: NewRun) throws(StoreError) -> Bool {
        let result = try run(
            "run_create",
            [
                .text(new.campaign), .text(new.occurrence), .text(new.app),
                .text(new.environment.rawValue), .text(new.definition),
                .text(new.definitionHash), .text(new.startedBy),
                .optional(new.expiresAfterSeconds), .boolean(new.isProbeOnly),
                .boolean(new.isRehearsal), .integer(Int64(Self.recordProtocol)),
                .text(new.unconfirmed.word), .optional(new.maxRatePerSecond.map { String($0) }),
                .optional(new.startsAtMicroseconds),
            ])
        guard result.rowCount == 1, let id = result.integer(0, 0) else { return false }
        if let collapseID = new.collapseID(id) {
            try run("run_set_collapse_id", [.integer(id), .text(collapseID)])
        }
        return true
    }

    private func lockRun(campaign: String, occurrence: String) throws(StoreError) -> Run {
        let result = try run("run_lock", [.text(campaign), .text(occurrence)])
        return try RunColumns.run(result, row: 0)
    }

    private func isLive(
        _ peer: WorkerDescription, seenFrom worker: WorkerFacts,
        _ isAlive: (Int32, UInt64) -> Bool
    ) throws(StoreError) -> Bool {
        guard peer.leaseSecondsLeft > 0 else { return false }
        return !peer.facts.isNeighbour(of: worker)
            || isAlive(peer.facts.pid, peer.facts.pidStartedTicks)
    }

    /// Takes a new definition over, as long as nothing of the run can have reached anybody; a
    /// frozen audience is forgotten then. Returns whether it could.
    private func redefine(_ run: Run, _ new: NewRun) throws(StoreError) -> Bool {
        if run.isFrozen {
            let restarted = try self.run("run_restart", [.integer(run.id)])
            guard restarted.boolean(0, 0) == true else { return false }
        }
        try self.run(
            "run_redefine",
            [
                .integer(run.id), .text(new.definition), .text(new.definitionHash),
                .text(new.app), .text(new.environment.rawValue),
                .optional(new.expiresAfterSeconds), .optional(new.collapseID(run.id)),
                .boolean(new.isProbeOnly), .text(new.unconfirmed.word),
                .optional(new.maxRatePerSecond.map { String($0) }),
                .optional(new.startsAtMicroseconds), .integer(Int64(Self.recordProtocol)),
            ])
        return true
    }

    /// Makes this process a worker of a run that is locked; it leads if nobody else does.
    private func enter(
        _ run: Run, _ worker: WorkerFacts, _ leaseSeconds: Int
    ) throws(StoreError) -> Run {
        let added = try self.run(
            "worker_add",
            [
                .integer(run.id), .text(worker.host), .integer(Int64(worker.pid)),
                .integer(Int64(clamping: worker.pidStartedTicks)), .text(worker.version),
                .integer(Int64(leaseSeconds)), .text(worker.pidSpace),
                .integer(Int64(Self.recordProtocol)),
            ])
        var entered = try findRun(id: run.id) ?? run
        entered.workerID = Int32(truncatingIfNeeded: added.integer(0, 0) ?? 0)
        entered.leaseSeconds = leaseSeconds
        _ = try takeLead(of: &entered)
        return entered
    }

    /// Makes this worker the lead, if no other live worker is.
    ///
    /// - Parameter run: The run worked on; told its epoch and whether it leads.
    /// - Returns: Whether this worker leads now.
    /// - Throws: Only for database trouble.
    package func takeLead(of run: inout Run) throws(StoreError) -> Bool {
        let epoch = try self.run("worker_lead", [.integer(Int64(run.workerID))]).integer(0, 0)
        run.isLead = epoch != nil
        if let epoch { run.leaseEpoch = Int32(truncatingIfNeeded: epoch) }
        return run.isLead
    }

    // MARK: - Looking

    /// Reads a run, without working on it.
    ///
    /// - Parameter id: The run's id.
    /// - Returns: The run; nil if there is none.
    /// - Throws: Only for database trouble.
    package func findRun(id: Int64) throws(StoreError) -> Run? {
        let result = try run("run_find", [.integer(id)])
        return result.rowCount == 1 ? try RunColumns.run(result, row: 0) : nil
    }

    /// Reads a run that this process works on once more, and who leads it.
    ///
    /// - Parameter run: The run worked on.
    /// - Returns: The run as it is now, with this worker's facts, and its lead if it has one.
    /// - Throws: ``StoreError/schemaMismatch(_:)`` if it is gone; database trouble.
    package func look(at run: Run) throws(StoreError) -> (run: Run, lead: WorkerDescription?) {
        let result = try self.run("run_find", [.integer(run.id)])
        var now = try RunColumns.run(result, row: 0)
        let lead = RunColumns.lead(result, row: 0)
        now.workerID = run.workerID
        now.leaseSeconds = run.leaseSeconds
        now.leaseEpoch = run.leaseEpoch
        now.isLead = run.workerID != 0 && lead?.id == run.workerID
        return (now, lead)
    }

    /// Reads the newest run, of a campaign if one is named, without working on it.
    ///
    /// - Parameter campaign: The campaign's name; nil for any.
    /// - Returns: The run; nil if there is none.
    /// - Throws: Only for database trouble.
    package func newestRun(campaign: String? = nil) throws(StoreError) -> Run? {
        let result = try run("run_newest", [.optional(campaign)])
        return result.rowCount == 1 ? try RunColumns.run(result, row: 0) : nil
    }

    /// The runs that a worker can help with, the oldest first.
    ///
    /// - Returns: Their ids.
    /// - Throws: Only for database trouble.
    package func openRuns() throws(StoreError) -> [Int64] {
        let result = try run("runs_open")
        return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    // MARK: - While it runs

    /// Changes a run's state; the database refuses changes that are not allowed and writes an
    /// event for those that are.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - state: The new state; the present one is fine.
    ///   - reason: Why, for people; kept as the run's stop reason when it pauses, fails, ends.
    ///   - cause: Why it pauses, for programs.
    /// - Throws: ``StoreError/stateChangeRefused(_:)``; ``StoreError/leaseLost(_:)`` if another
    ///   worker leads the run.
    package func setState(
        run: Run, to state: RunState, reason: String? = nil, cause: PauseCause? = nil
    ) throws(StoreError) {
        let result = try self.run(
            "run_set_state",
            [
                .integer(run.id), .text(state.rawValue), .optional(reason),
                .integer(Int64(run.leaseEpoch)), .optional(cause?.rawValue),
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

    static func leaseLost(_ run: Run) -> StoreError {
        .leaseLost(
            "worker \(run.workerID) no longer works on run \(run.id): another worker has taken "
                + "over what it held")
    }
}

extension UnconfirmedRule {
    /// The word used in campaign files and in the database.
    package var word: String { self == .keep ? "keep" : "resend" }
}
