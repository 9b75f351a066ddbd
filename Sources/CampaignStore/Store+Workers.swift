// Workers: their leases, their shares of the pace, their end, and what people ask of them.

internal import PostgreSQL

/// What a worker hears when it renews its lease.
package struct Heartbeat: Sendable, Equatable {
    /// The run's state.
    package let state: RunState
    /// What the workers are asked to do.
    package let wish: RunWish?
    /// The worker that leads; nil if nobody does.
    package let leadID: Int32?
    /// Whether this worker leads.
    package let isLead: Bool
    /// What all workers together may send, in thousandths of a request per second; nil: no limit.
    package let maxRateThousandths: Int64?
    /// Workers that have not ended, this one included.
    package let workers: Int
    /// Those of them that came before this one.
    package let rank: Int

    /// What was heard.
    package init(
        state: RunState, wish: RunWish?, leadID: Int32?, isLead: Bool, maxRateThousandths: Int64?,
        workers: Int, rank: Int
    ) {
        self.state = state
        self.wish = wish
        self.leadID = leadID
        self.isLead = isLead
        self.maxRateThousandths = maxRateThousandths
        self.workers = workers
        self.rank = rank
    }
}

extension Store {
    /// Renews this worker's lease; ``record(_:run:)`` does so too.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - share: The share of `max_rate` that this worker keeps to, in thousandths of a request
    ///     per second; a lower one than before is free for others afterwards.
    /// - Returns: What it has to know.
    /// - Throws: ``StoreError/leaseLost(_:)`` if it was evicted.
    @discardableResult
    package func heartbeat(
        run: Run, share: Int64 = 0
    ) throws(StoreError) -> Heartbeat {
        let result = try self.run(
            "worker_heartbeat",
            [
                .integer(Int64(run.workerID)), .integer(Int64(run.leaseSeconds)),
                .integer(share),
            ])
        guard result.rowCount == 1, let state = RunState(rawValue: result.text(0, 0) ?? "") else {
            throw Self.leaseLost(run)
        }
        return Heartbeat(
            state: state, wish: RunColumns.wish(result, 0, from: 1),
            leadID: result.integer(0, 4).map(Int32.init(truncatingIfNeeded:)),
            isLead: result.boolean(0, 5) ?? false, maxRateThousandths: result.integer(0, 6),
            workers: Int(result.integer(0, 7) ?? 1), rank: Int(result.integer(0, 8) ?? 0))
    }

    /// Takes a share of the run's `max_rate`, as far as the other workers leave it.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - wanted: In thousandths of a request per second.
    /// - Returns: What it got, in the same unit; it may send so much from now on.
    /// - Throws: ``StoreError/leaseLost(_:)`` if it was evicted.
    package func takeShare(run: Run, wanted: Int64) throws(StoreError) -> Int64 {
        let result = try retryingTransaction { () throws(StoreError) in
            try self.run(
                "worker_share", [.integer(Int64(run.workerID)), .integer(wanted)])
        }
        guard let granted = result.integer(0, 0) else { throw Self.leaseLost(run) }
        return granted
    }

    /// The workers of a run that have not ended, the earliest first.
    ///
    /// - Parameter run: The run.
    /// - Returns: The workers; those whose lease has run out have no seconds left.
    /// - Throws: Only for database trouble.
    package func peers(run: Run) throws(StoreError) -> [WorkerDescription] {
        let result = try self.run("worker_peers", [.integer(run.id)])
        return (0..<result.rowCount).compactMap {
            RunColumns.worker(result, row: $0, from: 0, pidSpace: 7)
        }
    }

    /// Ends a worker that is lost, settles the doubt that it leaves by the run's rule, and frees
    /// what it held: all in one transaction.
    ///
    /// - Parameters:
    ///   - worker: The worker's id.
    ///   - reason: Why, for people.
    ///   - force: Whether its process is known to be dead, so that its lease does not matter.
    /// - Returns: How many recipients were in doubt; nil if it had ended, or renewed its lease.
    /// - Throws: Only for database trouble.
    @discardableResult
    package func evict(
        worker: Int32, reason: String, force: Bool = false
    ) throws(StoreError) -> Int? {
        try self.run(
            "worker_evict", [.integer(Int64(worker)), .text(reason), .boolean(force)]
        ).integer(0, 0).map { Int($0) }
    }

    /// Gives up what this worker holds, after everything it knows was recorded. The last one out
    /// does what was asked for, or pauses the run.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - reason: Why the worker ends, for people; kept as the run's stop reason if it pauses.
    ///   - pause: The cause of the pause if nobody else is left; nil leaves the run open.
    /// - Returns: The run's state now; nil if the worker had been evicted.
    /// - Throws: Only for database trouble.
    @discardableResult
    package func leave(
        run: Run, reason: String = "stopped", pause: PauseCause? = nil
    ) throws(StoreError) -> RunState? {
        let result = try retryingTransaction { () throws(StoreError) in
            try self.run(
                "worker_leave",
                [.integer(Int64(run.workerID)), .text(reason), .optional(pause?.rawValue)])
        }
        return result.text(0, 0).flatMap(RunState.init)
    }

    // MARK: - People

    /// Asks the workers of a run to stop.
    ///
    /// - Parameters:
    ///   - runID: The run.
    ///   - wish: What is wished, by whom and why.
    /// - Returns: The run's state if nobody was at work, so that it is done; nil: they were asked,
    ///   and do it within seconds.
    /// - Throws: ``StoreError/stateChangeRefused(_:)`` if there is no such run or it has ended.
    package func ask(runID: Int64, _ wish: RunWish) throws(StoreError) -> RunState? {
        let result = try retryingTransaction { () throws(StoreError) in
            try self.run(
                "run_ask",
                [
                    .integer(runID), .text(wish.kind.rawValue), .text(wish.by), .text(wish.text),
                ])
        }
        return result.text(0, 0).flatMap(RunState.init)
    }

    /// Lets a paused run go on; a worker has to take it up.
    ///
    /// - Parameters:
    ///   - runID: The run.
    ///   - by: Who wishes it.
    /// - Returns: The run's state now.
    /// - Throws: ``StoreError/stateChangeRefused(_:)`` if there is no such run or it has ended.
    package func resume(runID: Int64, by: String) throws(StoreError) -> RunState? {
        let result = try retryingTransaction { () throws(StoreError) in
            try self.run("run_resume", [.integer(runID), .text(by)])
        }
        return result.text(0, 0).flatMap(RunState.init)
    }
}
