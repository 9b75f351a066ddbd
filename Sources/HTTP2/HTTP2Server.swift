internal import CNGHTTP2

/// The server's end of an HTTP/2 connection.
///
/// Requests are reported to the handler by slot; each is answered, at once or later, by `respond`,
/// or ended by `reset`. Calls for a slot that was reported closed do nothing, so a late answer to a
/// stream that the client has reset is harmless.
///
/// - Ownership and thread: one thread. The handler is not retained and must outlive the session's
///   last call.
/// - C: `nghttp2_session_server_new2`
@safe package final class HTTP2Server: HTTP2Session {
    let core: SessionCore
    unowned let handler: any HTTP2ServerHandler
    let streams = SlotTable(empty: ServerStream())
    let headerListBytesMax: Int32

    /// Counted apart from the property that other modules see, because those accesses are checked
    /// at run time.
    var openCount = 0

    /// Payload bytes of the HEADERS frames that began requests: what their fields took on the wire.
    package internal(set) var headerFrameBytes = 0

    /// Slots below `usedSlots` that are free again.
    var freeSlots: [Int] = []
    var usedSlots = 0
    /// Where an answer's fields are put together.
    var scratch: [nghttp2_nv]
    /// Streams with `resetAfterAnswer`: while there are any, the output is watched for their end.
    var resetsToCome = 0

    /// Starts a session and queues SETTINGS.
    ///
    /// - Parameters:
    ///   - options: What to announce, and bounds.
    ///   - handler: Told what arrives; not retained.
    /// - Throws: When nghttp2 has no memory.
    package init(
        options: HTTP2ServerOptions, handler: any HTTP2ServerHandler
    ) throws(HTTP2Error) {
        self.handler = handler
        headerListBytesMax = options.headerListBytesMax
        // Sound: an empty array holds no pointer.
        unsafe scratch = []
        let memory = SessionMemory()
        unsafe core = SessionCore(owning: try Self.makeSession(options, memory), in: memory)
        // Sound: self is unretained; it owns `core`, whose session makes callbacks only inside
        // calls that self makes.
        unsafe nghttp2_session_set_user_data(
            core.session, Unmanaged.passUnretained(self).toOpaque())
        try submitSettings(options)
    }

    deinit {
        for slot in 0..<streams.count { freeBody(slot) }
    }

    // MARK: - Bytes

    /// Takes bytes from the client and calls the handler for everything in them; see
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
        try unsafe core.takeOutput(
            maximumBytes: maximumBytes,
            place: { (frame, output) throws(HTTP2Error) in
                unsafe output.append(frame)
                unsafe followWithReset(frame)
            }, body)
    }

    // MARK: - State

    /// Requests started and not yet reported closed.
    package var openStreams: Int { openCount }

    /// Whether the session is over: it wants neither to read nor to write, ever again.
    ///
    /// - C: `nghttp2_session_want_read`, `nghttp2_session_want_write`
    package var isFinished: Bool { core.isFinished }

    /// Why this side ended the session: the client broke the protocol, or there was no memory.
    package var failure: HTTP2Error? { core.failure }

    // MARK: - Connection

    /// Queues a PING; its answer is reported by the handler's `http2PingAcknowledged`.
    ///
    /// - C: `nghttp2_submit_ping`
    package func ping() {
        guard !core.isTornDown else { return }
        // Sound: the session is valid as long as `core`; nil data means eight zero bytes. It can
        // fail only for lack of memory, which shows as a PING without an answer.
        _ = unsafe nghttp2_submit_ping(core.session, 0, nil)
    }

    /// Queues the first of two GOAWAY frames: last stream 2^31-1, no error (RFC 9113, section 6.8).
    /// Requests are still taken until `goAway`.
    ///
    /// - C: `nghttp2_submit_shutdown_notice`
    package func shutDownNotice() {
        guard !core.isTornDown else { return }
        // Sound: as in ping.
        if unsafe nghttp2_submit_shutdown_notice(core.session) == 0 { core.queuedGoAways += 1 }
    }

    /// Queues GOAWAY. Once it is sent, streams above `lastStreamID` are closed and reported with
    /// REFUSED_STREAM, new ones are ignored, and the session finishes with its last open stream.
    ///
    /// - Parameters:
    ///   - lastStreamID: The last stream that is still answered; nil: the last one that arrived.
    ///     It cannot rise from one GOAWAY to the next.
    ///   - errorCode: RFC 9113, section 7.
    ///   - debugData: Anything, at most 16,000 bytes.
    /// - Returns: The last stream named. Requests above it may still be reported until the frame is
    ///   sent; answers to them do not leave.
    /// - C: `nghttp2_submit_goaway`
    @discardableResult
    package func goAway(
        lastStreamID: Int32? = nil, errorCode: UInt32 = 0, debugData: [UInt8] = []
    ) -> Int32 {
        guard !core.isTornDown else { return 0 }
        precondition(debugData.count <= 16_000, "debug data must fit into one frame")
        // Sound: nghttp2 copies the data.
        let last =
            unsafe lastStreamID ?? nghttp2_session_get_last_proc_stream_id(core.session)
        let code = unsafe nghttp2_submit_goaway(
            core.session, 0, last, errorCode, debugData, debugData.count)
        if code == 0 { core.queuedGoAways += 1 }
        return last
    }

    /// Changes how many streams the client may have open, also below the number open now.
    ///
    /// - Parameter limit: 0 pauses the client.
    /// - C: `nghttp2_submit_settings`
    package func setMaxConcurrentStreams(_ limit: UInt32) {
        guard !core.isTornDown else { return }
        var entry = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: limit)
        // Sound: nghttp2 copies the entry. A failure for lack of memory leaves the limit as it was.
        _ = unsafe nghttp2_submit_settings(core.session, 0, &entry, 1)
    }

    /// Ends the session: every open stream is reported closed. Safe in a callback. Later calls do
    /// nothing.
    package func tearDown() {
        guard !core.isTornDown else { return }
        core.markTornDown()
        for slot in 0..<streams.count where streams[slot].streamID != 0 {
            close(slot: slot, errorCode: nil)
        }
    }
}
