internal import CNGHTTP2

/// Requests on their way out. Nothing here allocates on our side in the steady state: the head is
/// an array made once, of which only `:path` changes, and the body is read where the caller keeps
/// it.
extension HTTP2Client {
    /// Position of `:path` in `requestFields`.
    private static let pathIndex = 3

    /// Sets the fields of every request submitted from now on: POST, https, `authority` and then
    /// `fields` in their order. Requests submitted earlier keep theirs.
    ///
    /// - Parameters:
    ///   - authority: Host name, with port if it is not 443.
    ///   - fields: Everything after the pseudo-header fields.
    package func setConstantFields(authority: String, fields: [HTTP2Field]) {
        let pseudo = [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"),
            HTTP2Field(":authority", authority),
        ]
        if let blocks {
            blocks.add(leading: pseudo, trailing: fields)
        } else {
            if hasUnsentRequests { replacedFields.append(requestFields) }
            requestFields = FieldBlock(pseudo + [HTTP2Field(":path", "")] + fields)
        }
    }

    /// Lets go of fields that were replaced, once no request needs them any more.
    func forgetReplacedFields() {
        if let blocks {
            blocks.keepNewest()
        } else if !replacedFields.isEmpty {
            replacedFields = []
        }
    }

    /// Starts a request. Both buffers must stay as they are until `http2Closed` for the slot; no
    /// copy is made of them. The path is sent as a literal that enters no table.
    ///
    /// - Parameters:
    ///   - path: The value of `:path`, not empty.
    ///   - body: The body; if it is empty, HEADERS ends the request.
    ///   - slot: A number of the caller's, 0 or more and small: it indexes a table. Free, that is
    ///     never used or reported closed.
    /// - Throws: When the session takes no request (see `acceptsRequests`) or has no memory. Then
    ///   there is no request and `http2Closed` is not called.
    /// - C: `nghttp2_submit_request`
    package func submit(
        path: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, slot: Int
    ) throws(HTTP2Error) {
        guard acceptsRequests else {
            throw HTTP2Error(
                attempted: "submitting a request",
                libraryCode: NGHTTP2_ERR_START_STREAM_NOT_ALLOWED.rawValue)
        }
        streams.grow(toHold: slot)
        precondition(streams[slot].streamID == 0, "the slot is in use")
        if let blocks {
            try blocks.check(pathCount: path.count)
        } else {
            unsafe setPath(path)
        }
        let streamID = unsafe submit(slot: slot, hasBody: !body.isEmpty)
        try HTTP2Error.check(Int(streamID), "submitting a request")
        // Sound: the caller keeps the body until the stream is reported closed, and the callback
        // that reads it is not called after that.
        streams[slot] = unsafe ClientStream(
            streamID: streamID, path: path.baseAddress, pathBytes: Int32(path.count),
            section: blocks?.newest ?? 0, bodyRest: body.baseAddress, bodyRestBytes: body.count)
        openCount += 1
    }

    private func setPath(_ path: UnsafeRawBufferPointer) {
        precondition(requestFields.count > Self.pathIndex, "setConstantFields comes first")
        // Sound: nghttp2 only reads the value although its field is not const; the caller keeps the
        // bytes; the index is within the block as checked by submit.
        let value = unsafe UnsafeMutableRawPointer(mutating: path.baseAddress)
        unsafe requestFields.pairs[Self.pathIndex].value =
            value?.assumingMemoryBound(to: UInt8.self)
        unsafe requestFields.pairs[Self.pathIndex].valuelen = path.count
    }

    /// Returns the stream's number, or nghttp2's error code.
    private func submit(slot: Int, hasBody: Bool) -> Int32 {
        // Sound: user data carries a number, not an address; slot + 1 so that slot 0 is not nil.
        // The array of fields is copied by nghttp2, names and values stay in `requestFields`, which
        // is kept until no request made of it is unsent. With blocks of our own nghttp2 has no
        // fields to encode.
        let number = unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
        let count = blocks == nil ? requestFields.count : 0
        guard hasBody else {
            return unsafe nghttp2_submit_request(
                core.session, nil, requestFields.pairs, count, nil, number)
        }
        var provider = unsafe nghttp2_data_provider(
            source: nghttp2_data_source(fd: Int32(slot)), read_callback: readClientBody)
        return unsafe nghttp2_submit_request(
            core.session, nil, requestFields.pairs, count, &provider, number)
    }

    /// Copies the next part of a request's body into a frame. True: that was the last part.
    func readBody(slot: Int, into frame: UnsafeMutableRawPointer, capacity: Int) -> (Int, Bool) {
        let count = min(capacity, streams[slot].bodyRestBytes)
        // Sound: the rest is inside the caller's body; the frame has room for `capacity` bytes.
        if let source = unsafe streams[slot].bodyRest {
            unsafe frame.copyMemory(from: source, byteCount: count)
            unsafe streams[slot].bodyRest = source + count
        }
        streams[slot].bodyRestBytes -= count
        return (count, streams[slot].bodyRestBytes == 0)
    }

    // MARK: - Withdrawing

    /// Gives a request up. `http2Closed` follows from the next `takeOutput`: with `.reset` (code
    /// CANCEL) if the request had left, with `.notProcessed` if it was still queued inside. Does
    /// nothing if the slot is free.
    ///
    /// - Parameter slot: The request's slot.
    /// - C: `nghttp2_submit_rst_stream`
    package func cancel(slot: Int) {
        guard slot < streams.count, streams[slot].streamID != 0, !core.isTornDown else { return }
        // A second RST_STREAM for a request that never left would name an idle stream, which the
        // peer must take for a breach of protocol.
        guard !streams[slot].isCancelled else { return }
        streams[slot].isCancelled = true
        if isUnsent(slot) { withdrawn.append((slot, streams[slot].streamID)) }
        reset(streams[slot].streamID, NGHTTP2_CANCEL)
    }

    func reset(_ streamID: Int32, _ code: nghttp2_error_code) {
        // Sound: plain numbers. It fails for lack of memory only; the stream then stays open and
        // ends with the session.
        _ = unsafe nghttp2_submit_rst_stream(core.session, 0, streamID, code.rawValue)
    }

    /// nghttp2 drops a cancelled request silently, and only once a stream is free: report it now.
    func reportWithdrawn() {
        guard !withdrawn.isEmpty else { return }
        let requests = withdrawn
        withdrawn = []
        // A slot that was reported closed since then may carry another request by now.
        for (slot, streamID) in requests where streams[slot].streamID == streamID {
            close(slot: slot, .notProcessed)
        }
    }

    /// After a GOAWAY no queued request can leave any more, but nghttp2 would notice only once a
    /// stream is free.
    func reportUnsent() {
        guard hasUnsentRequests else { return }
        for slot in 0..<streams.count where streams[slot].streamID != 0 && isUnsent(slot) {
            close(slot: slot, .notProcessed)
        }
    }

    func isUnsent(_ slot: Int) -> Bool { streams[slot].streamID > core.lastSentStreamID }

    /// Whether some request may still be queued inside.
    var hasUnsentRequests: Bool {
        // Sound: the session is valid as long as `core`. Numbers rise by two.
        let next = unsafe nghttp2_session_get_next_stream_id(core.session)
        return Int(next) - 2 > Int(core.lastSentStreamID)
    }
}
