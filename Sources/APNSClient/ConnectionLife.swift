/// The life of one connection, as a value: it is told what happened and when, and says what to do.
///
/// ```
///  resting ──time──► opening ──TLS up──► settling ──SETTINGS──► ready ──GOAWAY, end──► draining
///     ▲                 │ deadline           │ deadline            │ lost                  │
///     └────────────── pause ◄────────────────┴─────────────────────┴───────────────────────┘
/// ```
/// It has no clock and no socket; `nowNanoseconds` is monotonic time.
struct ConnectionLife: Sendable {
    enum State: Equatable, Sendable {
        /// No socket; the next opening is allowed from then on.
        case resting(untilNanoseconds: Int64)
        /// Name look-up, TCP and TLS are under way.
        case opening(deadlineNanoseconds: Int64)
        /// HTTP/2 speaks; the peer's first SETTINGS have not come.
        case settling(deadlineNanoseconds: Int64)
        /// Requests may be submitted.
        case ready
        /// No new requests; open ones are waited for.
        case draining(deadlineNanoseconds: Int64)
        /// Never opened again.
        case ended
    }

    /// What the owner has to do now.
    enum Step: Equatable, Sendable {
        case nothing
        /// Look the name up and connect.
        case open
        /// TCP takes too long at this address: give it up and try another, if there is one.
        case leaveAddress
        /// Drop the connection: the named wait has no time left.
        case abort(String)
        /// Everything open has ended or run out of time: close in good order.
        case close
    }

    private(set) var state: State
    private let limits: ConnectionLimits
    private var heardNanoseconds: Int64 = 0
    private var pingSentNanoseconds: Int64?
    /// While TCP is under way: until when this address may take.
    private var addressDeadlineNanoseconds: Int64?

    /// A connection that may open from `firstOpeningNanoseconds` on.
    init(limits: ConnectionLimits, firstOpeningNanoseconds: Int64) {
        self.limits = limits
        state = .resting(untilNanoseconds: firstOpeningNanoseconds)
    }

    var isReady: Bool { state == .ready }

    var isOpening: Bool {
        if case .opening = state { true } else { false }
    }

    var isEnded: Bool { state == .ended }

    var hasSocket: Bool {
        switch state {
        case .resting, .ended: false
        case .opening, .settling, .ready, .draining: true
        }
    }

    /// The next moment at which ``step(nowNanoseconds:openRequests:hasWork:)`` may have news.
    func nextNanoseconds(hasWork: Bool, openRequests: Int) -> Int64? {
        switch state {
        case .resting(let until): hasWork ? until : nil
        case .opening(let deadline): min(deadline, addressDeadlineNanoseconds ?? deadline)
        case .settling(let deadline): deadline
        case .draining(let deadline): openRequests == 0 ? 0 : deadline
        case .ready: openRequests == 0 ? idleDeadline : silenceDeadline
        case .ended: nil
        }
    }

    private var idleDeadline: Int64 { heardNanoseconds + limits.idleNanoseconds }

    private var silenceDeadline: Int64 {
        if let pingSentNanoseconds { return pingSentNanoseconds + limits.pingTimeoutNanoseconds }
        return heardNanoseconds + limits.silenceNanoseconds
    }

    /// Time has passed: what is due?
    mutating func step(nowNanoseconds now: Int64, openRequests: Int, hasWork: Bool) -> Step {
        switch state {
        case .resting(let until) where hasWork && now >= until:
            state = .opening(deadlineNanoseconds: now + limits.openingNanoseconds)
            return .open
        case .opening(let deadline) where now >= deadline:
            return .abort("no TLS connection within \(limits.openingNanoseconds / 1_000_000_000) s")
        case .opening where now >= addressDeadlineNanoseconds ?? .max:
            addressDeadlineNanoseconds = nil
            return .leaveAddress
        case .settling(let deadline) where now >= deadline:
            return .abort(
                "no HTTP/2 SETTINGS within \(limits.settlingNanoseconds / 1_000_000_000) s")
        case .draining(let deadline) where openRequests == 0 || now >= deadline:
            return .close
        case .ready where openRequests == 0 && now >= idleDeadline:
            return .close
        default:
            return .nothing
        }
    }

