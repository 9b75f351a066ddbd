internal import CNGHTTP2

/// The client's end of an HTTP/2 connection, for many requests that differ in path and body only.
///
/// Order of calls: `setConstantFields` before the first `submit`; `submit` whenever
/// `acceptsRequests` holds and fewer than `peerMaxConcurrentStreams` are open. More are queued
/// inside and sent as streams end, but nothing tells the caller so: keep the queue outside.
/// After an error, after the connection is lost, or to give up: `tearDown`, once.
///
/// Every request submitted ends with exactly one `http2Closed`, on every path.
///
/// - Ownership and thread: one thread. The handler is not retained and must outlive the session's
///   last call.
/// - C: `nghttp2_session_client_new3`
@safe package final class HTTP2Client: HTTP2Session {
    let core: SessionCore
    private unowned(unsafe) let uncountedHandler: any HTTP2ClientHandler
    /// Sound: the handler outlives the session's last call, as the initializer asks. To have that
    /// checked for each callback costs more than some callbacks do.
    var handler: any HTTP2ClientHandler { unsafe uncountedHandler }
    let streams = SlotTable(empty: ClientStream())
    let headerListBytesMax: Int32

    /// Counted apart from the property that other modules see, because those accesses are checked
    /// at run time.
    var openCount = 0

    /// The slot found last: the callbacks for one answer come one after another.
    var recentSlot = 0

    /// Whether the server's first SETTINGS arrived.
    package internal(set) var settingsReceived = false

    /// Makes the header blocks, in place of nghttp2; nil: nghttp2 makes them.
    let blocks: RequestBlocks?
    /// The fields of every request that nghttp2 encodes; `:path` is filled in by `submit`.
    var requestFields = FieldBlock([])
    /// Blocks that were replaced while a request made with them may still be queued inside.
    var replacedFields: [FieldBlock] = []
    var isGoingAway = false
    /// Requests cancelled before they were sent: reported by the next `takeOutput`.
    var withdrawn: [(slot: Int, streamID: Int32)] = []

    /// Starts a session and queues the connection preface and SETTINGS.
    ///
    /// - Parameters:
    ///   - options: What to announce, and bounds.
    ///   - handler: Told what arrives; not retained.
    /// - Throws: When nghttp2 has no memory.
    package init(
        options: HTTP2ClientOptions, handler: any HTTP2ClientHandler
    ) throws(HTTP2Error) {
        unsafe uncountedHandler = handler
        headerListBytesMax = options.headerListBytesMax
        blocks = options.headerEncoder == .own ? RequestBlocks() : nil
        let memory = SessionMemory()
        unsafe core = SessionCore(owning: try Self.makeSession(options, memory), in: memory)
        // Sound: self is unretained; it owns `core`, whose session makes callbacks only inside
        // calls that self makes.
        unsafe nghttp2_session_set_user_data(
            core.session, Unmanaged.passUnretained(self).toOpaque())
        try submitSettings(options)
    }

    // MARK: - Bytes

    /// Takes bytes from the server and calls the handler for everything in them; see
    /// `HTTP2Session`.
    ///
    /// - Parameter bytes: Any number of bytes; frames may be cut anywhere.
    /// - Throws: When the session cannot go on; then only `tearDown` is left to do.
    /// - C: `nghttp2_session_mem_recv`
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try unsafe core.receive(bytes)
    }

    /// Lends the bytes to send next and then regards them as sent; see `HTTP2Session`.
    ///
    /// - Parameters:
    ///   - maximumBytes: Upper bound; a multiple of 16 KiB makes full TLS records.
    ///   - body: Called once. An empty buffer: there is nothing to send now.
    /// - Returns: What `body` returned.
    /// - Throws: When the session cannot go on; then only `tearDown` is left to do.
    /// - C: `nghttp2_session_mem_send`
    package func takeOutput<R>(
        maximumBytes: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(HTTP2Error) -> R {
        reportWithdrawn()
        let result = try unsafe core.takeOutput(
            maximumBytes: maximumBytes,
            place: { (frame, output) throws(HTTP2Error) in try unsafe place(frame, in: output) },
            body)
        if !hasUnsentRequests { forgetReplacedFields() }
        return result
    }

    // MARK: - State

    /// Requests submitted and not yet reported closed.
    package var openStreams: Int { openCount }

    /// Whether the session is over: it wants neither to read nor to write, ever again.
    ///
    /// - C: `nghttp2_session_want_read`, `nghttp2_session_want_write`
    package var isFinished: Bool { core.isFinished }

    /// Why this side ended the session: the server broke the protocol, or there was no memory.
    package var failure: HTTP2Error? { core.failure }

    /// Whether a new request may be submitted: no GOAWAY in either direction, stream numbers left.
    ///
    /// - C: `nghttp2_session_check_request_allowed`
    package var acceptsRequests: Bool {
        guard !isGoingAway, !core.isTornDown else { return false }
        // Sound: the session is valid as long as `core`; so in every property below.
        return unsafe nghttp2_session_check_request_allowed(core.session) != 0
    }

    /// How many streams the server allows at once: 1 until its first SETTINGS arrived, although the
    /// protocol would allow more; then what it said last, possibly 0; `UInt32.max` if it sets none.
    ///
    /// - C: `nghttp2_session_get_remote_settings`
    package var peerMaxConcurrentStreams: UInt32 {
        unsafe nghttp2_session_get_remote_settings(
            core.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    /// How many more requests the connection can carry: stream numbers are odd, 31 bits wide, and
    /// never used again (RFC 9113, section 5.1.1).
    ///
    /// - C: `nghttp2_session_get_next_stream_id`
    package var streamIDsLeft: Int {
        let next = unsafe nghttp2_session_get_next_stream_id(core.session)
        return next > UInt32(Int32.max) ? 0 : (Int(Int32.max) - Int(next)) / 2 + 1
    }

    // MARK: - Connection

    /// Queues a PING; its answer is reported by the handler's `http2PingAcknowledged`.
    ///
    /// - C: `nghttp2_submit_ping`
    package func ping() {
        guard !core.isTornDown else { return }
        // Sound: nil data means eight zero bytes. It can fail only for lack of memory, which shows
        // as a PING without an answer.
        _ = unsafe nghttp2_submit_ping(core.session, 0, nil)
    }

    /// Queues a graceful GOAWAY: no more requests; those under way are still answered.
    ///
    /// - C: `nghttp2_submit_goaway`
    package func goAway() {
        guard !core.isTornDown, !isGoingAway else { return }
        isGoingAway = true
        // Sound: no debug data is passed. A failure for lack of memory costs the peer a courtesy.
        if unsafe nghttp2_submit_goaway(core.session, 0, 0, 0, nil, 0) == 0 {
            core.queuedGoAways += 1
        }
    }

    /// Ends the session: requests that never left are reported `.notProcessed`, all other open ones
    /// `.sessionEnded`. Safe in a callback. Later calls do nothing.
    package func tearDown() {
        guard !core.isTornDown else { return }
        core.markTornDown()
        for slot in 0..<streams.count where streams[slot].streamID != 0 {
            close(slot: slot, isUnsent(slot) ? .notProcessed : .sessionEnded)
        }
    }

    /// Reports the end of the request in `slot`, which is free from here on.
    func close(slot: Int, _ end: HTTP2StreamEnd) {
        streams[slot] = ClientStream()
        openCount -= 1
        handler.http2Closed(end, slot: slot)
    }
}
