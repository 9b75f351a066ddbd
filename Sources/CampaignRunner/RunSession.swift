internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// One worker's part in an open run. Used by ``CampaignRun``, on its thread.
///
/// It looks at the run's state and does what a worker has to do in it, again and again until the
/// run is over or something stops this worker. Everybody sends in the states `preflight`, `sending`
/// and `retrying`; what there is to do once (freezing, the canary, what answers say about tokens,
/// changes of state) only the lead does. A lead that is gone is replaced by whoever looks next, and
/// since each step is committed before the next begins, it goes on from there.
struct RunSession {
    var request: RunRequest
    var run: Run
    let store: any RunStore
    let stop: StopSwitch
    let keeper: LeaseKeeper
    let observer: any RunObserver
    private let plan: PayloadPlan
    private let patience: DatabasePatience
    private let numbers: BatchNumbers
    private var hasOpened = false
    private var allowsMarking = true
    /// Its planned start has come, or it has none.
    private var mayBegin = false
    /// The phase that this worker takes part in, where it stands, and since when.
    private(set) var begun: (phase: RunPhase, progress: RunProgress, nanoseconds: Int64)?

    init(
        request: RunRequest, run: Run, store: any RunStore, stop: StopSwitch,
        keeper: LeaseKeeper, observer: any RunObserver
    ) {
        self.request = request
        self.run = run
        self.store = store
        self.stop = stop
        self.keeper = keeper
        self.observer = observer
        plan = PayloadPlan(request.campaign)
        numbers = BatchNumbers(in: request.surroundings)
        patience = DatabasePatience(
            store: store, in: request.surroundings,
            nanosecondsMax: Int64(request.tuning.databasePatienceSeconds) * 1_000_000_000)
    }

    private var campaign: Campaign { request.campaign }
    private var surroundings: any RunSurroundings { request.surroundings }
    private var now: Int64 { surroundings.monotonicNanoseconds() }

    /// How often a worker that has nothing to do looks whether that has changed.
    private static let lookNanoseconds: Int64 = 200_000_000

    /// Does this worker's part from where the run stands.
    ///
    /// - Parameters:
    ///   - isResumed: whether the run had been begun before.
    ///   - doubt: recipients in doubt that were settled when it was opened.
    /// - Returns: how it ended here.
    /// - Throws: database trouble that patience did not cure.
    mutating func carryOut(isResumed: Bool, doubt: Int) throws(StoreError) -> RunEnd {
        try prepareCredential()
        noteDoubt(doubt)
        try noteReleasedBrakes()
        while true {
            if let end = try step(isResumed: isResumed) { return end }
        }
    }

    /// One look and what follows from it. Returns the end, if it is one.
    private mutating func step(isResumed: Bool) throws(StoreError) -> RunEnd? {
        if let cause = stop.tripped { return try stopped(cause) }
        try look()
        if let wish = run.wish { return try stopped(.wished(wish)) }
        announceOpened(isResumed)
        switch run.state {
        case .planned, .freezing:
            var end: RunEnd?
            try ifLead { (self) throws(StoreError) in end = try self.begin() }
            return end
        case .preflight: try takePart(in: .probe)
        case .canary: try ifLead { (self) throws(StoreError) in try self.sendCanary() }
        case .sending, .retrying: try takePart(in: .send)
        case .finished, .paused, .cancelled, .failed: return try closed(run.state)
        }
        return nil
    }

    /// Looks at the run, and takes the lead if nobody has it.
    private mutating func look() throws(StoreError) {
        var (seen, lead) = try patiently { (store) throws(StoreError) in try store.look(at: run) }
        let isLed = lead.map { $0.leaseSecondsLeft > 0 } ?? false
        if !seen.isLead, !isLed, !seen.state.isClosed {
            _ = try patiently { (store) throws(StoreError) in try store.takeLead(of: &seen) }
        }
        run = seen
    }

    /// Does what only the lead does; others wait a little.
    private mutating func ifLead(
        _ body: (inout RunSession) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard run.isLead else {
            _ = stop.wait(untilNanoseconds: now + Self.lookNanoseconds)
            return
        }
        do throws(StoreError) {
            try body(&self)
        } catch {
            // Another worker leads by now; this one still works.
            guard case .leaseLost = error else { throw error }
            _ = stop.wait(untilNanoseconds: now + Self.lookNanoseconds)
        }
    }

    /// Asks the database, with patience: every call of a session may be repeated.
    func patiently<R>(
        _ body: (any RunStore) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try patience.perform { () throws(StoreError) in try body(store) }
    }

    private mutating func move(to state: RunState) throws(StoreError) {
        try patiently { (store) throws(StoreError) in try store.setState(run: run, to: state) }
    }

    // MARK: - Telling

    private mutating func announceOpened(_ isResumed: Bool) {
        guard !hasOpened, run.isFrozen else { return }
        hasOpened = true
        observer.runDid(
            .opened(runID: run.id, isResumed: isResumed, recipients: run.recipients))
    }

