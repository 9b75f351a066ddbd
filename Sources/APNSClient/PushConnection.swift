internal import APNSProtocol
internal import HTTP2
internal import LinuxIO
internal import SendPolicy
internal import TLS
internal import Wire

/// One connection to APNs with its pace, its stream window and its requests in flight.
///
/// *Ownership and thread*: owned by one ``PushLoop`` and used on its thread only. The HTTP/2 room
/// names a request by its slot; slots are reused, so nothing is allocated per request.
final class PushConnection {
    /// A request on the wire.
    private struct Flight {
        var batch: Int32 = -1
        var entry: Int32 = 0
        var status: UInt16 = 0
        var isGivenUp = false
        var retryAfterSeconds: UInt32 = 0
        var tokenNumber: Int32 = 0
        var sentNanoseconds: Int64 = 0
        var apnsID = APNSID.none
    }

    /// From 1; 0 means no connection in a record.
    let number: Int
    var life: ConnectionLife
    private(set) var tokenNumber = 0

    /// Kept until the loop's end, when it lets go of its connections: counting a weaker reference
    /// would cost more for each answer than all else that is done with it.
    let loop: PushLoop
    private var bucket: TokenBucket
    private var window: StreamWindow
    private var pace = AdaptivePace()
    private var failuresInARow = 0
    private var isClockCompared = false
    private(set) var wire: WireClient?
    /// Where `wire` goes.
    private(set) var address: SocketAddress?
    /// What the look-up gave for this opening and was not tried yet.
    var untried: [SocketAddress] = []
    private var flights: [Flight]
    private var bodies: [[UInt8]]
    private var freeSlots: [Int]
    private var answersSinceOpening = 0
    private var requestsSinceOpening = 0
    private var reportedStreamLimit: UInt32 = 0

    /// So many answers of the 5xx kind in a row, and nothing else: the fault is this server's, and
    /// another connection fares better.
    private static let failuresInARowMax = 20

    /// The longest answer body kept; Apple's are under 100 bytes.
    private static let bodyBytesMax = 2048

    init(
        number: Int, loop: PushLoop, firstOpeningNanoseconds: Int64, nowNanoseconds: Int64
    ) {
        let configuration = loop.configuration
        self.number = number
        self.loop = loop
        life = ConnectionLife(
            limits: configuration.limits, firstOpeningNanoseconds: firstOpeningNanoseconds)
        bucket = TokenBucket(
            rate: configuration.rate, burst: configuration.burst,
            nowNanoseconds: nowNanoseconds)
        window = Self.freshWindow(configuration)
        let slots = configuration.maxInFlight
        flights = Array(repeating: Flight(), count: slots)
        bodies = Array(repeating: [], count: slots)
        freeSlots = Array((0..<slots).reversed())
    }

    private static func freshWindow(_ configuration: PushClientConfiguration) -> StreamWindow {
        StreamWindow(
            ownMax: configuration.maxInFlight,
            tokenAuthenticated: configuration.credential != nil)
    }

    var openRequests: Int { flights.count - freeSlots.count }

    // MARK: - Submitting

    /// How many requests may be submitted now, the pace left aside.
    var freeStreams: Int {
        guard life.isReady, let wire, !wire.isWritePending else { return 0 }
        let free = min(window.freeSlots(open: openRequests), freeSlots.count)
        // Without a rate to slow down, a slower pace means fewer requests at once.
        guard loop.configuration.rate == .unlimited, pace.parts < AdaptivePace.whole else {
            return free
        }
        return min(free, max(0, pace.applied(to: loop.configuration.maxInFlight) - openRequests))
    }

    /// When the pace allows the next request; now or earlier means at once.
    func nextSubmission(nowNanoseconds: Int64) -> Int64 {
        bucket.nextNanoseconds(nowNanoseconds: nowNanoseconds)
    }

    /// Takes the right to send one request out of the bucket, if it is there.
    func takePace(nowNanoseconds: Int64) -> Bool {
        bucket.take(nowNanoseconds: nowNanoseconds)
    }

    /// Puts back what ``takePace(nowNanoseconds:)`` took in this turn, unused.
    func givePaceBack() { bucket.giveBack(1) }

    /// Puts one request on the connection.
    ///
    /// - Returns: false if HTTP/2 takes no more requests here; the connection is then draining.
    func submit(batchIndex: Int, batch: PushBatch, entry: Int, nowNanoseconds: Int64) -> Bool {
        guard let wire, let slot = freeSlots.popLast() else { return false }
        if openRequests == 1 { life.heard(nowNanoseconds: nowNanoseconds) }
        flights[slot] = Flight(
            batch: Int32(batchIndex), entry: Int32(entry),
            tokenNumber: Int32(tokenNumber), sentNanoseconds: nowNanoseconds)
        do {
            let request = batch.entries[entry]
            // Sound: the loop keeps the batch, and so its bytes, until each entry has ended, and
            // an entry ends only after http2Closed for its slot.
            try unsafe wire.http2.submit(
                path: batch.path(of: request), body: batch.payload(of: request), slot: slot)
            requestsSinceOpening += 1
            if requestsSinceOpening == loop.configuration.limits.requestsMax {
                drain(because: "its stream numbers are used up", nowNanoseconds: nowNanoseconds)
            }
            return true
        } catch {
            freeSlots.append(slot)
            drain(
                because: "HTTP/2 takes no more requests: \(error)", nowNanoseconds: nowNanoseconds)
            return false
        }
    }

