internal import APNSProtocol
internal import LinuxIO
internal import SendPolicy

/// One event loop: it takes batches from its inbox, sends them over its connections at their pace,
/// and reports how each request ended.
///
/// A turn is: take what other threads asked for; let each connection do what is due; submit as much
/// as streams and buckets allow; flush each connection once; hand results on; wait for the next
/// event or moment. Nothing here blocks, and nothing is allocated per request.
///
/// *Ownership and thread*: created and run on one thread by ``PushClient``.
final class PushLoop {
    let configuration: PushClientConfiguration
    let poller: Poller
    /// The turn's monotonic time.
    private(set) var nowNanoseconds: Int64

    let share: LoopShare
    private let mailbox: PushMailbox
    private let queue: PushQueue
    private let delegate: any PushLoopDelegate
    private let permit: SendPermit?
    private(set) var connections: [PushConnection] = []
    private let work = PushWork()
    private var reasons = ReasonRegistry()
    private var pacing: ConnectPacing
    private var random = SystemRandomNumberGenerator()
    private let wallOffsetNanoseconds: Int64
    private var nextScanNanoseconds: Int64
    private var stopDeadlineNanoseconds: Int64?
    private var isFinishing = false
    private var hasFailed = false
    private var firstTurn = 0
    private let resolver: AddressResolver
    var addresses = AddressChoice()
    private var hasProved = false
    private var lastFailure = "no connection could be opened"
    private var unknownReasons = 0
    /// The provider token that APNs called expired and that another thread is replacing, with the
    /// connection that was told first. Nothing is submitted meanwhile.
    var awaited: (tokenNumber: Int, connection: PushConnection)?

    /// How often open requests are looked through for passed deadlines.
    private static let scanNanoseconds: Int64 = 250_000_000
    /// An entry that came back unprocessed so often is not tried again here.
    private static let returnsMax: UInt8 = 6
    /// How often an awaited token is looked for, should no wake come.
    private static let awaitedNanoseconds: Int64 = 1_000_000_000

    init(
        configuration: PushClientConfiguration, share: LoopShare, poller: Poller,
        mailbox: PushMailbox, queue: PushQueue, delegate: any PushLoopDelegate
    ) {
        self.configuration = configuration
        self.share = share
        self.queue = queue
        self.poller = poller
        self.mailbox = mailbox
        self.delegate = delegate
        permit = configuration.permit
        let now = MonotonicClock.nanoseconds()
        nowNanoseconds = now
        wallOffsetNanoseconds = WallClock.microseconds() * 1000 - now
        nextScanNanoseconds = now + Self.scanNanoseconds
        pacing = ConnectPacing(pace: configuration.firstPace)
        resolver = AddressResolver(
            host: configuration.proxy?.host ?? configuration.host,
            port: configuration.proxy?.port ?? configuration.port,
            lookUp: configuration.lookUp, waker: poller.waker)
        connections = (0..<configuration.connections).map { index in
            PushConnection(
                number: share.number(ofConnection: index), loop: self,
                firstOpeningNanoseconds: share.firstOpening(
                    configuration.firstPace, nowNanoseconds: now), nowNanoseconds: now)
        }
    }

    // MARK: - The turn

    /// Runs until ``PushClient/finish()`` or ``PushClient/stop(drainNanoseconds:)`` was called and
    /// everything has ended.
    func run() {
        while true {
            takeRequests()
            stepConnections()
            let submitted = dispatch()
            for connection in connections { connection.flush() }
            delegate.loopTurnEnded(submitted: submitted, nowNanoseconds: nowNanoseconds)
            if isOver { break }
            wait()
        }
        shutDown()
    }

    private func wait() {
        do {
            _ = try poller.wait(untilNanoseconds: nextMoment())
        } catch {
            fail(.unreachable("the event loop can't wait: \(error)"))
        }
        nowNanoseconds = MonotonicClock.nanoseconds()
    }

    private func takeRequests() {
        let requests = mailbox.take()
        isFinishing = isFinishing || requests.isFinishing
        if let drain = requests.stopDrainNanoseconds ?? delegate.stopDrainNanoseconds {
            let deadline = nowNanoseconds + drain
            stopDeadlineNanoseconds = min(stopDeadlineNanoseconds ?? deadline, deadline)
        }
        for answer in resolver.take() { resolved(answer) }
    }

    private func stepConnections() {
        lookForAwaitedToken()
        if nowNanoseconds >= nextScanNanoseconds {
            nextScanNanoseconds = nowNanoseconds + Self.scanNanoseconds
            let oldest = nowNanoseconds - configuration.requestTimeoutNanoseconds
            for connection in connections {
                connection.giveUp(sentBeforeNanoseconds: oldest, .deadline)
            }
            renewDueToken()
        }
        for connection in connections {
            connection.step(nowNanoseconds: nowNanoseconds, hasWork: hasWork)
        }
        if let deadline = stopDeadlineNanoseconds, nowNanoseconds >= deadline {
            for connection in connections {
                connection.giveUp(sentBeforeNanoseconds: .max, .deadline)
            }
        }
    }

