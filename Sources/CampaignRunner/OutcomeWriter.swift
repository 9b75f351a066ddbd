internal import APNSClient
internal import APNSProtocol
internal import CampaignStore
internal import LinuxIO

/// Records outcomes and announces what goes next, both in one transaction, and only then hands the
/// announced batches to the loop.
///
/// This order is what makes a crash harmless: whatever is on the wire was announced and committed
/// before, so a recipient without an outcome is either beyond every announcement, and certainly not
/// sent, or inside one, and in doubt.
///
/// *Ownership and thread*: the writer thread's, with a database connection of its own.
final class OutcomeWriter {
    private let store: any RunStore
    private let patience: DatabasePatience
    private let surroundings: any RunSurroundings
    private let run: Run
    private let phase: RunPhase
    private let pace: PhasePace
    private let exchange: PhaseExchange
    private let client: any RunClient
    private let baseTexts: [ReasonCode: String]

    /// A transaction is worth it with so many outcomes …
    private static let flushCount = 5000
    /// … or when the oldest has waited so long.
    private static let flushNanoseconds: Int64 = 200_000_000
    /// With nothing to record the lease is renewed so often.
    private static let heartbeatNanoseconds: Int64 = 3_000_000_000

    private var lastRecordNanoseconds: Int64
    private var chance: SurroundingChance

    init(
        store: any RunStore, run: Run, phase: RunPhase, pace: PhasePace,
        exchange: PhaseExchange, client: any RunClient, texts: [ReasonCode: String],
        in surroundings: any RunSurroundings
    ) {
        self.store = store
        self.surroundings = surroundings
        patience = DatabasePatience(store: store, in: surroundings)
        lastRecordNanoseconds = surroundings.monotonicNanoseconds()
        chance = SurroundingChance(surroundings: surroundings)
        self.run = run
        self.phase = phase
        self.pace = pace
        self.exchange = exchange
        self.client = client
        baseTexts = texts
    }

    private struct Work {
        var batch: RecordBatch
        var announced: [RenderedBatch]
        var notes: [LoopNote]
        var isLast: Bool
    }

    /// Writes until the loop is done and everything it told is recorded.
    func write() throws(StoreError) {
        while true {
            let work = take()
            let isEmpty = work.batch.isEmpty
            if !isEmpty {
                try patience.perform { () throws(StoreError) in
                    _ = try store.record(work.batch, run: run)
                }
            } else if isHeartbeatDue {
                try patience.perform { () throws(StoreError) in try store.heartbeat(run: run) }
            }
            if !isEmpty || isHeartbeatDue {
                lastRecordNanoseconds = surroundings.monotonicNanoseconds()
            }
            settle(work)
            for note in work.notes { try write(note) }
            if work.isLast { return }
        }
    }

    private func write(_ note: LoopNote) throws(StoreError) {
        try patience.perform { () throws(StoreError) in
            try store.addEvent(
                run: run, kind: note.kind.rawValue,
                text: "connection \(note.connection): \(note.text)")
        }
    }

    private var isHeartbeatDue: Bool {
        surroundings.monotonicNanoseconds() - lastRecordNanoseconds >= Self.heartbeatNanoseconds
    }

    // MARK: - Taking work

    private func take() -> Work {
        let heartbeat = lastRecordNanoseconds + Self.heartbeatNanoseconds
        while true {
            let oldest = exchange.state.withLock { $0.oldestNanoseconds }
            let until = min(oldest.map { $0 + Self.flushNanoseconds } ?? heartbeat, heartbeat)
            let isDue = exchange.state.take(untilNanoseconds: until) { state -> Bool? in
                if isWorth(state) { return true }
                // The first outcome sets a moment of its own: wait for that one.
                return oldest == nil && state.oldestNanoseconds != nil ? false : nil
            }
            if isDue ?? true { break }
        }
        return exchange.state.withLock { takeWork(&$0) }
    }

    private func isWorth(_ state: PhaseExchange.State) -> Bool {
        state.outcomes.count >= Self.flushCount || state.isLoopDone || announceable(state) > 0
    }

    /// How many rendered batches the window has room for now.
    private func announceable(_ state: PhaseExchange.State) -> Int {
        guard !state.isClosed else { return 0 }
        var unsubmitted = state.announced - state.submitted
        var unrecorded = state.announced - state.recorded
        var count = 0
        for batch in state.rendered {
            let pushes = batch.push?.entries.count ?? 0
            // A window smaller than the batch still lets one batch through when it is empty.
            guard unsubmitted == 0 || unsubmitted + pushes <= pace.window,
                unrecorded == 0 || unrecorded + batch.count <= pace.unrecordedMax
            else { break }
            unsubmitted += pushes
            unrecorded += batch.count
            count += 1
        }
        return count
    }

    private func takeWork(_ state: inout PhaseExchange.State) -> Work {
        let count = announceable(state)
        let announced = Array(state.rendered.prefix(count))
        state.isAnnouncing = count > 0
        state.rendered.removeFirst(count)
        var batch = RecordBatch(phase: phase, id: .random(in: 1...Int64.max, using: &chance))
        swap(&batch.outcomes, &state.outcomes)
        swap(&batch.parks, &state.parks)
        for rendered in announced {
            batch.outcomes.append(contentsOf: rendered.skips)
            batch.announcements.append(rendered.announcement)
            state.announced += rendered.count
            state.submitted += rendered.skips.count
            state.progress.skipped += rendered.skips.count
        }
        batch.reasonTexts = baseTexts.merging(state.reasonTexts) { _, new in new }
        state.oldestNanoseconds = nil
        let notes = state.notes
        state.notes.removeAll()
        return Work(batch: batch, announced: announced, notes: notes, isLast: state.isLoopDone)
    }

    // MARK: - After the commit

    private func settle(_ work: Work) {
        let pushes = work.announced.compactMap(\.push)
        if !pushes.isEmpty { client.submit(pushes) }
        exchange.state.withLock {
            $0.recorded += work.batch.outcomes.count + work.batch.parks.count
            $0.isAnnouncing = false
        }
        exchange.state.signal()
        exchange.wakeReader()
    }
}
