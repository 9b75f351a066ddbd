// The recipients that go first.

internal import PostgreSQL

/// What became of a canary so far.
package struct CanaryCounts: Sendable, Equatable {
    /// Recipients with an outcome.
    package let ended: Int
    /// Of those, the ones that a request was sent to.
    package let sent: Int
    /// Of those, rejected; but not because the token is gone (410), which says nothing about the
    /// set-up.
    package let rejected: Int

    /// Counts of these parts.
    package init(
        ended: Int, sent: Int, rejected: Int
    ) {
        self.ended = ended
        self.sent = sent
        self.rejected = rejected
    }
}

extension Store {
    /// Parks recipients that go before all others of the main send, if none of those others may
    /// have gone yet.
    ///
    /// They wait in the retry list, and so count as recorded in their slices, whose marks stay as
    /// they are. Doing it again parks nobody twice, so a run can be opened at any moment and any
    /// number of times.
    ///
    /// - Parameters:
    ///   - run: The run held; its audience is frozen.
    ///   - ordinals: Who goes first, ascending, at most some ten thousand.
    ///   - nowMicroseconds: The caller's time since 1970, as in
    ///     ``dueRetries(run:phase:nowMicroseconds:limit:columns:_:)``.
    /// - Returns: Whether they go first: false if the main send has begun before.
    /// - Throws: ``StoreError/leaseLost(_:)`` if another worker has taken over.
    package func parkCanary(
        run: Run, ordinals: [Int32], nowMicroseconds: Int64
    ) throws(StoreError) -> Bool {
        let result = try self.run(
            "canary_park", replacing: [("outcome", Self.outcomeTable(run.id))],
            [
                .integer(run.id), .integer(Int64(run.workerID)),
                .integer(Int64(run.leaseSeconds)), .integers(ordinals.map(Int64.init)),
                .integer(nowMicroseconds),
            ])
        guard result.boolean(0, 0) == true else { throw Self.leaseLost(run) }
        return result.boolean(0, 1) == false
    }

    /// Counts what became of the recipients that went first.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - ordinals: Who goes first.
    /// - Returns: The counts.
    /// - Throws: Database trouble.
    package func canaryCounts(run: Run, ordinals: [Int32]) throws(StoreError) -> CanaryCounts {
        let result = try self.run(
            "canary_counts", replacing: [("outcome", Self.outcomeTable(run.id))],
            [.integers(ordinals.map(Int64.init))])
        let count = { (column: Int) in Int(result.integer(0, column) ?? 0) }
        return CanaryCounts(ended: count(0), sent: count(1), rejected: count(2))
    }
}