    private func noteDoubt(_ doubt: Int) {
        guard doubt > 0 else { return }
        let fate =
            run.unconfirmed == .resend
            ? "they are sent again under the same collapse id, as the campaign says"
            : "they count as unknown and are not sent again"
        observer.runDid(
            .note(
                "The interrupted run left \(doubt) recipients or probes in doubt: sent perhaps, "
                    + "answer not recorded. Recipients: \(fate)."))
    }

    private func noteReleasedBrakes() throws(StoreError) {
        for brake in BrakeName.allCases where request.releasedBrakes.contains(brake) {
            let text = "The brake \(brake) is off for this start."
            let detail = "{\"name\": \"\(brake)\"}"
            try patiently { (store) throws(StoreError) in
                try store.addEvent(
                    run: run, kind: "brake released", text: text, detail: detail)
            }
            observer.runDid(.note(text))
        }
    }

    // MARK: - Beginning

    /// Waits for the planned start, then fixes the audience. Returns how the run ends if its start
    /// was missed.
    private mutating func begin() throws(StoreError) -> RunEnd? {
        if !mayBegin, !run.isFrozen {
            let start = RunStart(
                request: request, store: store, stop: stop, observer: observer, patience: patience)
            switch try start.wait(run) {
            case .begins: mayBegin = true
            case .isStopped: return nil
            case .ends(let end): return end
            }
            try look()
        }
        if run.state == .planned { try move(to: .freezing) } else { try freeze() }
        return nil
    }

    /// Fixes the audience. A condition that PostgreSQL refuses pauses the run: it starts with the
    /// mended file.
    private mutating func freeze() throws(StoreError) {
        do throws(StoreError) {
            let freezePlan = FreezePlan(campaign, plan, request.kind, request.tuning)
            let audience = try patiently { (store) throws(StoreError) in
                try store.freeze(run: run, plan: freezePlan)
            }
            try look()
            announceOpened(false)
            if audience.probeRecipients > 0 {
                try move(to: .preflight)
            } else {
                try moveOnFromPreflight()
            }
        } catch {
            if case .audienceRefused(let text) = error {
                _ = try patiently { (store) throws(StoreError) in
                    try store.leave(run: run, reason: text, pause: .refused)
                }
            }
            throw error
        }
    }

    // MARK: - Phases

    /// Takes part in a phase until it is over for everybody; the lead then ends it.
    private mutating func takePart(in phase: RunPhase) throws(StoreError) {
        if try !isOver(phase) { try send(phase, isCanary: false) }
        guard stop.tripped == nil, try isOver(phase) else { return }
        try look()
        // Another lead may have ended the phase and gone on.
        guard run.state.phase == phase else { return }
        let progress = begun?.progress
        try ifLead { (self) throws(StoreError) in
            let pruned = try self.prune(phase, marksInvalid: self.allowsMarking)
            if let progress { self.observer.runDid(.phaseEnded(phase, progress, pruned: pruned)) }
            self.begun = nil
            self.allowsMarking = true
            if phase == .probe, self.request.kind == .campaign {
                try self.moveOnFromPreflight()
            } else {
                try self.move(to: .finished)
            }
        }
    }

    private func isOver(_ phase: RunPhase) throws(StoreError) -> Bool {
        try patiently { (store) throws(StoreError) in
            try store.rest(run: run, phase: phase).isNothing
        }
    }

    private mutating func moveOnFromPreflight() throws(StoreError) {
        let ordinals = campaign.send.canary.ordinals(audience: run.recipients)
        guard !ordinals.isEmpty else { return try move(to: .sending) }
        let isFirst = try patiently { (store) throws(StoreError) in
            try store.parkCanary(
                run: run, ordinals: ordinals, nowMicroseconds: surroundings.wallMicroseconds())
        }
        try move(to: isFirst ? .canary : .sending)
    }

