package import APNSProtocol
package import CampaignModel
package import CampaignStore

/// What a run asks of the database; see `Store` for what each call promises.
///
/// *Ownership and thread*: one connection, used by one thread at a time. Every call blocks. After
/// an error with `isConnectionLost`, ``reconnect()`` comes first.
package protocol RunStore: AnyObject {
    // MARK: The connection

    /// Opens the connection again after it was lost.
    func reconnect() throws(StoreError)
    /// Checks that the database has exactly this program's schema.
    func requireCurrentSchema() throws(StoreError)
    /// The database's clock, in microseconds since 1970 UTC.
    func clockMicroseconds() throws(StoreError) -> Int64
    /// Gives a key's provider token, or has one made and keeps it.
    func providerToken(_ question: ProviderTokenQuestion) throws(StoreError) -> ProviderToken?

    // MARK: The run

    /// Opens a run for this process: creates it, resumes it, or says why not.
    func openRun(
        _ new: NewRun, worker: WorkerFacts,
        isAlive: (_ pid: Int32, _ startedTicks: UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun
    /// Fixes who the run's recipients are; a frozen run is left alone.
    func freeze(run: Run, plan: FreezePlan) throws(StoreError) -> FrozenAudience
    /// Changes the run's state, if that is allowed.
    func setState(run: Run, to state: RunState, reason: String?) throws(StoreError)
    /// Writes a line of the run's journal.
    func addEvent(run: Run, kind: String, text: String, detail: String?) throws(StoreError)
    /// Renews this worker's lease.
    func heartbeat(run: Run) throws(StoreError)
    /// Gives the run up at a clean stop.
    func releaseRun(run: Run, reason: String) throws(StoreError)

    // MARK: A phase

    /// How far a phase is.
    func progress(run: Run, phase: RunPhase) throws(StoreError) -> PhaseCounts
    /// Settles who may have been sent to before the last worker ended.
    func resolveDoubt(
        run: Run, phase: RunPhase, rule: UnconfirmedRule
    ) throws(StoreError) -> Int
    /// Parks recipients that go before all others of the main send.
    func parkCanary(
        run: Run, ordinals: [Int32], nowMicroseconds: Int64
    ) throws(StoreError) -> Bool
    /// Counts what became of the recipients that went first.
    func canaryCounts(run: Run, ordinals: [Int32]) throws(StoreError) -> CanaryCounts
    /// Sets the status of devices from a phase's outcomes.
    func applyTokenStatus(
        run: Run, phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary
    /// Takes back every status that the run set.
    func undoTokenStatus(run: Run) throws(StoreError) -> Int

    // MARK: Recipients and outcomes

    /// Leases the next slice of a phase that is open.
    func leaseNextSlice(
        run: Run, phase: RunPhase, after last: Int32
    ) throws(StoreError) -> Slice?
    /// Reads the recipients of a part of a leased slice that are still to be handled.
    func streamRecipients(
        run: Run, phase: RunPhase, slice: Slice, from: Int32, through: Int32,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError)
    /// Reads parked recipients whose time has come.
    func dueRetries(
        run: Run, phase: RunPhase, nowMicroseconds: Int64?, limit: Int,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError)
    /// When the next parked recipient is due, in microseconds since 1970; nil if nobody waits.
    func nextRetryAt(run: Run, phase: RunPhase) throws(StoreError) -> Int64?
    /// Records a batch and renews the worker's lease, in one transaction.
    func record(_ batch: RecordBatch, run: Run) throws(StoreError) -> RecordResult
}

extension Store: RunStore {}

extension RunStore {
    func setState(run: Run, to state: RunState) throws(StoreError) {
        try setState(run: run, to: state, reason: nil)
    }

    func addEvent(run: Run, kind: String, text: String) throws(StoreError) {
        try addEvent(run: run, kind: kind, text: text, detail: nil)
    }
}