    /// Whether a PING is due, or its answer overdue, on a connection with open requests.
    mutating func silence(nowNanoseconds now: Int64, openRequests: Int) -> Silence {
        guard state == .ready, openRequests > 0 else { return .none }
        if let sent = pingSentNanoseconds {
            return now >= sent + limits.pingTimeoutNanoseconds ? .dead : .none
        }
        guard now >= heardNanoseconds + limits.silenceNanoseconds else { return .none }
        pingSentNanoseconds = now
        return .pingDue
    }

    enum Silence: Equatable, Sendable { case none, pingDue, dead }

    /// Anything arrived from the peer, or the first request after idling went out.
    mutating func heard(nowNanoseconds now: Int64) {
        heardNanoseconds = now
        pingSentNanoseconds = nil
    }

    /// TCP to an address begins.
    mutating func connecting(nowNanoseconds now: Int64) {
        addressDeadlineNanoseconds = now + limits.connectingNanoseconds
    }

    /// TCP is there.
    mutating func connected() {
        addressDeadlineNanoseconds = nil
    }

    /// TLS is up and HTTP/2 agreed.
    mutating func opened(nowNanoseconds now: Int64) {
        connected()
        guard case .opening = state else { return }
        state = .settling(deadlineNanoseconds: now + limits.settlingNanoseconds)
        heard(nowNanoseconds: now)
    }

    /// The peer's SETTINGS were applied.
    mutating func settled(nowNanoseconds now: Int64) {
        guard case .settling = state else { return }
        state = .ready
        heard(nowNanoseconds: now)
    }

    /// No new requests from now on; a second call does not move the deadline.
    mutating func drain(nowNanoseconds now: Int64) {
        switch state {
        case .ready, .settling, .opening:
            state = .draining(deadlineNanoseconds: now + limits.drainNanoseconds)
        case .draining, .resting, .ended: break
        }
    }

    /// The socket is gone; the next opening is allowed from `reopenNanoseconds` on, or never.
    mutating func closed(reopenNanoseconds: Int64?) {
        pingSentNanoseconds = nil
        addressDeadlineNanoseconds = nil
        if let reopenNanoseconds {
            state = .resting(untilNanoseconds: reopenNanoseconds)
        } else {
            state = .ended
        }
    }
}

/// The bounds of a connection's waits, in nanoseconds of monotonic time.
package struct ConnectionLimits: Sendable {
    /// Name look-up, TCP, a proxy's tunnel and TLS together, whatever number of addresses is tried.
    package var openingNanoseconds: Int64 = 8_000_000_000
    /// TCP to one address: enough for the first packet to be lost and sent again once.
    package var connectingNanoseconds: Int64 = 3_000_000_000
    /// From TLS to the peer's first SETTINGS.
    package var settlingNanoseconds: Int64 = 10_000_000_000
    /// After GOAWAY, for the requests that are still open.
    package var drainNanoseconds: Int64 = 30_000_000_000
    /// Nothing heard for so long while requests are open: a PING is sent.
    package var silenceNanoseconds: Int64 = 10_000_000_000
    /// Nothing heard for so long after that PING: the connection is given up.
    package var pingTimeoutNanoseconds: Int64 = 15_000_000_000

    /// Nothing open for so long: the connection is closed, because firewalls and servers drop idle
    /// ones without a word. The next request opens another.
    package var idleNanoseconds: Int64 = 60_000_000_000

    /// Requests a connection carries at most before it is replaced: stream numbers are odd, 31 bits
    /// wide and never used again, so there are about 1,074 million (RFC 9113, section 5.1.1).
    package var requestsMax = 1_000_000_000

    /// The defaults.
    package init() {}
}
