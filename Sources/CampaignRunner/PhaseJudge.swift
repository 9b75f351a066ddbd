internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// Turns each end of a request into an outcome or a park record, and watches the brakes.
///
/// *Ownership and thread*: one for each loop, and the loop's. It collects without a lock and hands
/// everything to the ``PhaseExchange`` once per turn.
final class PhaseJudge: PushLoopDelegate {
    private let rules: PhaseRules
    private let exchange: PhaseExchange
    private let stop: StopSwitch
    private let surroundings: any RunSurroundings
    private let startedNanoseconds: Int64
    // No accesses to these two overlap: their functions call nothing outside of them.
    private let brakes: ThreadBound<PhaseBrakes>
    private let outcomes = ThreadBound<[OutcomeRecord]>([])
    private var parks: [ParkRecord] = []
    /// What this turn added.
    private var turn: RunProgress

    private var reasonTexts: [ReasonCode: String] = [:]
    private var notes: [LoopNote] = []
    private var endedUnsubmitted = 0
    private var chance: SurroundingChance

    /// Requests on the wire get so long to be answered when the run stops.
    static let drainNanoseconds: Int64 = 10_000_000_000

    init(
        rules: PhaseRules, exchange: PhaseExchange, stop: StopSwitch,
        in surroundings: any RunSurroundings = SystemSurroundings()
    ) {
        self.rules = rules
        self.exchange = exchange
        self.stop = stop
        self.surroundings = surroundings
        chance = SurroundingChance(surroundings: surroundings)
        startedNanoseconds = surroundings.monotonicNanoseconds()
        brakes = ThreadBound(rules.brakes)
        turn = RunProgress(phase: rules.phase, total: 0)
    }

    // MARK: - PushLoopDelegate

