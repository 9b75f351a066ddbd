package import CampaignStore

/// Told what a run does, for a progress line or a log. Called from the run's own thread.
package protocol RunObserver: AnyObject {
    /// Something happened.
    func runDid(_ event: RunEvent)
}

/// What a run tells while it is under way.
package enum RunEvent: Sendable {
    /// The run is open in the database: its audience is frozen.
    case opened(runID: Int64, isResumed: Bool, recipients: Int)
    /// A phase begins; `total` recipients are still to be handled in it.
    case phaseStarted(RunPhase, total: Int)
    /// Numbers, a few times a second.
    case progress(RunProgress)
    /// A sentence for the operator.
    case note(String)
    /// A phase is over.
    case phaseEnded(RunPhase, RunProgress, pruned: PruneSummary?)
}

/// Where a phase stands.
package struct RunProgress: Sendable {
    /// The phase.
    package var phase: RunPhase
    /// Recipients that were still to be handled in this phase when this process began.
    package var total: Int
    /// Recipients that had an end by then.
    package var doneBefore = 0
    /// Recipients that other workers have ended since.
    package var others = 0
    /// Workers at the run.
    package var workers = 1
    /// Accepted by APNs so far.
    package var accepted = 0
    /// Finally refused by APNs so far.
    package var rejected = 0
    /// Of those, answered 410.
    package var gone = 0
    /// Sent, and no answer came.
    package var unknown = 0
    /// Left out on purpose.
    package var skipped = 0
    /// Waiting to be tried again.
    package var parked = 0
    /// Requests answered or given up per second, over the last seconds.
    package var perSecond = 0.0
    /// Seconds left at this pace; nil while nobody can say.
    package var secondsLeft: Double?
    /// Connections that can take requests now.
    package var connections = 0
    /// Seconds since the phase began.
    package var seconds = 0.0
    /// What the phase waits for, if it waits.
    package var waitingFor: String?

    /// Adds what one loop did in a turn.
    mutating func add(_ turn: RunProgress) {
        accepted += turn.accepted
        rejected += turn.rejected
        gone += turn.gone
        unknown += turn.unknown
        skipped += turn.skipped
        parked += turn.parked
        connections = max(0, connections + turn.connections)
    }

    /// Recipients with an end.
    package var done: Int { accepted + rejected + unknown + skipped }
}

/// How a run ended, as seen from the process that ran it.
package enum RunEnd: Sendable, Equatable {
    /// Every recipient has an outcome.
    case finished(runID: Int64)
    /// This occurrence had been finished before; nothing was sent.
    case alreadyFinished(runID: Int64, message: String)
    /// Its planned start is more than a day away; nothing was recorded.
    case tooEarly(message: String)
    /// Its planned start is longer ago than the campaign allows; nothing was sent.
    case missed(runID: Int64, message: String)
    /// Stopped on request; running it again goes on.
    case stopped(runID: Int64, message: String)
    /// A person paused the run, here or elsewhere.
    case paused(runID: Int64, message: String)
    /// A person ended the run for good.
    case cancelled(runID: Int64, message: String)
    /// A brake stopped it before it did harm.
    case braked(runID: Int64, brake: String, message: String)
    /// APNs refuses the credentials.
    case credentialsRefused(message: String)
    /// The campaign itself is refused, by APNs or by the database.
    case campaignRefused(message: String)
    /// The configuration can't work.
    case configurationRefused(message: String)
    /// APNs or the database can't be reached.
    case unreachable(message: String)
    /// Another worker has the run.
    case held(message: String)
}
