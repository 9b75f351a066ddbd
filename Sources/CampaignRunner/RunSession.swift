internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The steps of an open run. Used by ``CampaignRun``, on its thread.
struct RunSession {
    let request: RunRequest
    let run: Run
    let store: any RunStore
    let stop: StopSwitch
    let observer: any RunObserver
    private let plan: PayloadPlan

    init(
        request: RunRequest, run: Run, store: any RunStore, stop: StopSwitch,
        observer: any RunObserver
    ) {
        self.request = request
        self.run = run
        self.store = store
        self.stop = stop
        self.observer = observer
        plan = PayloadPlan(request.campaign)
    }

    private var campaign: Campaign { request.campaign }

    /// Carries the run out from where it stands.
    func carryOut(isResumed: Bool) throws(StoreError) -> RunEnd {
        try prepareCredential()
        if !run.isFrozen { try store.setState(run: run, to: .freezing) }
        let audience = try freeze()
        observer.runDid(
            .opened(runID: run.id, isResumed: isResumed, recipients: audience.recipients))
        try noteReleasedBrakes()
        if isResumed { try settleDoubt() }
        if let end = try carryOut(.probe, state: .preflight) { return end }
        if request.kind == .campaign, let end = try carryOut(.send, state: .sending) { return end }
        try store.setState(run: run, to: .finished)
        try store.releaseRun(run: run, reason: "finished")
        return .finished(runID: run.id)
    }

    /// Fixes the audience. A condition that PostgreSQL refuses pauses the run: it starts with the
    /// mended file.
    private func freeze() throws(StoreError) -> FrozenAudience {
        do throws(StoreError) {
            return try store.freeze(run: run, plan: FreezePlan(campaign, plan, request.kind))
        } catch {
            if case .audienceRefused(let text) = error {
                try store.setState(run: run, to: .paused, reason: text)
                try store.releaseRun(run: run, reason: text)
            }
            throw error
        }
    }

    /// What a crash left in doubt becomes unknown, or is parked to be sent again, by the campaign's
    /// rule; probes in doubt are unknown.
    private func settleDoubt() throws(StoreError) {
        let rule = UnconfirmedRule(campaign.send.unconfirmed)
        let probes = try store.resolveDoubt(run: run, phase: .probe, rule: .keep)
        let sends = try store.resolveDoubt(run: run, phase: .send, rule: rule)
        guard probes + sends > 0 else { return }
        let fate =
            rule == .resend
            ? "they are sent again under the same collapse id, as the campaign says"
            : "they count as unknown and are not sent again"
        let text =
            "The interrupted run left \(sends) recipients and \(probes) probes in doubt: sent "
            + "perhaps, answer not recorded. Recipients: \(fate)."
        try store.addEvent(run: run, kind: "doubt", text: text)
        observer.runDid(.note(text))
    }

    private func noteReleasedBrakes() throws(StoreError) {
        for brake in BrakeName.allCases where request.releasedBrakes.contains(brake) {
            let text = "The brake \(brake) is off for this start."
            try store.addEvent(
                run: run, kind: "brake released", text: text, detail: "{\"name\": \"\(brake)\"}")
            observer.runDid(.note(text))
        }
    }

    // MARK: - Phases

    /// Carries one phase out. Returns the run's end if it ends here.
    private func carryOut(_ phase: RunPhase, state: RunState) throws(StoreError) -> RunEnd? {
        let counts = try store.progress(run: run, phase: phase)
        let left = counts.total - counts.done
        guard counts.total > 0 else { return nil }
        guard left > 0 else {
            // The last phase is entered all the same: a run that is paused can't finish.
            if phase == lastPhase { try store.setState(run: run, to: state) }
            // What was judged before a stop or a crash: 410 speaks for itself, the rest would need
            // the brakes' view of it.
            _ = try prune(phase, marksInvalid: false)
            return nil
        }
        observer.runDid(.phaseStarted(phase, total: left))
        var part = PhasePart(
            progress: RunProgress(phase: phase, total: left),
            startedNanoseconds: request.surroundings.monotonicNanoseconds())
        if phase == .send, try sendCanary(&part, audience: counts.total), let cause = stop.tripped {
            return try stopped(cause, part)
        }
        try store.setState(run: run, to: state)
        try send(&part, isCanary: false)
        if let cause = stop.tripped { return try stopped(cause, part) }
        let pruned = try prune(phase, marksInvalid: part.allowsMarking)
        observer.runDid(.phaseEnded(phase, part.progress, pruned: pruned))
        return nil
    }

