internal import HTTP2
internal import LinuxIO
internal import TLS

/// Told by a link that it is ready, and that it is over.
protocol WireLinkOwner: AnyObject {
    func linkOpened()
    /// Once, last.
    func linkClosed(_ closure: WireClosure)
}

/// One connection: a socket, TLS over it, and an HTTP/2 session over that, moving bytes between
/// them. It decides nothing: deadlines and requests are its owner's.
///
///     connecting ── connected ──► handshaking ── h2 agreed ──► open ──► lingering ──► closed
///         └──► tunnelling ── 2xx ──►──┘                          │           │           ▲
///                   └─────────────── any failure, abort ────────┴───────────┴───────────┘
///
/// Rules:
/// 1. Everything the peer sent is delivered before the end of the connection is: what was read is
///    decrypted and handed on at once, and when a write fails the rest is still read.
/// 2. One turn reads at most `turnBytesMax`, so that one busy peer does not starve the others.
/// 3. Frames are pulled from the session only while less than `pendingBytesMax` of ciphertext waits
///    for the socket; what the peer does not read costs no more memory than that.
/// 4. Callbacks may call anything: a flush inside one is left to the turn it runs in, a close is
///    done when the callback has returned, an abort at once.
///
/// - Ownership and thread: loop-bound. The poller keeps it and it keeps its owner until it is over.
@safe final class WireLink: ReadinessHandler {
    enum State { case connecting, tunnelling, handshaking, open, lingering, closed }

    /// 256 KiB: some thousand answers.
    static let turnBytesMax = 256 * 1024
    /// 256 KiB: more than a second's worth at a thousand small requests per second.
    static let pendingBytesMax = 256 * 1024
    /// 64 KiB: four full TLS records.
    static let outputBytes = 64 * 1024

