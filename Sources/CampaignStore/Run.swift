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

    /// Creates the description of a run.
    package init(
        campaign: String, occurrence: String, definition: String, definitionHash: String,
        app: String, environment: APNSEnvironment, startedBy: String,
        expiresAfterSeconds: Int64? = nil, isProbeOnly: Bool = false, isRehearsal: Bool = false,
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
    }
}

/// The process that wants to hold a run.
package struct WorkerFacts: Sendable, Equatable {
    /// The machine's name.
    package var host: String
    /// The process id.
    package var pid: Int32
    /// The process's start, in clock ticks since boot: a pid alone is used again.
    package var pidStartedTicks: UInt64
    /// The program's version.
    package var version: String

    /// Creates the facts.
    package init(host: String, pid: Int32, pidStartedTicks: UInt64, version: String) {
        self.host = host
        self.pid = pid
        self.pidStartedTicks = pidStartedTicks
        self.version = version
    }
}

/// The worker that holds a run.
package struct WorkerDescription: Sendable, Equatable, CustomStringConvertible {
    /// The worker's id in the database.
    package let id: Int32
    /// Its process.
    package let facts: WorkerFacts
    /// Seconds since it was last heard of.
    package let silentSeconds: Double
    /// Seconds until its lease ends.
    package let leaseSecondsLeft: Double

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
    /// The worker that this process is for the run; 0 if the run was only looked at.
    package internal(set) var workerID: Int32 = 0
    /// The fencing number: every change of holder raises it.
    package internal(set) var leaseEpoch: Int32 = 0
}

/// What came of opening a run.
package enum OpenedRun: Sendable, Equatable {
    /// It is new and held by this worker.
    case created(Run)
    /// It had been started before and is now held by this worker.
    /// ``Store/resolveDoubt(run:phase:rule:)`` comes before any sending.
    case resumed(Run)
    /// It has ended (see its state); nothing was changed.
    case finished(Run)
    /// Another worker holds it; nothing was changed.
    case held(by: WorkerDescription)
    /// It was started with another definition, is not finished, and may have reached somebody.
    case definitionChanged(Run)
}
