internal import APNSProtocol
internal import CampaignStore

/// The tables of schema `sortie` as far as runs read and write them, for one run.
///
/// A value: a copy is what a transaction goes back to.
struct ModelTables {
    /// A row of `sortie.run`. Times are microseconds since 1970.
    struct RunRow {
        let id: Int64
        var new: NewRun
        var collapseID: String?
        var expiresAtSeconds: Int64?
        var state = RunState.planned
        var stopReason: String?
        var wish: RunWish?
        var wishAt: Int64?
        var pausedFrom: RunState?
        var pauseCause: PauseCause?
        var recipients = 0
        var probeRecipients = 0
        var isFrozen = false
        var leadID: Int32?
        var leaseEpoch: Int32 = 0
    }

    /// A row of `sortie.worker`.
    struct WorkerRow {
        let id: Int32
        let facts: WorkerFacts
        var heartbeatAt: Int64
        var leaseExpiresAt: Int64
        var lastBatch: Int64 = 0
        var endedAt: Int64?
        var endReason: String?
        var rateShare: Int64 = 0
        var allowsMarking = true

        func isLive(_ now: Int64) -> Bool { endedAt == nil && leaseExpiresAt >= now }
    }

    /// A row of `sortie.recipient`; the ordinal is its place in the list, from 1.
    struct Recipient {
        let device: Int
        let isProbed: Bool
    }

    /// A row of `sortie.slice`.
    struct SliceRow {
        enum State { case open, leased, done }

        let number: Int32
        let first: Int32
        let last: Int32
        let size: Int32
        var sendingThrough: Int32
        var recorded: Int32 = 0
        var state = State.open
        var workerID: Int32?
    }

    /// A row of `sortie.outcome`.
    struct OutcomeRow: Equatable {
        var kind: OutcomeKind
        var status: UInt16
        var reason: String?
        var attempts: UInt8
        var workerID: Int32
        var sentAt: Int64
        var apnsTimestamp: Int64
    }

    /// A row of `sortie.retry`.
    struct ParkRow: Equatable {
        var attempts: UInt8
        var cause: ParkCause
        var reason: String?
        var notBefore: Int64
        var parkedAt: Int64
        var isAnnounced = false
        var workerID: Int32?
    }

    /// A row of `sortie.device`; its id is its place in the list, from 1.
    struct DeviceRow: Equatable {
        enum Status: String { case active, unregistered, invalid }

        var token: String
        var registeredAt: Int64
        var status = Status.active
        var statusReason: String?
        var statusAt: Int64 = 0
    }

    /// A row of `sortie.device_event`.
    struct DeviceEvent {
        let device: Int
        let at: Int64
        let before: DeviceRow.Status
        let after: DeviceRow.Status
        let reason: String?
        let reasonBefore: String?
    }

    /// A row of `sortie.tally`.
    struct Tally: Equatable {
        let phase: RunPhase
        let workerID: Int32
        let kind: OutcomeKind
        let reason: String
        var count: Int64
    }

    /// The reason of outcomes that an eviction writes.
    static let lostWorkerReason = "worker lost before the answer was recorded"

    var run: RunRow?
    var workers: [WorkerRow] = []
    var recipients: [Recipient] = []
    /// By phase, then by place.
    var slices: [[SliceRow]] = [[], []]
    /// By phase, then by ordinal less one.
    var outcomes: [[OutcomeRow?]] = [[], []]
    /// By phase, then by ordinal less one.
    var parks: [[ParkRow?]] = [[], []]
    var devices: [DeviceRow] = []
    var deviceEvents: [DeviceEvent] = []
    var tallies: [Tally] = []

    // MARK: - Looking

    /// The place of a phase in the lists.
    static func index(_ phase: RunPhase) -> Int { phase == .probe ? 0 : 1 }

    /// The phase that decides whether the run is finished.
    var mainPhase: RunPhase { run?.new.isProbeOnly == true ? .probe : .send }

    func worker(_ id: Int32) -> WorkerRow? {
        id >= 1 && Int(id) <= workers.count ? workers[Int(id) - 1] : nil
    }

    func liveWorkers(_ now: Int64) -> Int { workers.count { $0.isLive(now) } }

    /// Whether a recipient takes part in a phase.
    func takesPart(_ ordinal: Int32, _ phase: RunPhase) -> Bool {
        phase == .send || recipients[Int(ordinal) - 1].isProbed
    }

    func outcome(_ phase: RunPhase, _ ordinal: Int32) -> OutcomeRow? {
        outcomes[Self.index(phase)][Int(ordinal) - 1]
    }

    func park(_ phase: RunPhase, _ ordinal: Int32) -> ParkRow? {
        parks[Self.index(phase)][Int(ordinal) - 1]
    }

    func isRecorded(_ phase: RunPhase, _ ordinal: Int32) -> Bool {
        outcome(phase, ordinal) != nil || park(phase, ordinal) != nil
    }

    /// The recipients with an outcome in a phase, by the tallies.
    func tallied(_ phase: RunPhase, _ kind: OutcomeKind? = nil) -> Int64 {
        tallies.reduce(0) { sum, tally in
            tally.phase == phase && (kind == nil || tally.kind == kind) ? sum + tally.count : sum
        }
    }

    // MARK: - Changing

    mutating func count(
        _ phase: RunPhase, _ workerID: Int32, _ kind: OutcomeKind, _ reason: String, _ count: Int64
    ) {
        let index = tallies.firstIndex {
            $0.phase == phase && $0.workerID == workerID && $0.kind == kind && $0.reason == reason
        }
        if let index {
            tallies[index].count += count
        } else if count != 0 {
            tallies.append(
                Tally(
                    phase: phase, workerID: workerID, kind: kind, reason: reason, count: count))
        }
    }
}