    var isStopping: Bool { stopDeadlineNanoseconds != nil || hasFailed }

    private var hasWork: Bool {
        !isStopping && awaited == nil && hasWaiting && permittedNanoseconds != nil
    }

    /// Whether anything waits to be submitted, here or where every loop can take it.
    private var hasWaiting: Bool { work.hasWaiting || !queue.isEmpty }

    /// Whether there is an entry to submit; takes a batch out of the queue if need be.
    private func hasNext() -> Bool {
        if work.hasWaiting { return true }
        guard let batch = queue.take() else { return false }
        work.add(batch)
        return true
    }

    /// When the permit lets a request begin; nil: not before it is changed.
    private var permittedNanoseconds: Int64? {
        guard let permit else { return nowNanoseconds }
        return permit.nextNanoseconds(nowNanoseconds: nowNanoseconds)
    }

    private var openRequests: Int { connections.reduce(0) { $0 + $1.openRequests } }

    /// Nothing ends before the owner said that no more batches come, also not after a failure: a
    /// batch handed over too late would never be heard of again.
    private var isOver: Bool {
        guard isFinishing, openRequests == 0 else { return false }
        return isStopping || work.isEmpty && queue.isEmpty
    }

    private func nextMoment() -> Int64? {
        var next = openRequests > 0 ? nextScanNanoseconds : Int64.max
        if let stopDeadlineNanoseconds, openRequests > 0 {
            next = min(next, stopDeadlineNanoseconds)
        }
        if awaited != nil { next = min(next, nowNanoseconds + Self.awaitedNanoseconds) }
        let hasWork = hasWork
        let permitted = hasWork ? permittedNanoseconds : nil
        for connection in connections {
            if let permitted, connection.freeStreams > 0 {
                let paced = connection.nextSubmission(nowNanoseconds: nowNanoseconds)
                next = min(next, max(paced, permitted))
            }
            if let moment = connection.life.nextNanoseconds(
                hasWork: hasWork, openRequests: connection.openRequests)
            {
                next = min(next, moment)
            }
        }
        return next == .max ? nil : next
    }

    // MARK: - Dispatch

    /// Submits what streams and buckets allow, starting with another connection each turn.
    private func dispatch() -> Int {
        guard hasWork else { return 0 }
        var submitted = 0
        firstTurn = (firstTurn + 1) % connections.count
        for index in connections.indices {
            let connection = connections[(firstTurn + index) % connections.count]
            submitted += dispatch(on: connection)
            if !hasWaiting { break }
        }
        return submitted
    }

    private func dispatch(on connection: PushConnection) -> Int {
        var free = connection.freeStreams
        var submitted = 0
        while free > 0, connection.life.isReady, hasNext(), takePace(of: connection) {
            guard let (batchIndex, entry) = work.next() else { break }
            guard
                connection.submit(
                    batchIndex: batchIndex, batch: work.batch(batchIndex), entry: entry,
                    nowNanoseconds: nowNanoseconds)
            else {
                work.comeBack(batchIndex, entry)
                break
            }
            free -= 1
            submitted += 1
        }
        return submitted
    }

    /// Takes the right to begin one request out of the connection's bucket and out of the permit's,
    /// or out of neither.
    private func takePace(of connection: PushConnection) -> Bool {
        guard connection.takePace(nowNanoseconds: nowNanoseconds) else { return false }
        guard let permit else { return true }
        if permit.take(nowNanoseconds: nowNanoseconds) { return true }
        connection.givePaceBack()
        return false
    }

    // MARK: - Ends of requests

    /// Microseconds since 1970 of a moment of the monotonic clock.
    func wallMicroseconds(ofNanoseconds nanoseconds: Int64) -> Int64 {
        (nanoseconds + wallOffsetNanoseconds) / 1000
    }

    /// A request ended without an answer.
    func ended(batch index: Int, entry: Int, _ answer: PushAnswer, _ end: PushEnd) {
        let batch = work.batch(index)
        delegate.pushEnded(batch.items[entry], of: batch, answer, end)
        work.ended(index)
    }

    /// A request certainly was not processed: it goes again, a bounded number of times.
    func cameBack(batch index: Int, entry: Int) {
        let batch = work.batch(index)
        batch.items[entry].returns += 1
        if isStopping {
            ended(batch: index, entry: entry, PushAnswer(), .notSent(.stopped))
        } else if batch.items[entry].returns >= Self.returnsMax {
            ended(batch: index, entry: entry, PushAnswer(), .notSent(.refusedTooOften))
        } else {
            work.comeBack(index, entry)
        }
    }

    /// APNs answered a request.
    func answered(
        batch: Int, entry: Int, _ received: PushAnswer, body: [UInt8], tokenNumber: Int,
        on connection: PushConnection
    ) {
        if received.status == 200 {
            ended(batch: batch, entry: entry, received, .judged(.accepted))
            return
        }
        var answer = received
        readBody(body, into: &answer)
        let verdict = Judgement.verdict(status: Int(answer.status), reason: answer.reason)
        switch verdict {
        case .renewCredential where renew(expired: tokenNumber, on: connection),
            .retryOnNewConnection, .newConnectionOnce, .backOffCredential:
            connection.drain(
                because: reasons.text(of: answer.reason), nowNanoseconds: nowNanoseconds)
            goAgain(batch: batch, entry: entry, answer, verdict)
        default:
            ended(batch: batch, entry: entry, answer, .judged(verdict))
        }
    }