    func flush() {
        wire?.flush()
    }

    // MARK: - Time

    /// Does what is due: opens, gives up, closes.
    func step(nowNanoseconds now: Int64, hasWork: Bool) {
        if let wire, wire.stage != .connecting { life.connected() }
        switch life.step(nowNanoseconds: now, openRequests: openRequests, hasWork: hasWork) {
        case .nothing: break
        case .open: if loop.mayOpen(self) { loop.resolve(for: self) }
        case .leaveAddress: leaveAddress()
        case .abort(let what): abort("\(what)\(openingStage)")
        case .close:
            if hasWork, life.isReady, reportedStreamLimit == 0 {
                abortReason = "the server allows no requests: its stream limit is 0"
            }
            close()
        }
        if pace.recover(nowNanoseconds: now) { changePace() }
        switch life.silence(nowNanoseconds: now, openRequests: openRequests) {
        case .none: break
        case .pingDue: wire?.http2.ping()
        case .dead: abort("it went silent: no answer to a PING")
        }
    }

    /// Gives up requests that were sent before `sentBeforeNanoseconds` and were not answered.
    func giveUp(sentBeforeNanoseconds: Int64, _ cause: UnknownCause) {
        guard openRequests > 0 else { return }
        for slot in flights.indices
        where flights[slot].batch >= 0 && !flights[slot].isGivenUp
            && flights[slot].sentNanoseconds < sentBeforeNanoseconds
        {
            flights[slot].isGivenUp = true
            finish(flights[slot], body: bodies[slot], unanswered: .unknown(cause))
            wire?.http2.cancel(slot: slot)
        }
    }

    /// Takes over a fresh wire to an address.
    func begin(_ wire: WireClient, to address: SocketAddress) {
        self.wire = wire
        self.address = address
        life.connecting(nowNanoseconds: loop.nowNanoseconds)
        answersSinceOpening = 0
        requestsSinceOpening = 0
        failuresInARow = 0
        reportedStreamLimit = 0
        window = Self.freshWindow(loop.configuration)
    }

    /// No new requests here; open ones are waited for.
    func drain(because reason: String, nowNanoseconds: Int64) {
        guard life.isReady else { return }
        life.drain(nowNanoseconds: nowNanoseconds)
        loop.note(.draining, self, reason)
    }

    /// Ends the connection in good order; open requests become unknown.
    func close() {
        if let wire { wire.close() } else { lost("closed", isUntrusted: false) }
    }

    private func abort(_ what: String) {
        if let wire {
            abortReason = what
            wire.abort(.byUs)
        } else {
            lost(what, isUntrusted: false)
        }
    }

    private var abortReason: String?

    /// The connection, or the attempt to make one, has ended.
    func lost(_ why: String, isUntrusted: Bool) {
        if let address, answersSinceOpening == 0 { loop.addressFailed(address) }
        let wasOpen = wire?.stage == .open
        wire = nil
        address = nil
        untried.removeAll()
        loop.connectionEnded(
            self, why: abortReason ?? why, isUntrusted: isUntrusted, wasOpen: wasOpen,
            hadAnswers: answersSinceOpening > 0)
        abortReason = nil
        answersSinceOpening = 0
    }

    // MARK: - Ends

    /// A sign that the server has too much to do.
    func saw(_ sign: AdaptivePace.Sign) {
        guard pace.saw(sign, nowNanoseconds: loop.nowNanoseconds) else { return }
        slowed(because: sign)
    }

    private func slowed(because sign: AdaptivePace.Sign) {
        changePace()
        let percent = pace.parts * 100 / AdaptivePace.whole
        loop.note(.pace, self, "slowed to \(percent) % of its pace: \(sign.rawValue)")
    }

    /// The fresh bucket's first token is thrown away, so that a change of pace adds nothing to what
    /// a second may hold.
    private func changePace() {
        let configuration = loop.configuration
        bucket = TokenBucket(
            rate: pace.applied(to: configuration.rate),
            burst: pace.applied(to: configuration.burst), nowNanoseconds: loop.nowNanoseconds)
        if configuration.rate != .unlimited { _ = bucket.take(nowNanoseconds: loop.nowNanoseconds) }
    }

    /// Learns from an answer how the server fares.
    private func observe(status: UInt16, latencyMicroseconds: UInt32) {
        if status >= 500 {
            saw(.serverError)
            failuresInARow += 1
            if failuresInARow == Self.failuresInARowMax {
                drain(
                    because: "\(failuresInARow) answers of the 5xx kind in a row",
                    nowNanoseconds: loop.nowNanoseconds)
            }
            return
        }
        failuresInARow = 0
        if pace.answered(
            latencyMicroseconds: Int64(latencyMicroseconds), nowNanoseconds: loop.nowNanoseconds)
        {
            slowed(because: .slowAnswers)
        }
    }

