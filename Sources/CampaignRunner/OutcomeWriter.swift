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
    private let stop: StopSwitch
    private let client: any RunClient
    private let baseTexts: [ReasonCode: String]
    private let numbers: BatchNumbers

    private var standing = Standing.holding
    private var unrecorded: [RecordBatch] = []

    init(
        store: any RunStore, run: Run, phase: RunPhase, pace: PhasePace,
        exchange: PhaseExchange, stop: StopSwitch, client: any RunClient,
        texts: [ReasonCode: String], numbers: BatchNumbers,
        in surroundings: any RunSurroundings
    ) {
        self.store = store
        self.surroundings = surroundings
        patience = DatabasePatience(
            store: store, in: surroundings, nanosecondsMax: pace.patienceNanoseconds)
        self.run = run
        self.phase = phase
        self.pace = pace
        self.exchange = exchange
        self.stop = stop
        self.client = client
        baseTexts = texts
        self.numbers = numbers
    }

    private struct Work {
        var batch: RecordBatch
        var announced: [RenderedBatch]
        var notes: [LoopNote]
        var isLast: Bool
    }

    /// How this worker stands with the database.
    private enum Standing {
        /// It holds its lease.
        case holding
        /// It was evicted: its doubt is settled, and only answers are still of use.
        case evicted
        /// The database is out of reach: what is learnt is kept.
        case cutOff
    }

    /// Writes until the loop is done and everything it told is recorded, or can't be.
    ///
    /// - Returns: what could not be recorded.
    func write() -> [RecordBatch] {
        while true {
            let work = take()
            if !work.batch.isEmpty { record(work) }
            settle(work)
            if standing == .holding { write(work.notes) }
            if work.isLast { return unrecorded }
        }
    }

    /// Records a batch as this worker's standing allows; a failure changes the standing, and stops
    /// the phase.
    private func record(_ work: Work) {
        do throws(StoreError) {
            switch standing {
            case .holding:
                try patience.perform { () throws(StoreError) in
                    _ = try store.record(work.batch, run: run)
                }
            case .evicted:
                try patience.perform { () throws(StoreError) in
                    _ = try store.recordLate(work.batch, run: run)
                }
            case .cutOff: keep(work)
            }
        } catch {
            if case .leaseLost = error {
                standing = .evicted
                stop.trip(.leaseLost)
                record(work)
            } else {
                standing = .cutOff
                stop.trip(StopCause(error))
                keep(work)
            }
        }
    }

    /// Keeps what could not be recorded. Nobody knows whether its announcements were committed;
    /// what they announce has not gone to the loop and never will, which is worth recording with
    /// them.
    private func keep(_ work: Work) {
        unrecorded.append(work.batch)
        let entries = work.announced.compactMap(\.push).flatMap { push in
            push.entries.map { (push.slice, $0) }
        }
        guard !entries.isEmpty else { return }
        var released = RecordBatch(phase: phase, id: nextID())
        released.parks = entries.map { slice, entry in
            ParkRecord(
                ordinal: entry.ordinal, slice: slice, attempts: entry.attempts, cause: .released,
                notBeforeMicroseconds: surroundings.wallMicroseconds())
        }
        unrecorded.append(released)
    }

    /// Writes to the journal. It is not worth a stop: a line that can't be written is left out.
    private func write(_ notes: [LoopNote]) {
        for note in notes {
            try? store.addEvent(
                run: run, kind: note.kind.rawValue,
                text: "connection \(note.connection): \(note.text)")
        }
    }

    private func nextID() -> Int64 {
        numbers.next(nowNanoseconds: surroundings.monotonicNanoseconds())
    }

    // MARK: - Taking work

    private func take() -> Work {
        while true {
            let oldest = exchange.state.withLock { $0.oldestNanoseconds }
            let until = oldest.map { $0 + pace.flushNanoseconds }
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
        state.outcomes.count >= pace.flushCount || state.isLoopDone || announceable(state) > 0
    }

    /// How many rendered batches may be announced now: none until half of the window is used up, so
    /// that a transaction is worth its cost, then as many as it has room for.
    private func announceable(_ state: PhaseExchange.State) -> Int {
        var unsubmitted = state.announced - state.submitted
        guard !state.isClosed, unsubmitted <= pace.window / 2 else { return 0 }
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
        var batch = RecordBatch(phase: phase, id: nextID())
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
        batch.allowsMarking = state.brakes.allowsMarking
        state.oldestNanoseconds = nil
        let notes = state.notes
        state.notes.removeAll()
        return Work(batch: batch, announced: announced, notes: notes, isLast: state.isLoopDone)
    }

    // MARK: - After the commit

    private func settle(_ work: Work) {
        let pushes = work.announced.compactMap(\.push)
        // Without a commit nothing may go on the wire.
        if standing == .holding, !pushes.isEmpty { client.submit(pushes) }
        exchange.state.withLock {
            $0.recorded += work.batch.outcomes.count + work.batch.parks.count
            $0.isAnnouncing = false
        }
        exchange.state.signal()
        exchange.wakeReader()
    }
}
