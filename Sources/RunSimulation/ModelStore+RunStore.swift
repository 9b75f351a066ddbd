internal import APNSProtocol
internal import CampaignModel
internal import CampaignRunner
internal import CampaignStore

/// Each call of the run's code, by way of the connection.
extension ModelStore: RunStore {
    func reconnect() throws(StoreError) { try connect() }

    func requireCurrentSchema() throws(StoreError) {
        try ask("schema") { () throws(StoreError) in }
    }

    func clockMicroseconds() throws(StoreError) -> Int64 {
        try ask("clock") { () throws(StoreError) in database.now }
    }

    func providerToken(_ question: ProviderTokenQuestion) throws(StoreError) -> ProviderToken? {
        nil
    }

    // MARK: - The run and its workers

    func openRun(
        _ new: NewRun, worker: WorkerFacts, leaseSeconds: Int, resumesRequested: Bool,
        isAlive: (Int32, UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun {
        try ask("open") { () throws(StoreError) in
            let opened = try database.openRun(
                new, worker: worker, leaseSeconds: leaseSeconds,
                resumesRequested: resumesRequested, isAlive: isAlive)
            switch opened {
            case .created(let run), .resumed(let run, _): entered(run)
            case .finished, .held, .pausedByRequest, .definitionChanged, .otherProtocol: break
            }
            return opened
        }
    }

    func joinRun(
        id: Int64, worker: WorkerFacts, leaseSeconds: Int
    ) throws(StoreError) -> JoinedRun {
        try ask("join") { () throws(StoreError) in
            let joined = try database.joinRun(worker: worker, leaseSeconds: leaseSeconds)
            if case .joined(let run) = joined { entered(run) }
            return joined
        }
    }

    func takeLead(of run: inout Run) throws(StoreError) -> Bool {
        try ask("lead") { () throws(StoreError) in try database.takeLead(of: &run) }
    }

    func look(at run: Run) throws(StoreError) -> (run: Run, lead: WorkerDescription?) {
        try ask("look") { () throws(StoreError) in try database.look(at: run) }
    }

    func heartbeat(run: Run, share: Int64) throws(StoreError) -> Heartbeat {
        let database = database
        return try write("heartbeat") { () throws(StoreError) in
            try database.heartbeat(run: run, share: share)
        }
    }

    func takeShare(run: Run, wanted: Int64) throws(StoreError) -> Int64 {
        try ask("share \(wanted)") { () throws(StoreError) in
            try database.takeShare(run: run, wanted: wanted)
        }
    }

    func peers(run: Run) throws(StoreError) -> [WorkerDescription] {
        try ask("peers") { () throws(StoreError) in database.peers() }
    }

    func evict(worker: Int32, reason: String, force: Bool) throws(StoreError) -> Int? {
        let database = database
        return try write("evict \(worker)") { () throws(StoreError) in
            try database.evict(worker: worker, reason: reason, force: force)
        }
    }

    func leave(run: Run, reason: String, pause: PauseCause?) throws(StoreError) -> RunState? {
        try ask("leave") { () throws(StoreError) in
            try database.leave(run: run, reason: reason, pause: pause)
        }
    }

    func ask(runID: Int64, _ wish: RunWish) throws(StoreError) -> RunState? {
        try ask("ask \(wish.kind)") { () throws(StoreError) in try database.ask(wish) }
    }

    func freeze(run: Run, plan: FreezePlan) throws(StoreError) -> FrozenAudience {
        try ask("freeze") { () throws(StoreError) in try database.freeze(run: run, plan: plan) }
    }

    func setState(
        run: Run, to state: RunState, reason: String?, cause: PauseCause?
    ) throws(StoreError) {
        let database = database
        try write("state \(state)") { () throws(StoreError) in
            try database.setState(run: run, to: state, reason: reason, cause: cause)
        }
    }

    func addEvent(run: Run, kind: String, text: String, detail: String?) throws(StoreError) {
        try ask("event \(kind)") { () throws(StoreError) in }
    }

    // MARK: - A phase

    func progress(run: Run, phase: RunPhase) throws(StoreError) -> PhaseCounts {
        try ask("progress") { () throws(StoreError) in try database.progress(phase: phase) }
    }

    func rest(run: Run, phase: RunPhase) throws(StoreError) -> PhaseRest {
        try ask("rest") { () throws(StoreError) in database.rest(phase: phase) }
    }

    func parkCanary(
        run: Run, ordinals: [Int32], nowMicroseconds: Int64
    ) throws(StoreError) -> Bool {
        let database = database
        return try write("park canary") { () throws(StoreError) in
            try database.parkCanary(
                run: run, ordinals: ordinals, nowMicroseconds: nowMicroseconds)
        }
    }

    func canaryCounts(run: Run, ordinals: [Int32]) throws(StoreError) -> CanaryCounts {
        try ask("canary") { () throws(StoreError) in database.canaryCounts(ordinals: ordinals) }
    }

    func applyTokenStatus(
        run: Run, phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary {
        try ask("prune \(phase)") { () throws(StoreError) in
            try database.applyTokenStatus(run: run, phase: phase, marksInvalid: marksInvalid)
        }
    }

    func undoTokenStatus(run: Run) throws(StoreError) -> Int {
        try ask("undo") { () throws(StoreError) in try database.undoTokenStatus() }
    }

    // MARK: - Recipients and outcomes

    func leaseNextSlice(
        run: Run, phase: RunPhase, besides taken: [Int32]?
    ) throws(StoreError) -> Slice? {
        let database = database
        return try write("lease") { () throws(StoreError) in
            try database.leaseNextSlice(run: run, phase: phase, besides: taken)
        }
    }

    func streamRecipients(
        run: Run, phase: RunPhase, slice: Slice, from: Int32, through: Int32,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError) {
        try ask("read slice \(slice.number) \(from)...\(through)") { () throws(StoreError) in
            database.streamRecipients(
                run: run, phase: phase, slice: slice, from: from, through: through,
                columns: columns, body)
        }
    }

    func claimRetries(
        run: Run, phase: RunPhase, nowMicroseconds: Int64, limit: Int
    ) throws(StoreError) -> Int {
        let database = database
        return try write("claim") { () throws(StoreError) in
            try database.claimRetries(
                run: run, phase: phase, nowMicroseconds: nowMicroseconds, limit: limit)
        }
    }

    func claimedRetries(
        run: Run, phase: RunPhase, columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError) {
        try ask("read claimed") { () throws(StoreError) in
            database.claimedRetries(run: run, phase: phase, columns: columns, body)
        }
    }

    func record(_ batch: RecordBatch, run: Run) throws(StoreError) -> RecordResult {
        let database = database
        let size = "\(batch.outcomes.count)+\(batch.parks.count)+\(batch.announcements.count)"
        let name = "record \(batch.phase) \(size)"
        let body = { () throws(StoreError) in try database.record(batch, run: run) }
        // With outcomes it is a transaction of several messages, whose locks are held to its end.
        return batch.outcomes.isEmpty ? try write(name, body) : try ask(name, body)
    }

    func recordLate(_ batch: RecordBatch, run: Run) throws(StoreError) -> LateResult {
        let database = database
        return try write("record late \(batch.outcomes.count)") { () throws(StoreError) in
            try database.recordLate(batch, run: run)
        }
    }
}