    /// Sends later requests with this provider token.
    func adopt(_ token: ProviderCredential.Numbered?) {
        tokenNumber = token?.number ?? 0
        let fields = loop.configuration.head.fields(token: token?.token).map {
            HTTP2Field(
                name: $0.name, value: $0.value, indexing: $0.indexing == .never ? .never : .allowed)
        }
        wire?.http2.setConstantFields(authority: loop.configuration.host, fields: fields)
    }

    private func finish(_ flight: Flight, body: [UInt8], unanswered: PushEnd) {
        var answer = PushAnswer()
        answer.connection = UInt8(clamping: number)
        answer.sentAtMicroseconds = loop.wallMicroseconds(ofNanoseconds: flight.sentNanoseconds)
        answer.latencyMicroseconds = UInt32(
            clamping: (loop.nowNanoseconds - flight.sentNanoseconds) / 1000)
        answer.apnsID = flight.apnsID
        answer.retryAfterSeconds = flight.retryAfterSeconds
        guard flight.status >= 200 else {
            loop.ended(batch: Int(flight.batch), entry: Int(flight.entry), answer, unanswered)
            return
        }
        answer.status = flight.status
        if flight.status != 403 {
            window.answeredWell()
            if answersSinceOpening == 0 { loop.connectionProved() }
        }
        answersSinceOpening += 1
        observe(status: flight.status, latencyMicroseconds: answer.latencyMicroseconds)
        loop.answered(
            batch: Int(flight.batch), entry: Int(flight.entry), answer, body: body,
            tokenNumber: Int(flight.tokenNumber), on: self)
    }
}

// MARK: - What the wire tells

extension PushConnection: WireClientHandler {
    func wireOpened() {
        life.opened(nowNanoseconds: loop.nowNanoseconds)
        adopt(loop.currentToken())
        loop.note(.opened, self, "connected to \(loop.configuration.host)")
    }

    func wireClosed(_ closure: WireClosure) {
        if goesOnElsewhere(after: closure) { return }
        var isUntrusted = false
        if case .tls(let error) = closure, case .verification = error.kind { isUntrusted = true }
        lost(closure.description, isUntrusted: isUntrusted)
        if case .tls(let error) = closure, case .certificateRefused = error.kind {
            // No other connection would fare better.
            loop.fail(.credentials("APNs does not let us in: \(error)."))
        }
    }

    func http2Settings() {
        guard let wire else { return }
        let limit = wire.http2.peerMaxConcurrentStreams
        window.peerAllows(limit)
        if let address { loop.addresses.worked(address) }
        life.settled(nowNanoseconds: loop.nowNanoseconds)
        if limit < reportedStreamLimit, limit < UInt32(clamping: loop.configuration.maxInFlight) {
            saw(.fewerStreams)
        }
        if limit < reportedStreamLimit || reportedStreamLimit == 0 {
            loop.note(.streamLimit, self, "the server allows \(limit) streams at once")
        }
        reportedStreamLimit = limit
    }

    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) {
        loop.goAway(on: self, errorCode: errorCode, debugData: debugData)
    }

    func http2PingAcknowledged() {
        life.heard(nowNanoseconds: loop.nowNanoseconds)
    }

    func http2Status(_ status: Int, slot: Int) {
        flights[slot].status = UInt16(clamping: status)
        if status != 200 { bodies[slot].removeAll(keepingCapacity: true) }
    }

    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {
        // Sound: both buffers are borrowed for this call, and so is the span over one.
        let text = unsafe Span<UInt8>(_unsafeBytes: value)
        if unsafe HeaderName.is(name, HeaderName.apnsID) {
            flights[slot].apnsID = APNSID(reading: text) ?? .none
        } else if unsafe HeaderName.is(name, HeaderName.retryAfter) {
            flights[slot].retryAfterSeconds = UInt32(RetryAfter.seconds(reading: text) ?? 0)
        } else if !isClockCompared, unsafe HeaderName.is(name, HeaderName.date) {
            isClockCompared = true
            if let seconds = HTTPDate.seconds(reading: text) { loop.compareClock(self, seconds) }
        }
    }

    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        let room = Self.bodyBytesMax - bodies[slot].count
        guard room > 0, flights[slot].status != 200 else { return }
        // Sound: the buffer is borrowed for this call, and append copies.
        unsafe bodies[slot].append(contentsOf: bytes.prefix(room))
    }

    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) {
        let flight = flights[slot]
        flights[slot].batch = -1
        freeSlots.append(slot)
        life.heard(nowNanoseconds: loop.nowNanoseconds)
        guard !flight.isGivenUp else { return }
        if flight.status < 200, end == .notProcessed {
            if life.isReady { saw(.refusedStream) }
            loop.cameBack(batch: Int(flight.batch), entry: Int(flight.entry))
            return
        }
        let cause: UnknownCause =
            if case .reset = end { .streamReset } else { .connectionLost }
        // Only refusals have a body that is read.
        finish(
            flight, body: flight.status == 200 ? [] : bodies[slot], unanswered: .unknown(cause))
    }
}
