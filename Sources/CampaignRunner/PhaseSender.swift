internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO

/// Runs one phase of a run on three threads: the reader, the loop and the writer.
///
/// *Ownership and thread*: the run's own thread calls ``send(observer:)`` once and waits in it.
struct PhaseSender {
    let run: Run
    let phase: RunPhase
    /// Only those who go first, or everybody who is left.
    let isCanary: Bool
    let rules: PhaseRules
    let pace: PhasePace
    let client: PushClientConfiguration
    /// Makes the reader's renderer, on its thread.
    let renderer: @Sendable (BatchGauge) -> RequestRenderer
    let texts: [ReasonCode: String]
    /// Where the phase stands, and since when it is under way, monotonic.
    let progress: RunProgress
    let startedNanoseconds: Int64
    let database: String
    let stop: StopSwitch
    let keeper: LeaseKeeper
    let numbers: BatchNumbers
    let surroundings: any RunSurroundings

    /// How often the observer hears of progress.
    private static let progressNanoseconds: Int64 = 200_000_000

    /// What a phase ended with.
    struct End {
        var progress: RunProgress
        /// Whether nothing seen speaks against marking devices.
        var allowsMarking: Bool
        /// What could not be recorded.
        var unrecorded: [RecordBatch]
    }

    /// Sends the phase. Returns the last numbers; why it stopped early is in the ``StopSwitch``.
    ///
    /// - Throws: ``StoreError`` if the database can't be reached to begin with, or ``SystemError``
    ///   by way of ``StopCause/unreachable(_:)`` if no thread can be made.
    func send(observer: any RunObserver) throws(StoreError) -> End {
        let exchange = PhaseExchange(
            progress: progress, brakes: rules.brakes, in: surroundings)
        var meter = ProgressMeter(nowNanoseconds: startedNanoseconds)
        let readerStore = try DatabasePatience.open(
            conninfo: database, purpose: "reader", in: surroundings,
            nanosecondsMax: pace.patienceNanoseconds)
        let writerStore = try DatabasePatience.open(
            conninfo: database, purpose: "writer", in: surroundings,
            nanosecondsMax: pace.patienceNanoseconds)
        let unrecorded = surroundings.monitor([RecordBatch]())
        let judges = (0..<client.loops).map { _ in
            PhaseJudge(rules: rules, exchange: exchange, stop: stop, in: surroundings)
        }
        do {
            let pushClient = try surroundings.startClient(
                configuration: client, delegates: judges)
            let tender = try tender(pushClient)
            // The loop may wait for a token up to its very end.
            defer { tender?.finish() }
            let threads = try start(
                exchange, readerStore, writerStore, pushClient, unrecorded)
            watch(exchange, &meter, observer)
            // The order matters: no more batches, no more announcements, no more answers, no more
            // records. A batch announced and not handed over would be in doubt for nothing.
            threads.reader.join()
            exchange.closeAnnouncements()
            if stop.tripped != nil {
                pushClient.stop(drainNanoseconds: PhaseJudge.drainNanoseconds)
            } else {
                pushClient.finish()
            }
            pushClient.join()
            exchange.state.withLock { $0.isLoopDone = true }
            exchange.state.signal()
            threads.writer.join()
        } catch {
            stop.trip(.unreachable("no thread could be started: \(error)"))
        }
        let now = surroundings.monotonicNanoseconds()
        let kept = unrecorded.withLock { $0 }
        return exchange.state.withLock {
            End(
                progress: meter.final($0.progress, nowNanoseconds: now),
                allowsMarking: $0.brakes.allowsMarking, unrecorded: kept)
        }
    }

    /// Keeps the provider token up to date, if there is one to share.
    private func tender(_ pushClient: any RunClient) throws(SystemError) -> TokenTender? {
        guard let credential = client.credential, credential.isShared else { return nil }
        return try TokenTender(
            credential, database: database, client: pushClient, stop: stop, in: surroundings)
    }