    var stopDrainNanoseconds: Int64? { stop.tripped == nil ? nil : Self.drainNanoseconds }

    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd) {
        switch end {
        case .judged(let verdict): judged(entry, batch.slice, answer, verdict)
        case .unknown(let cause): unanswered(entry, batch.slice, answer, cause)
        case .notSent(let cause): notSent(entry, batch.slice, answer, cause)
        }
    }

    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64) {
        let met = brakes.value.turnEnded()
        let moved = submitted + endedUnsubmitted
        let isEmpty = outcomes.value.isEmpty && parks.isEmpty && notes.isEmpty
        guard moved > 0 || !isEmpty else { return }
        endedUnsubmitted = 0
        let evidence = exchange.state.withLock { state -> BrakeEvidence? in
            state.submitted += moved
            if state.oldestNanoseconds == nil, !outcomes.value.isEmpty || !parks.isEmpty {
                state.oldestNanoseconds = nowNanoseconds
            }
            state.outcomes.append(contentsOf: outcomes.value)
            state.parks.append(contentsOf: parks)
            state.notes.append(contentsOf: notes)
            state.reasonTexts.merge(reasonTexts) { _, new in new }
            state.progress.add(turn)
            return met.flatMap { state.brakes.add($0, nowNanoseconds: nowNanoseconds) }
        }
        trip(evidence)
        turn = RunProgress(phase: rules.phase, total: 0)
        outcomes.value.removeAll(keepingCapacity: true)
        parks.removeAll(keepingCapacity: true)
        notes.removeAll()
        reasonTexts.removeAll()
        exchange.state.signal()
    }

    func loopNoted(_ note: LoopNote) {
        switch note.kind {
        case .opened: turn.connections += 1
        case .closed: turn.connections -= 1
        case .attemptFailed, .draining, .goAway, .streamLimit, .clock, .pace, .tokenRenewed: break
        }
        notes.append(note)
    }

    func loopMetReason(_ code: ReasonCode, text: String) {
        reasonTexts[code] = text
    }

    func loopFailed(_ failure: LoopFailure) {
        switch failure {
        case .unreachable(let why): stop.trip(.unreachable(why))
        case .untrusted(let why): stop.trip(.untrusted(why))
        case .credentials(let why): stop.trip(.credentials(why))
        }
    }

    // MARK: - Judging

    private func judged(
        _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer, _ verdict: Verdict
    ) {
        switch verdict {
        case .accepted:
            trip(brakes.value.answered(.fine, isFinal: true))
            record(.accepted, entry, slice, answer)
        case .rejectedToken(kind: .gone):
            trip(brakes.value.answered(.gone, isFinal: true))
            turn.gone += 1
            record(.rejected, entry, slice, answer)
        case .rejectedToken, .rejected:
            let isInvalid = verdict.isInvalidTokenEvidence
            trip(brakes.value.answered(isInvalid ? .invalid : .fine, isFinal: true))
            record(.rejected, entry, slice, answer)
        case .stopRun(let kind):
            refuse(entry, slice, answer, isCredential: kind == .credential)
        case .renewCredential, .newConnectionOnce, .backOffCredential:
            refuse(entry, slice, answer, isCredential: true)
        case .retryLater, .retryOnNewConnection:
            let isParked = retry(entry, slice, answer, .transient, cause: .transient)
            trip(brakes.value.answered(.trouble, isFinal: !isParked))
        case .retryDevice:
            let isParked = retry(entry, slice, answer, .device, cause: .tooManyRequests)
            trip(brakes.value.answered(.fine, isFinal: !isParked))
        }
    }

    /// APNs refuses what is the same for everyone: this recipient is not to blame, it stays unsent
    /// and goes out when the fault is mended; the run stops.
    private func refuse(
        _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer, isCredential: Bool
    ) {
        park(entry, slice, answer.reason, .released, attempts: entry.attempts, pauseNanoseconds: 0)
        let row = ReasonTable.row(answer.reason)
        let name = row?.wire ?? "HTTP status \(answer.status)"
        let text = "APNs answered \(answer.status) \(name). \(row?.advice ?? "")"
        stop.trip(isCredential ? .credentials(text) : .campaign(text))
    }

    private func unanswered(
        _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer, _ cause: UnknownCause
    ) {
        trip(brakes.value.unanswered(isConnected: cause != .connectionLost))
        var answer = answer
        answer.reason = RunReason.unanswered(cause)
        guard rules.unconfirmed == .resend else {
            record(.unknown, entry, slice, answer)
            return
        }
        guard let pause = pause(.unconfirmed, after: entry, answer) else {
            record(.unknown, entry, slice, answer)
            return
        }
        park(
            entry, slice, answer.reason, .unconfirmed, attempts: attempts(after: entry),
            pauseNanoseconds: pause)
    }

    private func notSent(
        _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer, _ cause: NotSentCause
    ) {
        endedUnsubmitted += 1
        switch cause {
        case .stopped:
            park(entry, slice, .none, .released, attempts: entry.attempts, pauseNanoseconds: 0)
        case .refusedTooOften:
            var answer = answer
            answer.reason = RunReason.streamRefused
            _ = retry(entry, slice, answer, .transient, cause: .refused)
        }
    }

    /// Parks a recipient for its next attempt, or rejects it if there is none. Returns whether it
    /// is parked.
    private func retry(
        _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer, _ kind: RetryKind,
        cause: ParkCause
    ) -> Bool {
        guard let pause = pause(kind, after: entry, answer) else {
            record(.rejected, entry, slice, answer)
            return false
        }
        park(
            entry, slice, answer.reason, cause, attempts: attempts(after: entry),
            pauseNanoseconds: pause)
        return true
    }

    /// How long to wait before the next attempt; nil if there is none.
    private func pause(
        _ kind: RetryKind, after entry: PushEntry, _ answer: PushAnswer
    ) -> Int64? {
        let decision = RetrySchedule.next(
            kind, attempts: Int(attempts(after: entry)),
            elapsedNanoseconds: surroundings.monotonicNanoseconds() - startedNanoseconds,
            policy: rules.retry,
            askedNanoseconds: Int64(answer.retryAfterSeconds) * 1_000_000_000,
            jitter: Double.random(in: 0..<1, using: &chance))
        if case .after(let nanoseconds) = decision { return nanoseconds }
        return nil
    }

    private func attempts(after entry: PushEntry) -> UInt8 {
        entry.attempts == .max ? .max : entry.attempts + 1
    }

    // MARK: - Records

    private func record(
        _ kind: OutcomeKind, _ entry: PushEntry, _ slice: Int32, _ answer: PushAnswer
    ) {
        switch kind {
        case .accepted: turn.accepted += 1
        case .rejected: turn.rejected += 1
        case .unknown: turn.unknown += 1
        case .skipped: turn.skipped += 1
        }
        outcomes.value.append(
            OutcomeRecord(
                ordinal: entry.ordinal, kind: kind, status: answer.status, reason: answer.reason,
                attempts: attempts(after: entry), connection: answer.connection,
                latencyMicroseconds: answer.latencyMicroseconds,
                sentAtMicroseconds: answer.sentAtMicroseconds,
                apnsTimestampMilliseconds: answer.timestampMilliseconds,
                apnsIDHigh: answer.apnsID.high, apnsIDLow: answer.apnsID.low, source: slice))
    }

    private func park(
        _ entry: PushEntry, _ slice: Int32, _ reason: ReasonCode, _ cause: ParkCause,
        attempts: UInt8, pauseNanoseconds: Int64
    ) {
        turn.parked += 1
        parks.append(
            ParkRecord(
                ordinal: entry.ordinal, slice: slice, attempts: attempts, cause: cause,
                reason: reason,
                notBeforeMicroseconds: surroundings.wallMicroseconds() + pauseNanoseconds / 1000))
    }

    private func trip(_ evidence: BrakeEvidence?) {
        if let evidence { stop.trip(.brake(evidence)) }
    }
}
