internal import HTTP2
internal import LinuxIO
internal import TLS
internal import Wire

/// What the parts of a simulator share; immutable or safe for any thread.
struct WorkerContext: Sendable {
    let configuration: SimulatorConfiguration
    let script: any SimulatorScript
    let tls: TLSContext
    let seen: SeenValues
}

/// The thread of a simulator: an event loop with its connections, its counters and its clock.
///
/// Loop-bound: used on one thread; others reach it through its mailbox.
final class SimulatorWorker {
    /// Hashes of accepted tokens gathered before the common set is locked.
    private static let tokensPerBatch = 512
    /// How long a fresh reading of the wall clock serves: ages are counted in seconds.
    private static let wallClockNanoseconds: Int64 = 100_000_000

    let judge: RequestJudge
    let isFast: Bool
    let tracksTokens: Bool
    /// Some tokens are dead: the only fate that the fast mode knows.
    let hasDeadTokens: Bool
    let checksCredentials: Bool
    let keepsTranscript: Bool
    var counters = WorkerCounters()
    private(set) var answerer: Answerer

    private let context: WorkerContext
    private let poller: Poller
    private let mailbox: WorkerMailbox
    private var listener: WireListener?
    /// In place of that, if nothing of a request has to be known.
    private var fastListener: FastListener?
    private let seed: UInt64
    private var book: CredentialBook
    private var random: RandomStream
    private var timer = AnswerTimer()
    private var pace: AnswerPace?
    private var connections: [SimulatorConnection?] = []
    private var connectionsAccepted = 0
    private var unflushed: [SimulatorConnection] = []
    private var toDrop: [SimulatorConnection] = []
    private var toCloseHalf: [SimulatorConnection] = []
    private var acceptedSends: [UInt64] = []
    private var acceptedProbes: [UInt64] = []
    private var acceptances: AcceptanceLog?
    private var transcript: [ReceivedRequest] = []
    private var wall: (readNanoseconds: Int64, seconds: Int64) = (.min / 2, 0)
    private var isStopping = false

    /// - Parameters:
    ///   - context: What a simulator's parts share.
    ///   - poller: The loop's; nobody else uses it.
    ///   - mailbox: Where messages come in.
    init(context: WorkerContext, poller: Poller, mailbox: WorkerMailbox) {
        let configuration = context.configuration
        self.context = context
        self.poller = poller
        self.mailbox = mailbox
        judge = RequestJudge(topics: configuration.topics, fates: configuration.fates)
        isFast = configuration.isFast
        tracksTokens = configuration.tracksTokens
        hasDeadTokens = configuration.fates.shares.dead > 0
        checksCredentials = configuration.credential != nil && !configuration.isFast
        keepsTranscript = configuration.transcriptRequestsMax > 0 && !configuration.isFast
        seed = configuration.fates.seed
        book = CredentialBook(rule: configuration.credential)
        random = RandomStream(seed: seed)
        answerer = Answerer(
            environment: configuration.environment, seed: SecureRandom.uint64())
        pace = configuration.answersPerSecond.map {
            AnswerPace(answersPerSecond: $0)
        }
    }

    // MARK: - The loop

    /// Starts listening; before `run`.
    ///
    /// - Returns: The port.
    /// - Throws: `SystemError` if the address cannot be had.
    func listen() throws(SystemError) -> UInt16 {
        if let path = context.configuration.acceptancesFile {
            acceptances = try AcceptanceLog(path: path)
        }
        if isFast, !tracksTokens {
            let listener = try FastListener(
                poller: poller, configuration: context.configuration, tls: context.tls)
            fastListener = listener
            return listener.port
        }
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams =
            isFast
            ? context.configuration.maxConcurrentStreams : context.script.streamLimitAtOpening
        let listener = try WireListener(
            poller: poller, host: context.configuration.host, port: context.configuration.port,
            context: context.tls, options: options,
            makeHandler: { [unowned self] in makeConnection() })
        self.listener = listener
        return listener.port
    }

