internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO

/// Reads the recipients of a phase out of the database, renders their requests, and hands them on
/// in batches: first slice by slice, then the parked ones as their time comes.
///
/// Rows are read in chunks that are finished before anything waits, so that no query stays open
/// while the pace holds the run back.
///
/// *Ownership and thread*: the reader thread's, with a database connection of its own.
final class RecipientReader {
    private let store: any RunStore
    private let patience: DatabasePatience
    private let surroundings: any RunSurroundings
    private let run: Run
    private let phase: RunPhase
    private let isCanary: Bool
    private let pace: PhasePace
    private let exchange: PhaseExchange
    private let stop: StopSwitch
    private let renderer: RequestRenderer
    private let permit: SendPermit
    /// The slices taken so far, so that only one whose answer was lost is given out again.
    private var taken: [Int32] = []
    private var hasToldOfRetries = false
    /// How many recipients are read next: few to begin with, so that the first go out soon.
    private var chunk: Int

    /// The longest sleep between two looks at the clock while parked recipients wait.
    private static let napNanoseconds: Int64 = 1_000_000_000
    /// The longest wait for a turn before the stop switch is looked at again.
    private static let turnNanoseconds: Int64 = 100_000_000
    /// The shortest, so that a recipient that another worker is about to claim does not make it
    /// spin.
    private static let shortestNapNanoseconds: Int64 = 20_000_000
    /// How long to wait before asking again whether other workers are done.
    private static let othersNapMicroseconds: Int64 = 200_000

    init(
        store: any RunStore, run: Run, phase: RunPhase, isCanary: Bool, pace: PhasePace,
        exchange: PhaseExchange, stop: StopSwitch, permit: SendPermit, renderer: RequestRenderer,
        in surroundings: any RunSurroundings
    ) {
        self.store = store
        self.surroundings = surroundings
        patience = DatabasePatience(
            store: store, in: surroundings, nanosecondsMax: pace.patienceNanoseconds)
        self.run = run
        self.phase = phase
        self.isCanary = isCanary
        self.pace = pace
        self.exchange = exchange
        self.stop = stop
        self.permit = permit
        self.renderer = renderer
        chunk = pace.batch
    }

    /// Reads until nothing is left of the phase, whoever has it, or the run stops.
    func read() throws(StoreError) {
        if isCanary { return try readCanary() }
        while stop.tripped == nil {
            if hasNoShare {
                if try rest().isNothing { return }
                nap(untilMicroseconds: .max, "a share of max_rate")
                continue
            }
            if let slice = try nextSlice() {
                taken.append(slice.number)
                try read(slice)
                continue
            }
            guard waitUntilSettled() else { return }
            if try readParked() { continue }
            let rest = try rest()
            if rest.isNothing { return }
            wait(for: rest)
        }
    }

    /// Reads those who go first, until each has an outcome or is parked for later. As long as they
    /// go, nobody else is in the retry list.
    private func readCanary() throws(StoreError) {
        while stop.tripped == nil, waitUntilSettled(), try readParked() {}
    }

    /// A worker that may send nothing must not keep recipients from those that may.
    private var hasNoShare: Bool { permit.thousandthsPerSecond == 0 }

    private func nextSlice() throws(StoreError) -> Slice? {
        try patience.perform { () throws(StoreError) in
            try store.leaseNextSlice(run: run, phase: phase, besides: taken)
        }
    }

    private func rest() throws(StoreError) -> PhaseRest {
        try patience.perform { () throws(StoreError) in try store.rest(run: run, phase: phase) }
    }

    /// Everything open is done or in other hands, and what is parked is not due.
    private func wait(for rest: PhaseRest) {
        if phase == .send, rest.slices == 0, !hasToldOfRetries, run.isLead {
            // If another worker leads by now, it will say so.
            hasToldOfRetries = (try? store.setState(run: run, to: .retrying)) != nil
        }
        let others = surroundings.wallMicroseconds() + Self.othersNapMicroseconds
        guard rest.slices == 0, let due = rest.nextRetryMicroseconds else {
            nap(untilMicroseconds: others, "what other workers have in hand")
            return
        }
        nap(untilMicroseconds: due, "the next recipient that was put off")
    }

