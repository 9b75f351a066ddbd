// A run and the worker that holds it.

package import APNSProtocol

/// What is needed to open a run.
package struct NewRun {
    /// The campaign's name.
    package var campaign: String
    /// The name of this planned execution; the pair with `campaign` never runs twice.
    package var occurrence: String
    /// The campaign file's text, kept as run.
    package var definition: String
    /// Any digest of the definition: an interrupted run only goes on with the same one.
    package var definitionHash: String
    /// Bundle id.
    package var app: String
    /// APNs environment.
    package var environment: APNSEnvironment
    /// Who started it, for people: a login name, "cron".
    package var startedBy: String
    /// Seconds from now until APNs may give the message up; nil leaves it to APNs, 0 is now or
    /// never.
    package var expiresAfterSeconds: Int64?
    /// The collapse id for a run's id; called when the run is created.
    package var collapseID: (Int64) -> String?
    /// The run is a preflight only: its recipients are those to be probed, and it can be finished
    /// when each has a probe's outcome.
    package var isProbeOnly: Bool
    /// A stand-in for APNs answers: the run changes no device.
    package var isRehearsal: Bool
    /// What becomes of recipients in doubt.
    package var unconfirmed: UnconfirmedRule
    /// Requests per second that all its workers together may send; nil for no limit.
    package var maxRatePerSecond: Double?
    /// When it is planned to start, microseconds since 1970; nil for at once.
    package var startsAtMicroseconds: Int64?

    /// Creates the description of a run.
    package init(
        campaign: String, occurrence: String, definition: String, definitionHash: String,
        app: String, environment: APNSEnvironment, startedBy: String,
        expiresAfterSeconds: Int64? = nil, isProbeOnly: Bool = false, isRehearsal: Bool = false,
        unconfirmed: UnconfirmedRule = .keep, maxRatePerSecond: Double? = nil,
        startsAtMicroseconds: Int64? = nil,
        collapseID: @escaping (Int64) -> String? = { _ in nil }
    ) {
        self.campaign = campaign
        self.occurrence = occurrence
        self.definition = definition
        self.definitionHash = definitionHash
        self.app = app
        self.environment = environment
        self.startedBy = startedBy
        self.expiresAfterSeconds = expiresAfterSeconds
        self.collapseID = collapseID
        self.isProbeOnly = isProbeOnly
        self.isRehearsal = isRehearsal
        self.unconfirmed = unconfirmed
        self.maxRatePerSecond = maxRatePerSecond
        self.startsAtMicroseconds = startsAtMicroseconds
    }
}

/// The process that wants to work on a run.
package struct WorkerFacts: Sendable, Equatable {
    /// The machine's name.
    package var host: String
    /// The process id.
    package var pid: Int32
    /// The process's start, in clock ticks since boot: a pid alone is used again.
    package var pidStartedTicks: UInt64
    /// The boot and the space of process ids that `pid` counts in: two containers on one machine
    /// may share a host name and not their processes.
    package var pidSpace: String
    /// The program's version.
    package var version: String

    /// Creates the facts.
    package init(
        host: String, pid: Int32, pidStartedTicks: UInt64, pidSpace: String = "", version: String
    ) {
        self.host = host
        self.pid = pid
        self.pidStartedTicks = pidStartedTicks
        self.pidSpace = pidSpace
        self.version = version
    }

    /// Whether the other's process can be looked up from here.
    package func isNeighbour(of other: WorkerFacts) -> Bool {
        host == other.host && pidSpace == other.pidSpace
    }
}

/// A worker of a run.
package struct WorkerDescription: Sendable, Equatable, CustomStringConvertible {
    /// The worker's id in the database.
    package let id: Int32
    /// Its process.
    package let facts: WorkerFacts
    /// Seconds since it was last heard of.
    package let silentSeconds: Double
    /// Seconds until its lease ends.
    package let leaseSecondsLeft: Double

    /// A worker of these parts.
    package init(
        id: Int32, facts: WorkerFacts, silentSeconds: Double, leaseSecondsLeft: Double
    ) {
        self.id = id
        self.facts = facts
        self.silentSeconds = silentSeconds
        self.leaseSecondsLeft = leaseSecondsLeft
    }

    package var description: String {
        "worker \(id), process \(facts.pid) on \(facts.host)"
    }
}

