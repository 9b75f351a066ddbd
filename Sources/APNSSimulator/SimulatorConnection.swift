internal import HTTP2
internal import LinuxIO
internal import Wire

/// One connection of a sender: takes its requests, asks judge and behaviour, answers.
///
/// Loop-bound: owned by one worker, used on its thread. Requests live in slots, so that in the
/// steady state a request allocates nothing here.
final class SimulatorConnection {
    let number: Int
    /// The connection's place in the worker's table; set by `wireAccepted`.
    private(set) var place: Int32 = -1
    /// Keeps this object alive too, until `wireClosed` takes both apart.
    private(set) var wire: WireServerConnection?
    let behaviour: any SimulatorBehaviour
    /// Keeps this object alive too, until `wireClosed` makes it forget the connection.
    let worker: SimulatorWorker
    let isFast: Bool
    let slots = RequestSlots()
    private var credentials = CredentialJudge()
    /// Bytes of the fast mode's requests since the last complete one.
    var fastHeaderBytes = 0
    var fastBodyBytes = 0
    /// TLS and HTTP/2 are agreed; a connection that never comes so far is not described.
    var isOpen = false
    private(set) var requests = 0
    /// As the session counted them, when the connection has ended.
    private var headerBlockBytes = 0
    /// Slots of the fast mode whose token is dead, and since when; empty if no token is.
    var fastDeaths: [Int64?] = []
    /// Streams above this one are not taken any more: a GOAWAY named it, or 0: the connection is
    /// cut.
    var lastStreamIDTaken = Int32.max
    /// No answer is given before this moment; nil: answers are given.
    var answersAgainNanoseconds: Int64?
    /// When the socket is read again; nil: nothing is to be done about that.
    var readsAgainNanoseconds: Int64?
    /// The second step of a GOAWAY, and when it is due.
    var pendingFarewell: (step: ConnectionFarewell, streamID: Int32?, dueNanoseconds: Int64)?
    var flood: RunningFlood?
    private var arrivals = ArrivalWindow()
    private var firstArrivalNanoseconds: Int64 = 0
    private var lastArrivalNanoseconds: Int64 = 0
    /// What the last SETTINGS allowed.
    var streamLimit: UInt32
    private var streamsOpen = 0
    private var streamsOpenMax = 0

    init(
        number: Int, behaviour: any SimulatorBehaviour, streamLimit: UInt32,
        worker: SimulatorWorker
    ) {
        self.streamLimit = streamLimit
        self.number = number
        self.behaviour = behaviour
        self.worker = worker
        isFast = worker.isFast
    }

    /// What was seen on the connection so far.
    var statistics: ConnectionStatistics {
        ConnectionStatistics(
            number: number, requests: requests,
            headerBlockBytes: wire?.http2.headerFrameBytes ?? headerBlockBytes,
            requestsInOneSecondMax: arrivals.largest, streamsOpenMax: streamsOpenMax,
            activeNanoseconds: lastArrivalNanoseconds - firstArrivalNanoseconds)
    }

    // MARK: - The wire

    /// The first thing that happens to a connection.
    func join(_ wire: WireServerConnection) {
        self.wire = wire
        place = worker.add(self)
    }

    /// The last.
    func leave() {
        headerBlockBytes = wire?.http2.headerFrameBytes ?? headerBlockBytes
        wire = nil
        worker.remove(self)
    }

    // MARK: - Counting

    func noteStreamOpened() {
        streamsOpen += 1
        if streamsOpen > streamsOpenMax { streamsOpenMax = streamsOpen }
    }

    func noteStreamClosed() {
        streamsOpen -= 1
    }

    func noteArrival(nowNanoseconds: Int64) {
        if requests == 0 { firstArrivalNanoseconds = nowNanoseconds }
        requests += 1
        lastArrivalNanoseconds = nowNanoseconds
        arrivals.record(nowNanoseconds: nowNanoseconds)
    }

    // MARK: - Requests

    /// Judges a complete request and answers it, or sees to it that it is answered later.
    func take(_ index: Int, nowNanoseconds: Int64) {
        judge(&slots[index], nowNanoseconds: nowNanoseconds)
        let treatment = behaviour.treatment(
            of: ArrivedRequest(slots: slots, index: index, number: requests))
        slots[index].reply = treatment.reply
        reply(to: index, treatment, nowNanoseconds: nowNanoseconds)
        perform(treatment.step, streamID: slots[index].streamID)
    }

    private func judge(_ slot: inout RequestSlot, nowNanoseconds: Int64) {
        slot.kind = PushKind(of: slot.intake)
        slot.tokenHash = worker.tokenHash(slot.intake.token.span)
        let credential = credentialRuling(on: slot.presented, nowNanoseconds: nowNanoseconds)
        slot.isCredentialAccepted = credential == .accepted
        slot.ruling = worker.judge.ruling(
            on: slot.intake, credential: credential, tokenHash: slot.tokenHash)
        if worker.keepsTranscript {
            worker.keepTranscript(of: slot, connection: self, nowNanoseconds: nowNanoseconds)
        }
    }

    private func credentialRuling(
        on presented: PresentedToken?, nowNanoseconds: Int64
    ) -> CredentialRuling {
        guard worker.checksCredentials else { return .accepted }
        return credentials.ruling(
            on: presented, wallSeconds: worker.wallSeconds(nowNanoseconds: nowNanoseconds))
    }

    private func reply(to index: Int, _ treatment: RequestTreatment, nowNanoseconds: Int64) {
        switch treatment.reply {
        case .reset(let code):
            worker.counters.noteReset(code: code)
            wire?.http2.reset(slot: index, errorCode: code)
        case .judged where slots[index].ruling == .ignored, .ignored:
            worker.counters.requestsIgnored += 1
        case .judged, .answer:
            slots[index].isDue = true
            let due = worker.dueNanoseconds(
                nowNanoseconds: nowNanoseconds, delayNanoseconds: treatment.delayNanoseconds)
            if due <= nowNanoseconds {
                answer(index)
            } else {
                worker.delay(
                    DelayedAnswer(
                        dueNanoseconds: due, connection: place,
                        connectionNumber: Int32(number), slot: Int32(index),
                        generation: slots[index].generation))
            }
        }
    }

    /// Gives the answer whose time has come, unless the stream it was for is gone.
    func answerDelayed(_ index: Int, generation: UInt32) {
        guard slots[index].generation == generation, slots[index].isDue,
            slots[index].streamID <= lastStreamIDTaken
        else { return }
        answer(index)
    }

    private func answer(_ index: Int) {
        if let answersAgainNanoseconds, MonotonicClock.nanoseconds() < answersAgainNanoseconds {
            return holdBack(index, untilNanoseconds: answersAgainNanoseconds)
        }
        slots[index].isDue = false
        guard let http2 = wire?.http2 else { return }
        let given = worker.answer(slots[index], index: index, on: http2)
        perform(behaviour.step(after: given), streamID: slots[index].streamID)
    }

    /// The answer waits until the connection answers again; one that never does keeps it for good.
    private func holdBack(_ index: Int, untilNanoseconds: Int64) {
        guard untilNanoseconds < .max else { return }
        worker.delay(
            DelayedAnswer(
                dueNanoseconds: untilNanoseconds, connection: place,
                connectionNumber: Int32(number), slot: Int32(index),
                generation: slots[index].generation))
    }
}
