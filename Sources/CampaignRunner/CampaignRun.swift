internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import SendPolicy
internal import TLS

/// One process's part in a run of a campaign, from its entry in the database to its end.
///
/// The story of a run is: open or resume, with what a crash left in doubt settled; freeze the
/// audience; preflight, then prune; canary; send, parked recipients included; apply what the
/// answers said about tokens; finish. Each step is committed before the next begins, so a run that
/// was killed at any moment goes on from there, and any number of processes can take part in it.
///
/// *Ownership and thread*: ``execute(observer:)`` once, on any thread, which waits in it;
/// ``requestStop()`` from any thread at any time.
package final class CampaignRun: Sendable {
    private let request: RunRequest
    private let stop: StopSwitch

    /// A run that has not begun.
    package init(_ request: RunRequest) {
        self.request = request
        stop = StopSwitch(in: request.surroundings)
    }

    /// Asks the run to stop: what is on the wire is waited for and recorded, nothing new is sent.
    package func requestStop() {
        stop.trip(.requested)
    }

    /// Asks the run to read its credentials again: what is on the wire is waited for, then it goes
    /// on.
    package func requestReload() {
        stop.trip(.reload)
    }

    /// Runs to the end, or until something stops it.
    package func execute(observer: any RunObserver) -> RunEnd {
        do throws(StoreError) {
            return try executed(observer)
        } catch {
            return RunEnd(error)
        }
    }

    /// A worker that was evicted, because it could not renew its lease, comes back as another
    /// worker so many times.
    private static let comebacksMax = 20

    private func executed(_ observer: any RunObserver) throws(StoreError) -> RunEnd {
        let store = try request.surroundings.openStore(
            conninfo: request.database, purpose: "run")
        try store.requireCurrentSchema()
        let start = RunStart(
            request: request, store: store, stop: stop, observer: observer,
            patience: DatabasePatience(store: store, in: request.surroundings))
        let planned: PlannedStart?
        switch try start.plan() {
        case .success(let plan): planned = plan
        case .failure(let refused): return refused.end
        }
        let entered = request.surroundings.monotonicNanoseconds()
        let (run, doubt): (Run, Int?)
        switch try enter(store, planned) {
        case .entered(let opened, let settled): (run, doubt) = (opened, settled)
        case .ended(let end): return end
        }
        if run.isFrozen { try start.noteLateness(run) }
        return try work(
            on: run, doubt: doubt, since: entered, store: store, observer: observer)
    }

    /// What came of knocking at the run.
    private enum Entrance {
        /// It works on the run; `doubt` recipients were settled if it had been begun before.
        case entered(Run, doubt: Int?)
        case ended(RunEnd)
    }

    private func enter(
        _ store: any RunStore, _ planned: PlannedStart?
    ) throws(StoreError) -> Entrance {
        if case .join(let id) = request.entry { return try join(store, id) }
        var new = newRun
        new.startsAtMicroseconds = planned?.microseconds
        switch try opened(store, new) {
        case .created(let run): return .entered(run, doubt: nil)
        case .resumed(let run, let doubt):
            guard try store.setPace(run: run, new: new) else { return .entered(run, doubt: doubt) }
            return .entered(try store.look(at: run).run, doubt: doubt)
        case .finished(let run):
            return .ended(.alreadyFinished(runID: run.id, message: RunText.alreadyOver(run)))
        case .held(let holder): return .ended(.held(message: RunText.held(holder, request)))
        case .pausedByRequest(let run): return .ended(RunText.closed(run))
        case .definitionChanged(let run):
            return .ended(.campaignRefused(message: RunText.definitionChanged(run, request)))
        case .otherProtocol(let run):
            return .ended(.held(message: RunText.otherProtocol(run)))
        }
    }

    /// Opens the run. The session of a process that stands still may hold a lock of it: the server
    /// ends that before long, so this waits. After a lost connection it does not try again, because
    /// it would find its own entry there.
    private func opened(_ store: any RunStore, _ new: NewRun) throws(StoreError) -> OpenedRun {
        let surroundings = request.surroundings
        let end = surroundings.monotonicNanoseconds() + DatabasePatience.nanosecondsMax
        while true {
            do throws(StoreError) {
                return try store.openRun(
                    new, worker: worker, leaseSeconds: request.tuning.leaseSeconds,
                    resumesRequested: request.entry == .resume
                ) { pid, ticks in surroundings.isAlive(processID: pid, startedAtTicks: ticks) }
            } catch {
                let now = surroundings.monotonicNanoseconds()
                guard error.isRetryable, !error.isConnectionLost, now < end else { throw error }
                surroundings.sleep(untilNanoseconds: now + Self.openPauseNanoseconds)
            }
        }
    }

    private static let openPauseNanoseconds: Int64 = 500_000_000

    private func join(_ store: any RunStore, _ id: Int64) throws(StoreError) -> Entrance {
        let joined = try store.joinRun(
            id: id, worker: worker, leaseSeconds: request.tuning.leaseSeconds)
        switch joined {
        case .joined(let run): return .entered(run, doubt: 0)
        case .closed(let run):
            if run.state == .finished {
                return .ended(
                    .alreadyFinished(runID: run.id, message: RunText.alreadyOver(run)))
            }
            return .ended(RunText.closed(run))
        case .otherProtocol(let run):
            return .ended(.held(message: RunText.otherProtocol(run)))
        case .missing:
            return .ended(.configurationRefused(message: "There is no run \(id)."))
        }
    }

    private var worker: WorkerFacts {
        request.surroundings.workerFacts(version: request.version)
    }

    /// Works on the run until it ends here. Evicted, it comes back.
    private func work(
        on first: Run, doubt: Int?, since firstEntered: Int64, store: any RunStore,
        observer: any RunObserver
    ) throws(StoreError) -> RunEnd {
        var (run, entered) = (first, firstEntered)
        for comeback in 0...Self.comebacksMax {
            let end = try part(
                run, since: entered, isResumed: doubt != nil || comeback > 0,
                doubt: comeback == 0 ? doubt ?? 0 : 0, store, observer)
            guard case .held = end, stop.tripped == .leaseLost else { return end }
            observer.runDid(
                .note(
                    "The lease was lost; what was learnt is recorded. Joining run \(run.id) "
                        + "again."))
            stop.clearLeaseLost()
            entered = request.surroundings.monotonicNanoseconds()
            let patience = DatabasePatience(store: store, in: request.surroundings)
            switch try patience.perform({ () throws(StoreError) in try join(store, run.id) }) {
            case .entered(let again, _): run = again
            case .ended(let end): return end
            }
        }
        return .held(message: "Worker \(run.workerID) lost its lease again and again.")
    }

    /// One worker's part, with its lease kept.
    private func part(
        _ run: Run, since entered: Int64, isResumed: Bool, doubt: Int, _ store: any RunStore,
        _ observer: any RunObserver
    ) throws(StoreError) -> RunEnd {
        let keeper = LeaseKeeper(
            run: run, enteredNanoseconds: entered, database: request.database, stop: stop,
            in: request.surroundings)
        do {
            try keeper.start()
        } catch {
            return .unreachable(message: "no thread could be started: \(error)")
        }
        defer { keeper.finish() }
        var session = RunSession(
            request: request, run: run, store: store, stop: stop, keeper: keeper,
            observer: observer)
        return try session.carryOut(isResumed: isResumed, doubt: doubt)
    }

    private var newRun: NewRun {
        let campaign = request.campaign
        return NewRun(
            campaign: campaign.name, occurrence: request.occurrence,
            definition: String(decoding: request.definition, as: UTF8.self),
            definitionHash: Digest.sha256(campaign.identityBytes).map(Self.hex).joined(),
            app: campaign.app, environment: campaign.environment, startedBy: request.startedBy,
            expiresAfterSeconds: campaign.message.expiresAfterSeconds,
            isProbeOnly: request.kind == .probe, isRehearsal: request.isRehearsal,
            unconfirmed: UnconfirmedRule(campaign.send.unconfirmed),
            maxRatePerSecond: campaign.send.maxRate.perSecond,
            collapseID: { runID in Self.collapseID(campaign, runID: runID) })
    }

    /// The run's collapse id. `collapse: campaign` takes the run into it, so that next week's
    /// newsletter does not replace this week's; at most 64 bytes, APNs' limit.
    private static func collapseID(_ campaign: Campaign, runID: Int64) -> String? {
        guard campaign.message.collapse == .campaign else { return campaign.collapseID }
        let whole = "\(campaign.name)-\(runID)"
        return whole.utf8.count <= APNSLimits.collapseIDBytesMax ? whole : "run-\(runID)"
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }
}

extension RunEnd {
    /// The end that a failure of the store means.
    init(_ error: StoreError) {
        switch error {
        case .audienceRefused, .importRefused: self = .campaignRefused(message: error.description)
        case .leaseLost, .stateChangeRefused: self = .held(message: error.description)
        case .schemaMismatch: self = .configurationRefused(message: error.description)
        case .database, .source: self = .unreachable(message: error.description)
        }
    }
}
