internal import APNSClient
internal import APNSProtocol
internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// What stands for a `PushClient`: it takes batches, keeps to the permit, sends to ``ModelAPNs``,
/// and ends each entry exactly once at the delegate, by the contract of `PushLoop`.
///
/// *Ownership and thread*: the calls come from any fiber, the loop is a fiber of its own.
// Sendable: one fiber runs at a time.
final class ModelClient: RunClient, @unchecked Sendable {
    let configuration: PushClientConfiguration
    let delegate: any PushLoopDelegate
    let process: SimulatedProcess
    let phase: RunPhase
    var waiting: [Entry] = []
    var flights: [Flight] = []
    var connections: [Connection]
    var isFinishing = false
    var stopDeadline: Int64?
    var hasFailed = false
    var failures = 0
    private var fiber: Fiber?

    /// A request that waits or is under way.
    struct Entry {
        let batch: PushBatch
        let index: Int
        var returns = 0

        var push: PushEntry { batch.entries[index] }
    }

    /// A request on the wire.
    struct Flight {
        var entry: Entry
        let connection: Int
        /// Monotonic.
        let sentAt: Int64
        let sentWall: Int64
        let fate: ModelAPNs.Fate
        /// Monotonic; nil: nothing ever comes.
        let due: Int64?
    }

    /// A connection to APNs.
    struct Connection {
        var bucket: TokenBucket
        var isOpen = false
        /// No attempt to open it before this moment, monotonic.
        var opensAt: Int64
        /// ``SimulatedMachine/apnsCuts`` when it opened.
        var cuts = 0
    }

    static func start(
        _ configuration: PushClientConfiguration, delegate: any PushLoopDelegate,
        in process: SimulatedProcess
    ) throws(SystemError) -> ModelClient {
        let client = ModelClient(configuration, delegate, process)
        client.fiber = try process.scheduler.spawn(name: "sortie-loop", group: process) {
            client.run()
        }
        return client
    }

    private init(
        _ configuration: PushClientConfiguration, _ delegate: any PushLoopDelegate,
        _ process: SimulatedProcess
    ) {
        self.configuration = configuration
        self.delegate = delegate
        self.process = process
        phase = configuration.head.pushType == .background ? .probe : .send
        let now = process.monotonicNanoseconds()
        connections = (0..<configuration.connections).map { _ in
            Connection(
                bucket: TokenBucket(
                    rate: configuration.rate, burst: configuration.burst, nowNanoseconds: now),
                opensAt: now)
        }
    }

    // MARK: - RunClient

    func submit(_ batches: [PushBatch]) {
        for batch in batches {
            waiting += batch.entries.indices.map { Entry(batch: batch, index: $0) }
        }
        wake()
    }

    func wake() { process.scheduler.signal(ObjectIdentifier(self)) }

    func finish() {
        isFinishing = true
        wake()
    }

    func stop(drainNanoseconds: Int64) {
        isFinishing = true
        giveUp(after: drainNanoseconds)
        wake()
    }

    func join() { if let fiber { process.scheduler.join(fiber) } }

    // MARK: - The loop

    private func giveUp(after nanoseconds: Int64) {
        let deadline = process.monotonicNanoseconds() + nanoseconds
        stopDeadline = min(stopDeadline ?? deadline, deadline)
    }

    var isStopping: Bool { stopDeadline != nil || hasFailed }

    private func run() {
        while !process.scheduler.isBroken {
            let now = process.monotonicNanoseconds()
            if let drain = delegate.stopDrainNanoseconds { giveUp(after: drain) }
            if process.isKilled { dropEverything() }
            endDue(now)
            openConnections(now)
            let submitted = dispatch(now)
            delegate.loopTurnEnded(submitted: submitted, nowNanoseconds: now)
            if isOver { break }
            _ = process.wait(for: ObjectIdentifier(self), untilNanoseconds: nextMoment(now))
        }
        for entry in take(&waiting) { end(entry, .notSent(.stopped)) }
        delegate.loopTurnEnded(
            submitted: 0, nowNanoseconds: process.monotonicNanoseconds())
    }