    /// Runs until told to stop; the thread's whole life.
    ///
    /// - Returns: The final report.
    func run() -> WorkerReport {
        do {
            while !isStopping { try turn() }
        } catch {
            // The poller itself is broken: nothing can be served any more. Connections close below,
            // which is what senders see of it.
            isStopping = true
        }
        listener?.close()
        fastListener?.close()
        for case let connection? in connections {
            connection.wire?.close()
            connection.wire?.abort()
        }
        for message in mailbox.takeAll(closing: true) { take(message) }
        handInTokens()
        return report()
    }

    private func turn() throws(SystemError) {
        try poller.wait(untilNanoseconds: nextNanoseconds)
        for message in mailbox.takeAll() { take(message) }
        answerDue()
        if !isFast { turnConnections() }
        dropCut()
        handInTokens()
    }

    private var nextNanoseconds: Int64? {
        if isFast { return timer.nextNanoseconds }
        return connections.reduce(timer.nextNanoseconds) { earliest, connection in
            guard let connection, connection.isOpen, let next = connection.nextNanoseconds else {
                return earliest
            }
            return min(earliest ?? next, next)
        }
    }

    private func turnConnections() {
        let now = MonotonicClock.nanoseconds()
        // By index: a connection may end, and leave the table, in its turn.
        for index in connections.indices { connections[index]?.turn(nowNanoseconds: now) }
    }

    private func answerDue() {
        guard timer.nextNanoseconds != nil else { return }
        let now = MonotonicClock.nanoseconds()
        while let answer = timer.take(nowNanoseconds: now) {
            guard let connection = connections[Int(answer.connection)],
                connection.number == Int(answer.connectionNumber)
            else { continue }
            connection.answerDelayed(Int(answer.slot), generation: answer.generation)
            if unflushed.last !== connection { unflushed.append(connection) }
        }
        for connection in unflushed { connection.wire?.flush() }
        unflushed.removeAll(keepingCapacity: true)
    }

    private func take(_ message: WorkerMessage) {
        switch message {
        case .report(let box):
            handInTokens()
            let report = report()
            box.withLock { $0 = report }
            box.signal()
        case .stop:
            isStopping = true
        }
    }

    private func report() -> WorkerReport {
        if let fastListener {
            return WorkerReport(counters: fastListener.counters, transcript: transcript)
        }
        var counters = counters
        for case let connection? in connections where connection.isOpen {
            counters.note(connection.statistics)
        }
        return WorkerReport(counters: counters, transcript: transcript)
    }

    // MARK: - Connections

    private func makeConnection() -> SimulatorConnection {
        connectionsAccepted += 1
        return SimulatorConnection(
            number: connectionsAccepted,
            behaviour: context.script.behaviour(forConnection: connectionsAccepted),
            streamLimit: context.script.streamLimitAtOpening, worker: self)
    }

    /// Takes a connection into the table.
    ///
    /// - Returns: Its place.
    func add(_ connection: SimulatorConnection) -> Int32 {
        let place = connections.firstIndex { $0 == nil } ?? connections.count
        if place == connections.count { connections.append(nil) }
        connections[place] = connection
        return Int32(place)
    }

    /// Forgets a connection that has ended.
    func remove(_ connection: SimulatorConnection) {
        if connection.isOpen { counters.note(connection.statistics) }
        connections[Int(connection.place)] = nil
    }

    /// Cuts a connection at the end of the turn, so that earlier answers still leave.
    func dropAfterTurn(_ connection: SimulatorConnection) {
        toDrop.append(connection)
    }

    /// Ends the simulator's direction at the end of the turn, so that earlier answers still leave.
    func closeHalfAfterTurn(_ connection: SimulatorConnection) {
        toCloseHalf.append(connection)
    }

    private func dropCut() {
        for connection in toCloseHalf {
            connection.wire?.flush()
            connection.wire?.shutDownWriting()
        }
        toCloseHalf.removeAll()
        for connection in toDrop { connection.wire?.abort() }
        toDrop.removeAll()
    }

    // MARK: - Time

    /// When a request that arrives now is answered.
    func dueNanoseconds(nowNanoseconds: Int64, delayNanoseconds: Int64) -> Int64 {
        let latency = context.configuration.latency
        var due = nowNanoseconds + delayNanoseconds
        if !latency.isZero { due += latency.nanoseconds(unit: random.unit()) }
        if let turn = pace?.turn(nowNanoseconds: nowNanoseconds) { due += turn - nowNanoseconds }
        return due
    }