    private func start(
        _ exchange: PhaseExchange, _ readerStore: sending any RunStore,
        _ writerStore: sending any RunStore, _ pushClient: any RunClient,
        _ unrecorded: Monitor<[RecordBatch]>
    ) throws(SystemError) -> (reader: any RunThread, writer: any RunThread) {
        let (run, phase, pace, stop, renderer, texts) = (run, phase, pace, stop, renderer, texts)
        let (isCanary, surroundings, permit) = (isCanary, surroundings, keeper.permit)
        let numbers = numbers
        let writer = try surroundings.startThread(name: "sortie-writer") {
            let writer = OutcomeWriter(
                store: writerStore, run: run, phase: phase, pace: pace, exchange: exchange,
                stop: stop, client: pushClient, texts: texts, numbers: numbers,
                in: surroundings)
            let left = writer.write()
            unrecorded.withLock { $0 = left }
            exchange.writerEnded()
        }
        let reader = try surroundings.startThread(name: "sortie-reader") {
            let reader = RecipientReader(
                store: readerStore, run: run, phase: phase, isCanary: isCanary, pace: pace,
                exchange: exchange, stop: stop, permit: permit, renderer: renderer(exchange.gauge),
                in: surroundings)
            do throws(StoreError) { try reader.read() } catch { stop.trip(StopCause(error)) }
            exchange.readerEnd.withLock { $0 = true }
            exchange.readerEnd.signal()
        }
        return (reader, writer)
    }

    /// Reports progress until the reader is done, which it also is soon after a stop.
    private func watch(
        _ exchange: PhaseExchange, _ meter: inout ProgressMeter, _ observer: any RunObserver
    ) {
        while true {
            let now = surroundings.monotonicNanoseconds()
            let progress = exchange.state.withLock { state in
                var progress = state.progress
                progress.waitingFor = state.waitingFor
                return progress
            }.beside(keeper.learnt)
            observer.runDid(.progress(meter.measured(progress, nowNanoseconds: now)))
            let isDone = exchange.readerEnd.wait(
                untilNanoseconds: now + Self.progressNanoseconds
            ) { $0 }
            if isDone { return }
        }
    }
}

extension RunProgress {
    /// With what other workers did, of what was left when this one began.
    fileprivate func beside(_ learnt: LeaseKeeper.Standing) -> RunProgress {
        var progress = self
        progress.workers = learnt.workers
        if learnt.phase == phase, let all = learnt.phaseDone {
            progress.others = max(0, all - doneBefore - done)
        }
        return progress
    }
}

extension StopCause {
    /// The cause that a failure of the store is.
    init(_ error: StoreError) {
        if case .leaseLost = error {
            self = .leaseLost
        } else {
            self = .database(error.description)
        }
    }
}

/// Speed and time left, out of counts at moments.
struct ProgressMeter {
    private let startNanoseconds: Int64
    private var samples: [(nanoseconds: Int64, done: Int)] = []

    /// Speed is taken over so many samples, a few seconds in all.
    private static let samplesMax = 15

    init(nowNanoseconds: Int64) {
        startNanoseconds = nowNanoseconds
    }

    /// `progress` with its speed, seconds and time left filled in.
    mutating func measured(_ progress: RunProgress, nowNanoseconds: Int64) -> RunProgress {
        var progress = progress
        progress.seconds = Double(nowNanoseconds - startNanoseconds) / 1e9
        samples.append((nowNanoseconds, progress.done + progress.others))
        if samples.count > Self.samplesMax { samples.removeFirst() }
        if let first = samples.first, nowNanoseconds > first.nanoseconds {
            let seconds = Double(nowNanoseconds - first.nanoseconds) / 1e9
            progress.perSecond = Double(progress.done + progress.others - first.done) / seconds
        }
        let left = progress.total - progress.done - progress.others
        if progress.perSecond > 0, left >= 0 {
            progress.secondsLeft = Double(left) / progress.perSecond
        }
        return progress
    }

    /// `progress` at the end of a phase, with the mean speed of all of it.
    func final(_ progress: RunProgress, nowNanoseconds: Int64) -> RunProgress {
        var progress = progress
        progress.seconds = Double(nowNanoseconds - startNanoseconds) / 1e9
        progress.perSecond = progress.seconds > 0 ? Double(progress.done) / progress.seconds : 0
        progress.secondsLeft = 0
        return progress
    }
}