    private var isOver: Bool {
        isFinishing && flights.isEmpty && (isStopping || waiting.isEmpty)
    }

    /// A killed process sees nothing more of the world.
    private func dropEverything() {
        for flight in take(&flights) { end(flight.entry, .unknown(.connectionLost)) }
        for entry in take(&waiting) { end(entry, .notSent(.stopped)) }
    }

    func take<Element>(_ list: inout [Element]) -> [Element] {
        defer { list = [] }
        return list
    }

    // MARK: - Ends

    /// Ends what is answered, broken, or over its time.
    private func endDue(_ now: Int64) {
        let oldest = now - configuration.requestTimeoutNanoseconds
        let isOverdue = stopDeadline.map { now >= $0 } ?? false
        breakConnections()
        for flight in take(&flights) {
            if let due = flight.due, due <= now, isHeard(flight) {
                end(flight)
            } else if isOverdue || flight.sentAt <= oldest {
                end(flight.entry, .unknown(.deadline), of: flight)
            } else {
                flights.append(flight)
            }
        }
    }

    /// Whether what APNs answers gets here: not while the machine is cut off.
    private func isHeard(_ flight: Flight) -> Bool {
        process.machine.apnsCutUntil <= process.scheduler.now
    }

    /// Connections break whose machine was cut off, and those that a request breaks.
    private func breakConnections() {
        let now = process.monotonicNanoseconds()
        for index in connections.indices where connections[index].isOpen {
            let isBroken = flights.contains { flight in
                guard flight.connection == index, let due = flight.due, due <= now else {
                    return false
                }
                if case .connectionLost = flight.fate { return true }
                return false
            }
            guard isBroken || connections[index].cuts != process.machine.apnsCuts else { continue }
            connections[index].isOpen = false
            connections[index].opensAt = now + 250_000_000
            for flight in take(&flights) {
                if flight.connection == index {
                    end(flight.entry, .unknown(.connectionLost), of: flight)
                } else {
                    flights.append(flight)
                }
            }
        }
    }

    private func end(_ flight: Flight) {
        switch flight.fate {
        case .silence, .connectionLost: flights.append(flight)
        case .reset: end(flight.entry, .unknown(.streamReset), of: flight)
        case .refused: cameBack(flight.entry)
        case .answer(let status, let reason, let timestamp, _):
            answered(flight, status, reason, timestamp)
        }
    }

    private func answered(
        _ flight: Flight, _ status: UInt16, _ reason: String, _ timestamp: Int64
    ) {
        let bytes = Array(reason.utf8)
        let code = ReasonTable.code(forWireBytes: bytes.span) ?? .none
        let verdict = Judgement.verdict(status: Int(status), reason: code)
        var answer = answer(of: flight)
        answer.status = status
        answer.reason = code
        answer.timestampMilliseconds = timestamp
        switch verdict {
        case .retryOnNewConnection, .newConnectionOnce, .backOffCredential:
            if flight.entry.returns < 2, !isStopping { return cameBack(flight.entry) }
        default: break
        }
        failures = 0
        delegate.pushEnded(flight.entry.push, of: flight.entry.batch, answer, .judged(verdict))
    }

    private func answer(of flight: Flight) -> PushAnswer {
        var answer = PushAnswer()
        answer.sentAtMicroseconds = flight.sentWall
        answer.connection = UInt8(flight.connection + 1)
        let latency = process.monotonicNanoseconds() - flight.sentAt
        answer.latencyMicroseconds = UInt32(clamping: latency / 1000)
        return answer
    }

    private func cameBack(_ entry: Entry) {
        var entry = entry
        entry.returns += 1
        if isStopping {
            end(entry, .notSent(.stopped))
        } else if entry.returns >= 6 {
            end(entry, .notSent(.refusedTooOften))
        } else {
            waiting.append(entry)
        }
    }

    private func end(_ entry: Entry, _ end: PushEnd, of flight: Flight? = nil) {
        let answer = flight.map { self.answer(of: $0) } ?? PushAnswer()
        delegate.pushEnded(entry.push, of: entry.batch, answer, end)
    }
}
