// Recording what a recovery file holds.

/// What became of a batch of a recovery file.
package struct RecoveredBatch: Sendable, Equatable {
    /// Outcomes that the database has now because of it, or had because of it before.
    package let recorded: Int
    /// Outcomes that came too late: their recipients had been given another way on.
    package let dropped: Int

    /// Counts of these parts.
    package init(recorded: Int, dropped: Int) {
        self.recorded = recorded
        self.dropped = dropped
    }
}

extension Store {
    /// The lease of a worker for which somebody else records: long enough for the next batch.
    private static let recoveryLeaseSeconds = 2

    /// Records a batch that its worker could not record. If the worker has not ended, the batch is
    /// recorded as the worker would have done; if it has, as what is learnt late, see
    /// ``recordLate(_:run:)``. Doing it again changes nothing, as long as the batches of a worker
    /// come in the order of the file.
    ///
    /// - Parameters:
    ///   - record: What the file holds.
    ///   - run: The run that it matches.
    /// - Returns: How much was of use.
    /// - Throws: Database trouble.
    package func recordRecovered(
        _ record: RecoveryRecord, of run: Run
    ) throws(StoreError) -> RecoveredBatch {
        var run = run
        run.workerID = record.origin.workerID
        run.leaseSeconds = Self.recoveryLeaseSeconds
        let count = record.batch.outcomes.count
        do throws(StoreError) {
            _ = try self.record(record.batch, run: run)
            return RecoveredBatch(recorded: count, dropped: 0)
        } catch {
            guard case .leaseLost = error else { throw error }
            let late = try recordLate(record.batch, run: run)
            let recorded = late.replaced + late.unparked
            return RecoveredBatch(recorded: recorded, dropped: count - recorded)
        }
    }
}