    /// Applies what the phase's answers said about tokens; nil in a rehearsal: it changes nothing.
    private func prune(
        _ phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary? {
        guard !run.isRehearsal else { return nil }
        return try patiently { (store) throws(StoreError) in
            try store.applyTokenStatus(run: run, phase: phase, marksInvalid: marksInvalid)
        }
    }

    /// Sends what is left of a phase, with the others.
    private mutating func send(_ phase: RunPhase, isCanary: Bool) throws(StoreError) {
        if begun?.phase != phase {
            let counts = try patiently { (store) throws(StoreError) in
                try store.progress(run: run, phase: phase)
            }
            guard counts.total > counts.done else {
                _ = stop.wait(untilNanoseconds: now + Self.lookNanoseconds)
                return
            }
            var progress = RunProgress(phase: phase, total: counts.total - counts.done)
            progress.doneBefore = counts.done
            begun = (phase, progress, now)
            observer.runDid(.phaseStarted(phase, total: progress.total))
        }
        guard let begun else { return }
        keeper.watch(phase)
        let end = try sender(begun.progress, since: begun.nanoseconds, isCanary: isCanary)
            .send(observer: observer)
        self.begun?.progress = end.progress
        allowsMarking = allowsMarking && end.allowsMarking
        keep(end.unrecorded)
    }

    /// What could not be recorded waits in a file for `sortie resume`. This worker then ends
    /// without leaving, whatever else stopped it, so that its doubt is settled by whoever evicts
    /// it.
    private func keep(_ unrecorded: [RecordBatch]) {
        guard !unrecorded.isEmpty else { return }
        let text: String
        do throws(SystemError) {
            let place = try surroundings.keep(unrecorded: unrecorded, of: run)
            text =
                "What could not be recorded is kept in \(place): sortie resume \(run.id) records it"
        } catch {
            text = "What could not be recorded is lost (\(error)), its recipients will be in doubt"
        }
        var cause = "The database was out of reach for too long"
        if case .database(let why)? = stop.tripped { cause = why }
        stop.overrule(.database("\(cause). \(text)"))
    }

    // MARK: - Canary

    /// Sends to those who go first, and judges their answers.
    private mutating func sendCanary() throws(StoreError) {
        let ordinals = campaign.send.canary.ordinals(audience: run.recipients)
        if try canaryCounts(ordinals).ended < ordinals.count {
            observer.runDid(
                .note("Canary: \(ordinals.count) recipients, spread over the audience, go first."))
            try send(.send, isCanary: true)
        }
        guard stop.tripped == nil else { return }
        let counts = try canaryCounts(ordinals)
        if let evidence = evidence(counts) {
            // Whoever releases the brake knows the set-up; whether devices may be marked does not
            // follow from it.
            allowsMarking = false
            if !request.releasedBrakes.contains(.canary) {
                stop.trip(.brake(evidence))
                return
            }
        } else {
            try noteCanaryHeld(counts)
        }
        try move(to: .sending)
    }

    private func canaryCounts(_ ordinals: [Int32]) throws(StoreError) -> CanaryCounts {
        try patiently { (store) throws(StoreError) in
            try store.canaryCounts(run: run, ordinals: ordinals)
        }
    }

    private func evidence(_ counts: CanaryCounts) -> BrakeEvidence? {
        var brake = Brake(
            name: .canary, counted: "to the first recipients were rejections",
            threshold: campaign.send.canary.rejectedShare, minimumSample: 1)
        brake.record(bad: counts.rejected, of: counts.sent)
        if case .tripped(let evidence) = brake.state { return evidence }
        return nil
    }

    private func noteCanaryHeld(_ counts: CanaryCounts) throws(StoreError) {
        let share = Share.percent(Int64(counts.rejected), of: Int64(counts.sent))
        let text =
            "Canary: \(counts.rejected) of \(counts.sent) were rejected (\(share)); the others "
            + "follow."
        try patiently { (store) throws(StoreError) in
            try store.addEvent(run: run, kind: "canary", text: text)
        }
        observer.runDid(.note(text))
    }

    // MARK: - The sender

    private func sender(
        _ progress: RunProgress, since startedNanoseconds: Int64, isCanary: Bool
    ) -> PhaseSender {
        let phase = progress.phase
        let client = clientConfiguration(phase, isCanary: isCanary)
        let pace = PhasePace(
            rate: client.rate, connections: client.connections, maxInFlight: client.maxInFlight,
            totalPerSecond: run.maxRatePerSecond, tuning: request.tuning)
        return PhaseSender(
            run: run, phase: phase, isCanary: isCanary,
            rules: PhaseRules(campaign, phase: phase, released: request.releasedBrakes),
            pace: pace, client: client,
            renderer: { [plan, expiresAtSeconds = run.expiresAtSeconds] gauge in
                RequestRenderer(
                    plan: plan, phase: phase, batch: pace.batch,
                    expiresAtSeconds: expiresAtSeconds, gauge: gauge)
            },
            texts: RunReason.texts(fields: plan.fields.map(\.name)), progress: progress,
            startedNanoseconds: startedNanoseconds, database: request.database, stop: stop,
            keeper: keeper, numbers: numbers, surroundings: surroundings)
    }
}

extension FreezePlan {
    /// The campaign's rules of whom to take, as the store wants them.
    init(_ campaign: Campaign, _ plan: PayloadPlan, _ kind: RunKind, _ tuning: RunTuning) {
        self.init()
        sliceSize = tuning.sliceSize
        locales = campaign.audience.locales
        registeredWithinSeconds = campaign.audience.registeredWithinSeconds
        whereSQL = campaign.audience.whereSQL
        translations = plan.translations
        switch campaign.preflight.probe {
        case .all: probe = .all
        case .none: probe = kind == .probe ? .all : .none
        case .stale: probe = .stale(afterSeconds: campaign.preflight.staleAfterSeconds)
        }
    }
}