    private func read(_ slice: Slice) throws(StoreError) {
        var from = slice.nextOrdinal
        while from <= slice.lastOrdinal, stop.tripped == nil {
            let through = min(slice.lastOrdinal, from + Int32(chunk) - 1)
            chunk = pace.chunk
            let batches = try render(slice, from, through)
            for batch in batches { guard hand(batch) else { return } }
            from = through + 1
        }
    }

    /// Reads and renders a chunk; the query is over when it returns.
    private func render(
        _ slice: Slice, _ from: Int32, _ through: Int32
    ) throws(StoreError) -> [RenderedBatch] {
        try patience.perform { () throws(StoreError) in
            var batches: [RenderedBatch] = []
            let renderer = renderer
            renderer.begin(nowMicroseconds: surroundings.wallMicroseconds())
            try store.streamRecipients(
                run: run, phase: phase, slice: slice, from: from, through: through,
                columns: renderer.columns
            ) { row, bytes, values in
                if renderer.add(row, bytes, values) {
                    batches.append(renderer.seal(slice: slice.number, through: row.ordinal))
                }
            }
            // The last batch carries the mark to the end of the chunk, also when it has no rows.
            batches.append(renderer.seal(slice: slice.number, through: through))
            return batches
        }
    }

    /// Reads parked recipients whose time has come. Returns false if there were none.
    private func readParked() throws(StoreError) -> Bool {
        let claimed = try patience.perform { () throws(StoreError) in
            try store.claimRetries(
                run: run, phase: phase, nowMicroseconds: surroundings.wallMicroseconds(),
                limit: pace.chunk)
        }
        if claimed == 0 { return false }
        let batches = try patience.perform { () throws(StoreError) in
            var batches: [RenderedBatch] = []
            let renderer = renderer
            renderer.begin(nowMicroseconds: surroundings.wallMicroseconds())
            try store.claimedRetries(run: run, phase: phase, columns: renderer.columns) {
                row, bytes, values in
                if renderer.add(row, bytes, values) {
                    batches.append(renderer.sealParked())
                }
            }
            if renderer.count > 0 { batches.append(renderer.sealParked()) }
            return batches
        }
        for batch in batches { guard hand(batch) else { break } }
        return !batches.isEmpty
    }

    /// Hands a batch to the writer; waits while it has enough. Returns false if the run stops.
    private func hand(_ batch: RenderedBatch) -> Bool {
        while stop.tripped == nil {
            let turn = exchange.readerTurn.withLock { $0 }
            let isRoom = exchange.gauge.bytes < PhaseExchange.batchBytesMax
            let isTaken = exchange.state.withLock { state in
                guard isRoom, state.rendered.count < PhaseExchange.renderedMax else {
                    return false
                }
                state.rendered.append(batch)
                return true
            }
            if isTaken {
                exchange.state.signal()
                return true
            }
            waitForTurn(after: turn)
        }
        return false
    }

    /// Waits until everything handed on is recorded. Returns false if the run stops.
    private func waitUntilSettled() -> Bool {
        while stop.tripped == nil {
            let turn = exchange.readerTurn.withLock { $0 }
            let isSettled = exchange.state.withLock {
                $0.rendered.isEmpty && $0.recorded == $0.announced
            }
            if isSettled { return true }
            waitForTurn(after: turn)
        }
        return false
    }

    private func waitForTurn(after turn: Int) {
        _ = exchange.readerTurn.wait(
            untilNanoseconds: surroundings.monotonicNanoseconds() + Self.turnNanoseconds
        ) { $0 != turn }
    }

    private func nap(untilMicroseconds: Int64, _ reason: String) {
        let now = surroundings.wallMicroseconds()
        let left = untilMicroseconds == .max ? .max : max(0, untilMicroseconds - now) * 1000
        let nap = min(max(left, Self.shortestNapNanoseconds), Self.napNanoseconds)
        let seconds = left == .max ? "" : ", in \(left / 1_000_000_000) s"
        exchange.state.withLock { $0.waitingFor = reason + seconds }
        _ = stop.wait(untilNanoseconds: surroundings.monotonicNanoseconds() + nap)
        exchange.state.withLock { $0.waitingFor = nil }
    }
}
