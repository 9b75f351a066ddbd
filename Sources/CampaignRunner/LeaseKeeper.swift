internal import APNSClient
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// Keeps this worker's lease alive, and tells the worker what the others and the people want.
///
/// Once a second it renews the lease and so learns the run's state, what was asked for, and how
/// many share `max_rate`; it evicts workers that are lost; and it passes on at once what must stop
/// all workers. What it may not renew runs out: the permit lets no request begin after half the
/// lease.
///
/// *Ownership and thread*: made and finished by the run's thread; works on one of its own, with a
/// database connection of its own, so that neither a long query nor a slow commit costs the lease.
final class LeaseKeeper: Sendable {
    /// What is known from the last renewal.
    struct Standing: Sendable {
        /// Workers that have not ended, this one included.
        var workers = 1
        /// Outcomes of the phase that is under way, of all workers; nil while this is the only one.
        var phaseDone: Int?
        /// The phase to count.
        var phase: RunPhase?
    }

    /// Until when requests may begin, and how many.
    let permit: SendPermit

    private let run: Run
    private let database: String
    private let stop: StopSwitch
    private let surroundings: any RunSurroundings
    private let standing: Monitor<Standing>
    private let call: Monitor<Call>
    private let thread: Monitor<(any RunThread)?>

    private struct Call: Sendable {
        var isOver = false
        /// Somebody tripped the switch since the keeper looked last.
        var isTripped = false
    }

    /// How often the lease is renewed.
    private static let beatNanoseconds: Int64 = 1_000_000_000
    /// The pause after a failure.
    private static let pauseNanoseconds: Int64 = 500_000_000

    /// A keeper that has not started.
    ///
    /// - Parameters:
    ///   - run: the run as this worker entered it.
    ///   - enteredNanoseconds: a moment before it did, monotonic.
    ///   - database: the libpq connection string.
    ///   - stop: tripped by what the keeper learns; what others trip it with is passed on.
    ///   - surroundings: the world around the run.
    init(
        run: Run, enteredNanoseconds: Int64, database: String, stop: StopSwitch,
        in surroundings: any RunSurroundings
    ) {
        self.run = run
        self.database = database
        self.stop = stop
        self.surroundings = surroundings
        standing = surroundings.monitor(Standing())
        call = surroundings.monitor(Call())
        thread = surroundings.monitor(nil)
        permit = SendPermit(
            deadlineNanoseconds: enteredNanoseconds + Self.sendingNanoseconds(run.leaseSeconds))
        if run.maxRatePerSecond != nil { permit.thousandthsPerSecond = 0 }
    }

    /// For how long after a renewal requests may begin: half the lease, so that what began last is
    /// answered, or given up, about when others take over.
    private static func sendingNanoseconds(_ leaseSeconds: Int) -> Int64 {
        Int64(leaseSeconds) * 500_000_000
    }

    /// Starts keeping.
    ///
    /// - Throws: `SystemError` if no thread can be made.
    func start() throws(SystemError) {
        let call = call
        stop.onTrip {
            call.withLock { $0.isTripped = true }
            call.signal()
        }
        let started = try surroundings.startThread(name: "sortie-lease") { [self] in keep() }
        thread.withLock { $0 = started }
    }

    /// Stops keeping, and waits for the thread.
    func finish() {
        stop.onTrip(nil)
        call.withLock { $0.isOver = true }
        call.signal()
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        started?.join()
    }

    /// What was learnt last.
    var learnt: Standing { standing.withLock { $0 } }

    /// Counts the outcomes of this phase from now on, while there are several workers.
    func watch(_ phase: RunPhase) {
        standing.withLock {
            $0.phase = phase
            $0.phaseDone = nil
        }
    }

    // MARK: - The thread

    private func keep() {
        var round = Round()
        while true {
            let next = beat(&round)
            if round.isLost { return }
            let isOver = call.take(untilNanoseconds: next) { call -> Bool? in
                if call.isOver { return true }
                guard call.isTripped else { return nil }
                call.isTripped = false
                return false
            }
            if isOver == true { return }
        }
    }