/// One execution of a campaign, as the database had it when it was read.
package struct Run: Sendable, Equatable {
    /// The run's id.
    package let id: Int64
    /// The campaign's name.
    package let campaign: String
    /// The occurrence's name.
    package let occurrence: String
    /// Bundle id.
    package let app: String
    /// APNs environment.
    package let environment: APNSEnvironment
    /// The state when it was read.
    package let state: RunState
    /// Why it stopped last, if it did.
    package let stopReason: String?
    /// The campaign file's text as run.
    package let definition: String
    /// The digest of the definition.
    package let definitionHash: String
    /// The collapse id, if the campaign has one.
    package let collapseID: String?
    /// When APNs may give the message up, seconds since 1970; nil leaves it to APNs, 0 is now or
    /// never.
    package let expiresAtSeconds: Int64?
    /// Whether the audience is frozen.
    package let isFrozen: Bool
    /// The size of the frozen audience; 0 before.
    package let recipients: Int
    /// How many of them are to be probed.
    package let probeRecipients: Int
    /// Whether the run is a preflight only.
    package let isProbeOnly: Bool
    /// Whether a stand-in for APNs answers, so that no device may change.
    package let isRehearsal: Bool
    /// What its workers were asked to do and have not done yet.
    package let wish: RunWish?
    /// Why it is paused, if it is.
    package let pauseCause: PauseCause?
    /// The version of the record protocol that it was begun under.
    package let recordProtocol: Int
    /// What becomes of recipients in doubt.
    package let unconfirmed: UnconfirmedRule
    /// Requests per second that all its workers together may send; nil for no limit.
    package let maxRatePerSecond: Double?
    /// When it is planned to start, microseconds since 1970; nil for at once.
    package let startsAtMicroseconds: Int64?
    /// How many workers have a lease.
    package let liveWorkers: Int
    /// The worker that this process is for the run; 0 if the run was only looked at.
    package internal(set) var workerID: Int32 = 0
    /// The fencing number of the lead, if this worker leads: every change of the lead raises it.
    package internal(set) var leaseEpoch: Int32 = 0
    /// Whether this worker led the run when it was read.
    package internal(set) var isLead = false
    /// How long this worker holds what it has leased without a sign of life.
    package internal(set) var leaseSeconds = Store.leaseSeconds

    /// A run of these parts.
    package init(
        id: Int64, campaign: String, occurrence: String, app: String,
        environment: APNSEnvironment, state: RunState, stopReason: String?, definition: String,
        definitionHash: String, collapseID: String?, expiresAtSeconds: Int64?, isFrozen: Bool,
        recipients: Int, probeRecipients: Int, isProbeOnly: Bool, isRehearsal: Bool,
        wish: RunWish?, pauseCause: PauseCause?, recordProtocol: Int,
        unconfirmed: UnconfirmedRule, maxRatePerSecond: Double?, startsAtMicroseconds: Int64?,
        liveWorkers: Int, workerID: Int32 = 0, leaseEpoch: Int32 = 0, isLead: Bool = false,
        leaseSeconds: Int = Store.leaseSeconds
    ) {
        self.id = id
        self.campaign = campaign
        self.occurrence = occurrence
        self.app = app
        self.environment = environment
        self.state = state
        self.stopReason = stopReason
        self.definition = definition
        self.definitionHash = definitionHash
        self.collapseID = collapseID
        self.expiresAtSeconds = expiresAtSeconds
        self.isFrozen = isFrozen
        self.recipients = recipients
        self.probeRecipients = probeRecipients
        self.isProbeOnly = isProbeOnly
        self.isRehearsal = isRehearsal
        self.wish = wish
        self.pauseCause = pauseCause
        self.recordProtocol = recordProtocol
        self.unconfirmed = unconfirmed
        self.maxRatePerSecond = maxRatePerSecond
        self.startsAtMicroseconds = startsAtMicroseconds
        self.liveWorkers = liveWorkers
        self.workerID = workerID
        self.leaseEpoch = leaseEpoch
        self.isLead = isLead
        self.leaseSeconds = leaseSeconds
    }
}

/// Something that the workers of a run are asked to do.
package struct RunWish: Sendable, Equatable {
    /// What is wished.
    package enum Kind: String, Sendable {
        case pause, cancel, brake
    }

    /// What.
    package let kind: Kind
    /// Who wishes it.
    package let by: String
    /// Why, as a sentence.
    package let text: String

    /// A wish of these parts.
    package init(kind: Kind, by: String, text: String) {
        self.kind = kind
        self.by = by
        self.text = text
    }
}

/// Why a run is paused.
package enum PauseCause: String, Sendable, CaseIterable {
    /// A person asked for it; only a person lets it go on.
    case request
    /// A brake tripped.
    case brake
    /// Its last process was stopped.
    case stop
    /// Credentials, campaign or audience were refused.
    case refused
    /// APNs could not be reached.
    case unreachable
}

/// What came of opening a run.
package enum OpenedRun: Sendable, Equatable {
    /// It is new, and this worker leads it.
    case created(Run)
    /// It had been started before, and this worker leads it now.
    case resumed(Run, doubt: Int)
    /// It has ended (see its state); nothing was changed.
    case finished(Run)
    /// Other workers are at it; nothing was changed.
    case held(by: WorkerDescription)
    /// A person has paused it; nothing was changed.
    case pausedByRequest(Run)
    /// It was started with another definition, is not finished, and may have reached somebody.
    case definitionChanged(Run)
    /// It was begun under another version of the record protocol.
    case otherProtocol(Run)
}

/// What came of joining a run.
package enum JoinedRun: Sendable, Equatable {
    /// This worker helps; it leads if nobody else did.
    case joined(Run)
    /// It has ended, or is paused or about to be; nothing was changed.
    case closed(Run)
    /// It was begun under another version of the record protocol.
    case otherProtocol(Run)
    /// There is no such run.
    case missing
}