    /// The answer was about the connection, not the push: the push goes again elsewhere.
    private func goAgain(batch: Int, entry: Int, _ answer: PushAnswer, _ verdict: Verdict) {
        let returns = work.batch(batch).items[entry].returns
        let limit: UInt8 = verdict == .newConnectionOnce ? 1 : 2
        if returns >= limit || isStopping {
            ended(batch: batch, entry: entry, answer, .judged(verdict))
        } else {
            cameBack(batch: batch, entry: entry)
        }
    }

    private func readBody(_ body: [UInt8], into answer: inout PushAnswer) {
        let parsed = AnswerBody(reading: body.span)
        if let timestamp = parsed.timestampMilliseconds, answer.status == 410 {
            answer.timestampMilliseconds = timestamp
        }
        guard let range = parsed.reason else { return }
        answer.reason = reasons.code(for: body.span.extracting(range))
        tellOnce(answer.reason)
    }

    /// Codes of unknown reasons are handed out in order, so the highest one told is enough to know.
    private func tellOnce(_ code: ReasonCode) {
        guard !code.isKnown, code != .none, Int(code.rawValue) > unknownReasons else { return }
        unknownReasons = Int(code.rawValue)
        delegate.loopMetReason(code, text: reasons.text(of: code))
    }

    // MARK: - Connections

    /// Whether a connection may open now; if not, until when it rests.
    func mayOpen(_ connection: PushConnection) -> Bool {
        switch pacing.next(nowNanoseconds: nowNanoseconds) {
        case .open: return true
        case .wait(let until):
            connection.life.closed(reopenNanoseconds: until)
            return false
        case .giveUp:
            connection.life.closed(reopenNanoseconds: nil)
            if !connections.contains(where: { $0.life.hasSocket }) {
                fail(.unreachable(lastFailure))
            }
            return false
        }
    }

    /// Looks the host's addresses up, or the proxy's, uncached, for one opening.
    func resolve(for connection: PushConnection) {
        resolver.resolve(connection: connection.number)
    }

    /// A connection gave its first good answer.
    func connectionProved() {
        if !hasProved {
            hasProved = true
            pacing = ConnectPacing(pace: configuration.steadyPace)
        }
        pacing.proved()
        // Connections that were given up may try again now.
        for connection in connections where connection.life.isEnded {
            connection.life.closed(reopenNanoseconds: nowNanoseconds)
        }
    }

    /// A connection, or an attempt at one, has ended.
    func connectionEnded(
        _ connection: PushConnection, why: String, isUntrusted: Bool, wasOpen: Bool,
        hadAnswers: Bool
    ) {
        note(wasOpen ? .closed : .attemptFailed, connection, why)
        connection.life.closed(reopenNanoseconds: nowNanoseconds)
        if isUntrusted { fail(.untrusted(why)) }
        guard !hadAnswers, !isStopping else { return }
        lastFailure = why
        pacing.failed(
            nowNanoseconds: nowNanoseconds, jitter: Double.random(in: 0..<1, using: &random))
    }

    /// The peer announced the end of a connection, perhaps with a reason of APNs in the debug data.
    func goAway(on connection: PushConnection, errorCode: UInt32, debugData: [UInt8]) {
        connection.drain(because: "GOAWAY, error code \(errorCode)", nowNanoseconds: nowNanoseconds)
        let parsed = AnswerBody(reading: debugData.span)
        guard let range = parsed.reason else { return }
        let code = reasons.code(for: debugData.span.extracting(range))
        let text = reasons.text(of: code)
        note(.goAway, connection, "reason \(text)")
        if Judgement.verdict(goAwayReason: code) == .stopRun(.credential) {
            fail(.credentials("\(text). \(ReasonTable.row(code)?.advice ?? "")"))
        }
    }

    func note(_ kind: LoopNote.Kind, _ connection: PushConnection, _ text: String) {
        delegate.loopNoted(LoopNote(kind: kind, connection: connection.number, text: text))
    }

    func fail(_ failure: LoopFailure) {
        guard !hasFailed else { return }
        hasFailed = true
        let drain = nowNanoseconds + 2_000_000_000
        stopDeadlineNanoseconds = min(stopDeadlineNanoseconds ?? drain, drain)
        delegate.loopFailed(failure)
    }

    // MARK: - The end

    private func shutDown() {
        for batch in queue.leave() { work.add(batch) }
        while let (batch, entry) = work.next() {
            ended(batch: batch, entry: entry, PushAnswer(), .notSent(.stopped))
        }
        for connection in connections { connection.life.closed(reopenNanoseconds: nil) }
        for connection in connections { connection.close() }
        delegate.loopTurnEnded(submitted: 0, nowNanoseconds: nowNanoseconds)
        // They keep the loop, which kept them: this lets go of both.
        connections = []
    }
}