    let session: any HTTP2Session
    let tls: TLSSession
    /// Queues the session's GOAWAY.
    let announceEnd: () -> Void
    /// Whether to wait for the peer's end before closing the socket.
    let lingers: Bool
    /// Ciphertext from the socket, then plaintext from TLS: a record holds at most 16 KiB.
    let inputBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    let plaintextBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 16 * 1024, alignment: 16)

    var state: State { didSet { advanceStage() } }
    /// The farthest that the setting up has come; stays when the link is over.
    private(set) var stage: WireStage
    /// The tunnel to ask the proxy for; nil: there is none, or it is open.
    var opening: Opening?
    /// Whether a call into the session is under way, so that a callback may be running.
    var isBusy = false
    var isCloseWanted = false
    /// Whether the farewell has a GOAWAY.
    var isEndAnnounced = true
    /// A write failed: what is left is to read what the peer sent before.
    var isWriteBroken = false
    private(set) var isWritePending = false
    /// The socket is left unread: what the peer sends piles up in the kernel.
    private(set) var isReadingPaused = false
    /// What `lingering` ends with.
    var lingeringClosure = WireClosure.byUs

    private let poller: Poller
    private let address: SocketAddress?
    private var descriptor: OwnedDescriptor?
    private var owner: (any WireLinkOwner)?

    /// A link over a socket that is connected already, or being connected to `address`.
    init(
        poller: Poller, descriptor: consuming OwnedDescriptor, connectingTo address: SocketAddress?,
        through tunnel: WireTunnel? = nil, tls: TLSSession, session: any HTTP2Session,
        lingers: Bool,
        announceEnd: @escaping () -> Void
    ) {
        self.poller = poller
        self.descriptor = consume descriptor
        self.address = address
        self.tls = tls
        self.session = session
        self.lingers = lingers
        self.announceEnd = announceEnd
        opening = tunnel.map { Opening($0) }
        state = address == nil ? .handshaking : .connecting
        stage = address == nil ? .handshaking : .connecting
    }

    deinit {
        unsafe inputBuffer.deallocate()
        unsafe plaintextBuffer.deallocate()
    }

    /// Starts watching the socket.
    func start(owner: any WireLinkOwner) throws(SystemError) {
        guard let raw = descriptor?.raw else { return }
        try poller.add(raw, readable: true, writable: state == .connecting, handler: self)
        self.owner = owner
    }

    /// Whether bytes move both ways.
    var isLive: Bool { state == .handshaking || state == .open }

    /// The socket; only while the link is not closed.
    var raw: Int32 {
        guard let raw = descriptor?.raw else { preconditionFailure("the link is closed") }
        return raw
    }

    // MARK: - Events

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        switch state {
        case .connecting: if let address { finishConnecting(to: address) }
        case .tunnelling: tunnelTurn()
        case .handshaking, .open:
            // A failure is told whether or not reading is wanted, so it has to end the link.
            if failed, isReadingPaused { return end(.endOfFile) }
            if readable || failed { readTurn() }
            flush()
        case .lingering: lingerTurn()
        case .closed: break
        }
    }

    private func advanceStage() {
        switch state {
        case .connecting: stage = .connecting
        case .tunnelling: stage = .tunnelling
        case .handshaking: stage = .handshaking
        case .open: stage = .open
        case .lingering, .closed: break
        }
    }

    /// Takes the handshake as far as the bytes at hand allow.
    func advanceHandshake() {
        do {
            guard try tls.handshake() else { return }
        } catch {
            sendRest()
            return end(error.kind == .noProtocolAgreed ? .noHTTP2(offered: nil) : .tls(error))
        }
        let agreed = tls.negotiatedProtocol
        guard agreed == "h2" else {
            tls.close()
            sendRest()
            return end(.noHTTP2(offered: agreed))
        }
        state = .open
        callOut { owner?.linkOpened() }
    }

    /// Runs something that may call the owner back, and then the close it may have asked for.
    func callOut(_ body: () -> Void) {
        let wasBusy = isBusy
        isBusy = true
        body()
        isBusy = wasBusy
        if !isBusy, isCloseWanted { close() }
    }

    /// Asks the poller for what is needed: reading always, writing while ciphertext waits.
    func updateInterest() {
        isWritePending = tls.hasPendingCiphertext
        watch(writable: isWritePending)
    }

    /// Asks the poller for reading, unless that is paused, and for writing or not.
    func watch(writable: Bool) {
        do {
            try poller.change(raw, readable: !isReadingPaused, writable: writable)
        } catch {
            end(.system(error))
        }
    }

    /// Stops or resumes reading from the socket; what was read already is still handled.
    func pauseReading(_ isPaused: Bool) {
        isReadingPaused = isPaused
        if isLive { updateInterest() }
    }

    /// Ends this direction of the TCP connection without a word in HTTP/2 or TLS; what was queued
    /// before is sent as far as the socket takes it.
    func shutDownWriting() {
        guard isLive else { return }
        sendRest()
        StreamSocket.shutdownWriting(raw)
    }

    // MARK: - The end

    /// Says goodbye in HTTP/2 (if `announced`), TLS and TCP as far as the socket takes it, then
    /// ends.
    func close(announced: Bool = true) {
        if !announced { isEndAnnounced = false }
        switch state {
        case .closed, .lingering: return
        case .connecting, .tunnelling, .handshaking: return end(.byUs)
        case .open: break
        }
        if isBusy {
            isCloseWanted = true
            return
        }
        sayGoodbye(.byUs)
    }

    /// The link is over, now. Later calls do nothing.
    func end(_ closure: WireClosure) {
        guard state != .closed else { return }
        if let raw = descriptor?.raw { poller.remove(raw) }
        state = .closed
        isWritePending = false
        descriptor = nil
        session.tearDown()
        let owner = owner
        self.owner = nil
        owner?.linkClosed(spoken(closure))
    }

    /// A failure to reach the proxy under the proxy's name.
    private func spoken(_ closure: WireClosure) -> WireClosure {
        guard stage == .connecting, let tunnel = opening?.tunnel, case .system(let error) = closure
        else { return closure }
        return .proxy(tunnel.fault(.unreachable(error)))
    }
}
