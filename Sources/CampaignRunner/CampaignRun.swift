internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import TLS

/// One run of a campaign, from the opening in the database to its end.
///
/// The story is: open or resume; freeze the audience; settle what a crash left in doubt; preflight,
/// then prune; send, parked recipients included; apply what the answers said about tokens; finish.
/// Each step is committed before the next begins, so a run that was killed at any moment goes on
/// from there when it is started again.
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

    /// Runs to the end, or until something stops it.
    package func execute(observer: any RunObserver) -> RunEnd {
        do throws(StoreError) {
            return try executed(observer)
        } catch {
            return RunEnd(error)
        }
    }

    private func executed(_ observer: any RunObserver) throws(StoreError) -> RunEnd {
        let surroundings = request.surroundings
        let store = try surroundings.openStore(conninfo: request.database, purpose: "run")
        try store.requireCurrentSchema()
        let worker = surroundings.workerFacts(version: request.version)
        let opened = try store.openRun(newRun, worker: worker) { pid, ticks in
            surroundings.isAlive(processID: pid, startedAtTicks: ticks)
        }
        switch opened {
        case .created(let run), .resumed(let run):
            let session = RunSession(
                request: request, run: run, store: store, stop: stop, observer: observer)
            var isResumed = false
            if case .resumed = opened { isResumed = true }
            return try session.carryOut(isResumed: isResumed)
        case .finished(let run):
            return .alreadyFinished(runID: run.id, message: RunText.alreadyOver(run))
        case .held(let holder):
            return .held(message: RunText.held(holder, request))
        case .definitionChanged(let run):
            return .campaignRefused(message: RunText.definitionChanged(run, request))
        }
    }

    private var newRun: NewRun {
        let campaign = request.campaign
        return NewRun(
            campaign: campaign.name, occurrence: request.occurrence,
            definition: String(decoding: request.definition, as: UTF8.self),
            definitionHash: Digest.sha256(request.definition).map(Self.hex).joined(),
            app: campaign.app, environment: campaign.environment, startedBy: request.startedBy,
            expiresAfterSeconds: campaign.message.expiresAfterSeconds,
            isProbeOnly: request.kind == .probe, isRehearsal: request.isRehearsal,
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