    /// Applies what the phase's answers said about tokens; nil in a rehearsal: it changes nothing.
    private func prune(
        _ phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary? {
        guard !run.isRehearsal else { return nil }
        return try store.applyTokenStatus(run: run, phase: phase, marksInvalid: marksInvalid)
    }

    private var lastPhase: RunPhase { request.kind == .probe ? .probe : .send }

    /// What this start has done of a phase.
    private struct PhasePart {
        var progress: RunProgress
        var allowsMarking = true
        let startedNanoseconds: Int64
    }

    private func send(_ part: inout PhasePart, isCanary: Bool) throws(StoreError) {
        let end = try sender(part, isCanary: isCanary).send(observer: observer)
        part.progress = end.progress
        part.allowsMarking = part.allowsMarking && end.allowsMarking
    }

    // MARK: - Canary

    /// Sends to those who go first, and judges their answers. Returns false if there is no canary
    /// or the others are being sent to already.
    private func sendCanary(
        _ part: inout PhasePart, audience: Int
    ) throws(StoreError) -> Bool {
        let ordinals = campaign.send.canary.ordinals(audience: audience)
        guard !ordinals.isEmpty,
            try store.parkCanary(
                run: run, ordinals: ordinals,
                nowMicroseconds: request.surroundings.wallMicroseconds())
        else { return false }
        try store.setState(run: run, to: .canary)
        if try store.canaryCounts(run: run, ordinals: ordinals).ended < ordinals.count {
            observer.runDid(
                .note("Canary: \(ordinals.count) recipients, spread over the audience, go first."))
            try send(&part, isCanary: true)
        }
        guard stop.tripped == nil else { return true }
        let counts = try store.canaryCounts(run: run, ordinals: ordinals)
        if let evidence = evidence(counts) {
            // Whoever releases the brake knows the set-up; whether devices may be marked does not
            // follow from it.
            part.allowsMarking = false
            if !request.releasedBrakes.contains(.canary) { stop.trip(.brake(evidence)) }
        } else {
            try noteCanaryHeld(counts)
        }
        return true
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
        try store.addEvent(run: run, kind: "canary", text: text)
        observer.runDid(.note(text))
    }

    // MARK: - Sending

    private func sender(_ part: PhasePart, isCanary: Bool) -> PhaseSender {
        let phase = part.progress.phase
        var client = clientConfiguration(phase)
        if isCanary { client.maxInFlight = min(client.maxInFlight, Self.canaryInFlightMax) }
        let pace = PhasePace(
            rate: client.rate, connections: client.connections, maxInFlight: client.maxInFlight)
        return PhaseSender(
            run: run, phase: phase, isCanary: isCanary,
            rules: PhaseRules(campaign, phase: phase, released: request.releasedBrakes),
            pace: pace, client: client,
            renderer: RequestRenderer(
                plan: plan, phase: phase, batch: pace.batch,
                expiresAtSeconds: run.expiresAtSeconds),
            texts: RunReason.texts(fields: plan.fields.map(\.name)), progress: part.progress,
            startedNanoseconds: part.startedNanoseconds, database: request.database, stop: stop,
            surroundings: request.surroundings)
    }

    private func clientConfiguration(_ phase: RunPhase) -> PushClientConfiguration {
        let endpoint = request.endpoint
        var client = PushClientConfiguration(
            host: endpoint.host, port: endpoint.port, tls: endpoint.tls,
            credential: endpoint.credential.provider, head: head(phase))
        client.proxy = endpoint.proxy
        client.limits = endpoint.limits
        client.requestTimeoutNanoseconds = campaign.send.requestTimeoutMilliseconds * 1_000_000
        switch phase {
        case .probe:
            client.connections = campaign.preflight.connections
            client.rate = campaign.preflight.rate
            client.burst = campaign.preflight.burst
            client.maxInFlight = min(campaign.send.maxInFlight, Self.probesInFlightMax)
        case .send:
            client.connections = campaign.send.connections
            client.rate = campaign.send.rate
            client.burst = campaign.send.burst
            client.maxInFlight = campaign.send.maxInFlight
        }
        return client
    }

    /// The first recipients go a few at a time, so that a wrong set-up is seen before all of them
    /// are on the wire.
    private static let canaryInFlightMax = 5

    /// Probes wait for each other more than messages do: refused tokens make APNs lower the stream
    /// limit, and a gentle pass does not need more.
    private static let probesInFlightMax = 100

    private func head(_ phase: RunPhase) -> RequestHead {
        if phase == .probe { return RequestHead.probe(topic: campaign.app) }
        return RequestHead(
            topic: campaign.app, pushType: campaign.message.pushType,
            priority: campaign.message.priority, expirationSeconds: run.expiresAtSeconds,
            collapseID: run.collapseID)
    }

    // MARK: - Stops

    /// Records why the run stopped, and says it.
    private func stopped(_ tripped: StopCause, _ part: PhasePart) throws(StoreError) -> RunEnd {
        observer.runDid(.phaseEnded(part.progress.phase, part.progress, pruned: nil))
        let cause = explained(tripped)
        let end = RunText.end(cause, run: run, endpoint: request.endpoint, campaign: campaign)
        switch cause {
        case .leaseLost, .database: return end
        case .brake(let evidence):
            try store.addEvent(
                run: run, kind: "brake", text: evidence.description, detail: evidence.json)
            let undone = try store.undoTokenStatus(run: run)
            if undone > 0 {
                observer.runDid(
                    .note("\(undone) devices that this run had pruned are active again."))
            }
        case .requested, .credentials, .campaign, .unreachable, .untrusted: break
        }
        // A rehearsal is not gone on with: another one begins anew.
        try store.setState(
            run: run, to: run.isRehearsal ? .cancelled : .paused, reason: RunText.reason(cause))
        try store.releaseRun(run: run, reason: RunText.reason(cause))
        return end
    }
}

extension FreezePlan {
    /// The campaign's rules of whom to take, as the store wants them.
    init(_ campaign: Campaign, _ plan: PayloadPlan, _ kind: RunKind) {
        self.init()
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
