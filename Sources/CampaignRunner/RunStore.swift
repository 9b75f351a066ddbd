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

    // MARK: The run and its workers

    /// Opens a run for this process: creates it, takes it up again, or says why not.
    func openRun(
        _ new: NewRun, worker: WorkerFacts, leaseSeconds: Int, resumesRequested: Bool,
        isAlive: (_ pid: Int32, _ startedTicks: UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun
    /// Joins a run that is under way, whoever else works on it.
    func joinRun(id: Int64, worker: WorkerFacts, leaseSeconds: Int) throws(StoreError) -> JoinedRun
    /// Makes this worker the lead, if no other live worker is.
    func takeLead(of run: inout Run) throws(StoreError) -> Bool
    /// Reads the run once more, and who leads it.
    func look(at run: Run) throws(StoreError) -> (run: Run, lead: WorkerDescription?)
    /// Renews this worker's lease.
    func heartbeat(run: Run, share: Int64) throws(StoreError) -> Heartbeat
    /// Takes a share of the run's `max_rate`.
    func takeShare(run: Run, wanted: Int64) throws(StoreError) -> Int64
    /// The workers of a run that have not ended.
    func peers(run: Run) throws(StoreError) -> [WorkerDescription]
    /// Ends a worker that is lost and settles the doubt that it leaves.
    func evict(worker: Int32, reason: String, force: Bool) throws(StoreError) -> Int?
    /// Gives up what this worker holds; the last one out may pause the run.
    func leave(run: Run, reason: String, pause: PauseCause?) throws(StoreError) -> RunState?
    /// Asks the workers of a run to stop.
    func ask(runID: Int64, _ wish: RunWish) throws(StoreError) -> RunState?
    /// The instant of a schedule by the server's time zones.
    func plannedStart(_ schedule: Schedule) throws(StoreError) -> ResolvedSchedule
    /// Whether anything of an occurrence was done before.
    func hasBegun(campaign: String, occurrence: String) throws(StoreError) -> Bool
    /// Counts the expiry of a run's message from now, until its audience is fixed.
    func setExpiry(run: Run, afterSeconds: Int64?) throws(StoreError)
    /// Takes over a campaign file that differs from the run's in its pace only.
    func setPace(run: Run, new: NewRun) throws(StoreError) -> Bool
    /// Fixes who the run's recipients are; a frozen run is left alone.
    func freeze(run: Run, plan: FreezePlan) throws(StoreError) -> FrozenAudience
    /// Changes the run's state, if that is allowed.
    func setState(
        run: Run, to state: RunState, reason: String?, cause: PauseCause?
    ) throws(StoreError)
    /// Writes a line of the run's journal.
    func addEvent(run: Run, kind: String, text: String, detail: String?) throws(StoreError)

    // MARK: A phase

    /// How far a phase is.
    func progress(run: Run, phase: RunPhase) throws(StoreError) -> PhaseCounts
    /// What is left of a phase, of all workers.
    func rest(run: Run, phase: RunPhase) throws(StoreError) -> PhaseRest
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
        run: Run, phase: RunPhase, besides taken: [Int32]?
    ) throws(StoreError) -> Slice?
    /// Reads the recipients of a part of a leased slice that are still to be handled.
    func streamRecipients(
        run: Run, phase: RunPhase, slice: Slice, from: Int32, through: Int32,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError)
    /// Claims parked recipients whose time has come.
    func claimRetries(
        run: Run, phase: RunPhase, nowMicroseconds: Int64, limit: Int
    ) throws(StoreError) -> Int
    /// Reads the parked recipients that this worker has claimed and not announced.
    func claimedRetries(
        run: Run, phase: RunPhase, columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError)
    /// Records a batch and renews the worker's lease, in one transaction.
    func record(_ batch: RecordBatch, run: Run) throws(StoreError) -> RecordResult
    /// Records what was learnt after this worker was evicted, as far as that says more.
    func recordLate(_ batch: RecordBatch, run: Run) throws(StoreError) -> LateResult
}

extension Store: RunStore {}

extension RunStore {
    func setState(run: Run, to state: RunState) throws(StoreError) {
        try setState(run: run, to: state, reason: nil, cause: nil)
    }

    func addEvent(run: Run, kind: String, text: String) throws(StoreError) {
        try addEvent(run: run, kind: kind, text: text, detail: nil)
    }
}