    func delay(_ answer: DelayedAnswer) {
        timer.add(answer)
    }

    /// Seconds since 1970 UTC, read anew a few times a second.
    func wallSeconds(nowNanoseconds: Int64) -> Int64 {
        if nowNanoseconds - wall.readNanoseconds > Self.wallClockNanoseconds {
            wall = (nowNanoseconds, WallClock.microseconds() / 1_000_000)
        }
        return wall.seconds
    }

    // MARK: - Tokens and credentials

    func tokenHash(_ token: Span<UInt8>) -> UInt64 {
        TokenHash.value(of: token, seed: seed)
    }

    func presented(_ header: Span<UInt8>) -> PresentedToken {
        book.presented(header) { identity in context.seen.addAuthorization(identity) }
    }

    /// Gives an answer and counts it.
    ///
    /// - Returns: What was answered.
    func answer(
        _ slot: borrowing RequestSlot, index: Int, on http2: HTTP2Server
    ) -> GivenAnswer {
        let status = answerer.answer(slot, index: index, on: http2)
        noteAnswer(to: slot, status: status)
        return GivenAnswer(
            status: status, reason: Answerer.reason(of: slot),
            isCredentialAccepted: slot.isCredentialAccepted)
    }

    /// Counts an answer, and the token of an accepted request.
    private func noteAnswer(to slot: borrowing RequestSlot, status: Int) {
        if case .answer(let answer) = slot.reply {
            counters.noteCannedAnswer(
                WorkerCounters.CannedAnswer(
                    status: status, reason: answer.reason, kind: slot.kind))
        } else {
            switch slot.ruling {
            case .accepted, .ignored: counters.noteAnswer(nil, kind: slot.kind)
            case .refused(let refusal): counters.noteAnswer(refusal, kind: slot.kind)
            case .gone: counters.noteAnswer(.unregistered, kind: slot.kind)
            }
        }
        guard status == 200 else { return }
        if slot.kind == .send { log(slot.intake.token) }
        guard tracksTokens else { return }
        switch slot.kind {
        case .send: acceptedSends.append(slot.tokenHash)
        case .probe: acceptedProbes.append(slot.tokenHash)
        }
        if acceptedSends.count + acceptedProbes.count >= Self.tokensPerBatch { handInTokens() }
    }

    /// Whoever asked for the file relies on it: where it can't be written the service ends.
    private func log(_ token: [UInt8]) {
        let isWritten = acceptances?.note(
            token: token, wallMicroseconds: WallClock.microseconds())
        if isWritten == false { isStopping = true }
    }

    /// Follows a token of the fast mode.
    ///
    /// - Returns: Since when it is dead; nil if it is not.
    func noteFastToken(_ token: Span<UInt8>) -> Int64? {
        let hash = tokenHash(token)
        if hasDeadTokens, case .dead(let timestamp) = judge.fates.fate(ofHash: hash) {
            return timestamp
        }
        if tracksTokens {
            acceptedSends.append(hash)
            if acceptedSends.count >= Self.tokensPerBatch { handInTokens() }
        }
        return nil
    }

    /// The fast mode's answer for a dead token.
    func answerGone(slot: Int, timestampMilliseconds: Int64, on http2: HTTP2Server) {
        counters.noteAnswer(.unregistered, kind: .send)
        answerer.answerGone(slot: slot, timestampMilliseconds: timestampMilliseconds, on: http2)
    }

    private func handInTokens() {
        context.seen.add(sends: &acceptedSends, probes: &acceptedProbes)
    }

    func keepTranscript(
        of slot: borrowing RequestSlot, connection: SimulatorConnection, nowNanoseconds: Int64
    ) {
        guard transcript.count < context.configuration.transcriptRequestsMax else { return }
        transcript.append(
            ReceivedRequest(
                connection: connection.number, number: connection.requests,
                streamID: slot.streamID, arrivedNanoseconds: nowNanoseconds,
                fields: slot.transcriptFields, body: slot.intake.body, ruling: slot.ruling))
    }
}