    /// What the keeper's thread remembers between two beats.
    private struct Round {
        var store: (any RunStore)?
        var share: Int64 = 0
        var hasTold = false
        var isLost = false
    }

    /// One renewal. Returns when the next is due.
    private func beat(_ round: inout Round) -> Int64 {
        let now = surroundings.monotonicNanoseconds()
        do throws(StoreError) {
            let store = try connected(&round)
            // The renewal comes first: it must not wait for anything that could be refused.
            let heard = try store.heartbeat(run: run, share: round.share)
            permit.deadlineNanoseconds = now + Self.sendingNanoseconds(run.leaseSeconds)
            obey(heard)
            try tell(store, &round)
            try share(heard, store, &round)
            try evictTheLost(store)
            try count(heard, store)
            return now + Self.beatNanoseconds
        } catch {
            if case .leaseLost = error {
                permit.deadlineNanoseconds = now
                stop.trip(.leaseLost)
                round.isLost = true
                return now
            }
            // The next beat begins with another connection; the permit bounds the harm meanwhile.
            if error.isConnectionLost || !error.isRetryable { round.store = nil }
            return now + Self.pauseNanoseconds
        }
    }

    private func connected(_ round: inout Round) throws(StoreError) -> any RunStore {
        if let store = round.store { return store }
        let store = try surroundings.openStore(conninfo: database, purpose: "lease")
        round.store = store
        return store
    }

    /// A brake, or a refusal that concerns everybody, stops the other workers too.
    private func tell(_ store: any RunStore, _ round: inout Round) throws(StoreError) {
        guard !round.hasTold, let wish = stop.tripped?.wishForAll else { return }
        _ = try store.ask(runID: run.id, wish)
        round.hasTold = true
    }

    private func obey(_ heard: Heartbeat) {
        if let wish = heard.wish {
            stop.trip(.wished(wish))
        } else if heard.state.isClosed {
            stop.trip(.closed(heard.state))
        }
    }

    /// Keeps to the fair share of `max_rate`. A lower one holds here before the database hears of
    /// it, with the next beat, and can give it to others; a higher one only after it was granted.
    private func share(
        _ heard: Heartbeat, _ store: any RunStore, _ round: inout Round
    ) throws(StoreError) {
        guard let total = heard.maxRateThousandths else { return }
        let fair = RateShare.fair(total: total, workers: heard.workers, rank: heard.rank)
        guard fair != round.share else { return }
        if fair > round.share { round.share = try store.takeShare(run: run, wanted: fair) }
        round.share = min(round.share, fair)
        permit.thousandthsPerSecond = round.share
    }

    private func evictTheLost(_ store: any RunStore) throws(StoreError) {
        let here = surroundings.workerFacts(version: "")
        for peer in try store.peers(run: run) where peer.id != run.workerID {
            if peer.leaseSecondsLeft <= 0 {
                _ = try store.evict(worker: peer.id, reason: "its lease ran out", force: false)
            } else if peer.facts.isNeighbour(of: here),
                !surroundings.isAlive(
                    processID: peer.facts.pid, startedAtTicks: peer.facts.pidStartedTicks)
            {
                _ = try store.evict(worker: peer.id, reason: "its process is gone", force: true)
            }
        }
    }

    private func count(_ heard: Heartbeat, _ store: any RunStore) throws(StoreError) {
        let phase = standing.withLock { standing in
            standing.workers = heard.workers
            return standing.phase
        }
        guard heard.workers > 1, let phase else { return }
        let counts = try store.progress(run: run, phase: phase)
        standing.withLock { if $0.phase == phase { $0.phaseDone = counts.done } }
    }
}

extension StopCause {
    /// What all workers of the run are to be asked for; nil if the cause concerns this one only, or
    /// came from the others.
    var wishForAll: RunWish? {
        switch self {
        case .brake(let evidence):
            RunWish(
                kind: .brake, by: "brake \(evidence.name)",
                text: "brake \(evidence.name): \(evidence)")
        case .campaign(let text): RunWish(kind: .brake, by: "APNs", text: text)
        case .requested, .credentials, .unreachable, .untrusted, .database, .leaseLost, .wished,
            .closed, .reload:
            nil
        }
    }
}
