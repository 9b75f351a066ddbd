internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO

/// The steps of an open run. Used by ``CampaignRun``, on its thread.
struct RunSession {
    let request: RunRequest
    let run: Run
    let store: Store
    let stop: StopSwitch
    let observer: any RunObserver
    private let plan: PayloadPlan

    init(
        request: RunRequest, run: Run, store: Store, stop: StopSwitch, observer: any RunObserver
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
        if !run.isFrozen { try store.setState(run: run, to: .freezing) }
        let audience = try freeze()
        observer.runDid(
            .opened(runID: run.id, isResumed: isResumed, recipients: audience.recipients))
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

    // MARK: - Phases

    /// Carries one phase out. Returns the run's end if it ends here.
    private func carryOut(_ phase: RunPhase, state: RunState) throws(StoreError) -> RunEnd? {
        let counts = try store.progress(run: run, phase: phase)
        let left = counts.total - counts.done
        guard counts.total > 0 else { return nil }
        try store.setState(run: run, to: state)
        guard left > 0 else {
            // What was judged before a stop or a crash: 410 speaks for itself, the rest would need
            // the brakes' view of it.
            _ = try store.applyTokenStatus(run: run, phase: phase, marksInvalid: false)
            return nil
        }
        observer.runDid(.phaseStarted(phase, total: left))
        let end = try sender(phase, total: left).send(observer: observer)
        if let cause = stop.tripped {
            observer.runDid(.phaseEnded(phase, end.progress, pruned: nil))
            return try stopped(cause)
        }
        let pruned = try store.applyTokenStatus(
            run: run, phase: phase, marksInvalid: end.allowsMarking)
        observer.runDid(.phaseEnded(phase, end.progress, pruned: pruned))
        return nil
    }

    private func sender(_ phase: RunPhase, total: Int) -> PhaseSender {
        let client = clientConfiguration(phase)
        let pace = PhasePace(
            rate: client.rate, connections: client.connections, maxInFlight: client.maxInFlight)
        return PhaseSender(
            run: run, phase: phase, rules: PhaseRules(campaign, phase: phase), pace: pace,
            client: client,
            renderer: RequestRenderer(
                plan: plan, phase: phase, batch: pace.batch, isExpired: isExpired),
            texts: RunReason.texts(fields: plan.fields.map(\.name)), total: total,
            database: request.database, stop: stop)
    }

    private func clientConfiguration(_ phase: RunPhase) -> PushClientConfiguration {
        let endpoint = request.endpoint
        var client = PushClientConfiguration(
            host: endpoint.host, port: endpoint.port, tls: endpoint.tls,
            credential: endpoint.credential.provider, head: head(phase))
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

    private var isExpired: Bool {
        guard let expires = run.expiresAtSeconds, expires > 0 else { return false }
        return expires * 1_000_000 <= WallClock.microseconds()
    }

    // MARK: - Stops

    /// Records why the run stopped, and says it.
    private func stopped(_ cause: StopCause) throws(StoreError) -> RunEnd {
        let end = RunText.end(cause, run: run, endpoint: request.endpoint, campaign: campaign)
        switch cause {
        case .leaseLost, .database: return end
        case .brake:
            let undone = try store.undoTokenStatus(run: run)
            if undone > 0 {
                observer.runDid(
                    .note("\(undone) devices that this run had pruned are active again."))
            }
        case .requested, .credentials, .campaign, .unreachable, .untrusted: break
        }
        try store.setState(run: run, to: .paused, reason: RunText.reason(cause))
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
