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
    /// From 1; 0 means no connection in a record.
    let number: Int
    var life: ConnectionLife
    private(set) var tokenNumber = 0

    /// Kept until the loop's end, when it lets go of its connections: counting a weaker reference
    /// would cost more for each answer than all else that is done with it.
    let loop: PushLoop
    // No accesses overlap: one thread uses a connection, and the functions of these values call
    // nothing outside of them.
    private let bucket: ThreadBound<TokenBucket>
    private let window: ThreadBound<StreamWindow>
    private let pace = ThreadBound(AdaptivePace())
    /// Requests that the bucket allowed and that may not have been given to the socket yet.
    private var allowedUnsent = 0
    private var failuresInARow = 0
    private var isClockCompared = false
    private(set) var wire: WireClient?
    /// Where `wire` goes.
    private(set) var address: SocketAddress?
    /// What the look-up gave for this opening and was not tried yet.
    var untried: [SocketAddress] = []
    // No accesses overlap: each is over before anything else is called.
    private let flights: ThreadBound<[Flight]>
    private let bodies: ThreadBound<[[UInt8]]>
    private let freeSlots: ThreadBound<[Int]>
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
        bucket = ThreadBound(
            TokenBucket(
                rate: configuration.rate, burst: configuration.burst,
                nowNanoseconds: nowNanoseconds))
        window = ThreadBound(Self.freshWindow(configuration))
        let slots = configuration.maxInFlight
        flights = ThreadBound(Array(repeating: Flight(), count: slots))
        bodies = ThreadBound(Array(repeating: [], count: slots))
        freeSlots = ThreadBound(Array((0..<slots).reversed()))
    }

    var openRequests: Int { flights.value.count - freeSlots.value.count }

    // MARK: - Submitting

    /// How many requests may be submitted now, the pace left aside.
    var freeStreams: Int {
        guard life.isReady, let wire, !wire.isWritePending else { return 0 }
        let free = min(window.value.freeSlots(open: openRequests), freeSlots.value.count)
        // Without a rate to slow down, a slower pace means fewer requests at once.
        guard loop.configuration.rate == .unlimited, pace.value.parts < AdaptivePace.whole else {
            return free
        }
        let slowed = pace.value.applied(to: loop.configuration.maxInFlight)
        return min(free, max(0, slowed - openRequests))
    }

    /// When the pace allows the next request; now or earlier means at once.
    func nextSubmission(nowNanoseconds: Int64) -> Int64 {
        bucket.value.nextNanoseconds(nowNanoseconds: nowNanoseconds)
    }

    /// Takes the right to send one request out of the bucket, if it is there.
    func takePace(nowNanoseconds: Int64) -> Bool {
        guard bucket.value.take(nowNanoseconds: nowNanoseconds) else { return false }
        allowedUnsent += 1
        return true
    }

    /// Puts back what ``takePace(nowNanoseconds:)`` took in this turn, unused.
    func givePaceBack() {
        bucket.value.giveBack(1)
        allowedUnsent -= 1
    }

    /// Puts one request on the connection.
    ///
    /// - Returns: false if HTTP/2 takes no more requests here; the connection is then draining.
    func submit(batchIndex: Int, batch: PushBatch, entry: Int, nowNanoseconds: Int64) -> Bool {
        guard let wire, let slot = freeSlots.value.popLast() else { return false }
        if openRequests == 1 { life.heard(nowNanoseconds: nowNanoseconds) }
        flights.value[slot] = Flight(
            batch: Int32(batchIndex), entry: Int32(entry),
            tokenNumber: Int32(tokenNumber), sentNanoseconds: nowNanoseconds)
        do {
            let request = batch.items[entry]
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
            freeSlots.value.append(slot)
            drain(
                because: "HTTP/2 takes no more requests: \(error)", nowNanoseconds: nowNanoseconds)
            return false
        }
    }

    func flush() {
        wire?.flush()
        settlePace()
    }

    /// What counts for the server is when a request is written. On a busy machine, or to a socket
    /// that takes no more, that may be long after the bucket was asked.
    private func settlePace() {
        guard allowedUnsent > 0, wire?.isWritePending != true else { return }
        if loop.configuration.rate != .unlimited {
            bucket.value.used(allowedUnsent, nowNanoseconds: MonotonicClock.nanoseconds())
        }
        allowedUnsent = 0
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
        if pace.value.recover(nowNanoseconds: now) { changePace() }
        switch life.silence(nowNanoseconds: now, openRequests: openRequests) {
        case .none: break
        case .pingDue: wire?.http2.ping()
        case .dead: abort("it went silent: no answer to a PING")
        }
    }

    /// Gives up requests that were sent before `sentBeforeNanoseconds` and were not answered.
    func giveUp(sentBeforeNanoseconds: Int64, _ cause: UnknownCause) {
        guard openRequests > 0 else { return }
        for slot in flights.value.indices
        where flights.value[slot].batch >= 0 && !flights.value[slot].isGivenUp
            && flights.value[slot].sentNanoseconds < sentBeforeNanoseconds
        {
            flights.value[slot].isGivenUp = true
            finish(flights.value[slot], body: bodies.value[slot], unanswered: .unknown(cause))
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
        window.value = Self.freshWindow(loop.configuration)
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
        guard pace.value.saw(sign, nowNanoseconds: loop.nowNanoseconds) else { return }
        slowed(because: sign)
    }

    private func slowed(because sign: AdaptivePace.Sign) {
        changePace()
        let percent = pace.value.parts * 100 / AdaptivePace.whole
        loop.note(.pace, self, "slowed to \(percent) % of its pace: \(sign.rawValue)")
    }

    /// The fresh bucket's first token is thrown away, so that a change of pace adds nothing to what
    /// a second may hold.
    private func changePace() {
        let configuration = loop.configuration
        bucket.value = TokenBucket(
            rate: pace.value.applied(to: configuration.rate),
            burst: pace.value.applied(to: configuration.burst), nowNanoseconds: loop.nowNanoseconds)
        guard configuration.rate != .unlimited else { return }
        _ = bucket.value.take(nowNanoseconds: loop.nowNanoseconds)
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
        if pace.value.answered(
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
            window.value.answeredWell()
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
        window.value.peerAllows(limit)
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
        flights.value[slot].status = UInt16(clamping: status)
        if status != 200 { bodies.value[slot].removeAll(keepingCapacity: true) }
    }

    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int) {
        // Sound: both buffers are borrowed for this call, and so is the span over one.
        let text = unsafe Span<UInt8>(_unsafeBytes: value)
        if unsafe HeaderName.is(name, HeaderName.apnsID) {
            flights.value[slot].apnsID = APNSID(reading: text) ?? .none
        } else if unsafe HeaderName.is(name, HeaderName.retryAfter) {
            flights.value[slot].retryAfterSeconds = UInt32(RetryAfter.seconds(reading: text) ?? 0)
        } else if !isClockCompared, unsafe HeaderName.is(name, HeaderName.date) {
            isClockCompared = true
            if let seconds = HTTPDate.seconds(reading: text) { loop.compareClock(self, seconds) }
        }
    }

    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        let room = Self.bodyBytesMax - bodies.value[slot].count
        guard room > 0, flights.value[slot].status != 200 else { return }
        // Sound: the buffer is borrowed for this call, and append copies.
        unsafe bodies.value[slot].append(contentsOf: bytes.prefix(room))
    }

    func http2Closed(_ end: HTTP2StreamEnd, slot: Int) {
        let flight = flights.value[slot]
        flights.value[slot].batch = -1
        freeSlots.value.append(slot)
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
            flight, body: flight.status == 200 ? [] : bodies.value[slot],
            unanswered: .unknown(cause))
    }
}
