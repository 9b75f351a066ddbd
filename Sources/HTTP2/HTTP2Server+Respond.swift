internal import CNGHTTP2

/// Answers on their way out.
extension HTTP2Server {
    /// Answers a request, with one head for many answers: the way that costs least.
    ///
    /// - Parameters:
    ///   - slot: The request's slot; one that is closed or answered is ignored.
    ///   - head: Status and fields.
    ///   - varyingValue: The value of the head's field that varies; copied. Nil: empty.
    ///   - body: The body; copied. Empty: HEADERS ends the answer.
    ///   - resetAfter: A code (RFC 9113, section 7) for an RST_STREAM right after the answer, for
    ///     answers given before the request is complete; nil for none.
    /// - C: `nghttp2_submit_response`
    package func respond(
        slot: Int, head: HTTP2ResponseHead,
        varyingValue: UnsafeRawBufferPointer? = nil,
        body: [UInt8] = [], resetAfter: UInt32? = nil
    ) {
        guard isOpen(slot), !streams[slot].isAnswered else { return }
        streams[slot].isAnswered = true
        if let resetAfter {
            streams[slot].resetAfterAnswer = resetAfter
            resetsToCome += 1
        }
        keepBody(body, slot)
        unsafe collect(head, varyingValue)
        // Sound: nghttp2 copies the array, names and values. The number stands for no address.
        let code: Int32
        if body.isEmpty {
            code = unsafe nghttp2_submit_response(
                core.session, streams[slot].streamID, scratch, scratch.count, nil)
        } else {
            var provider = unsafe nghttp2_data_provider(
                source: nghttp2_data_source(fd: Int32(slot)), read_callback: readServerBody)
            code = unsafe nghttp2_submit_response(
                core.session, streams[slot].streamID, scratch, scratch.count, &provider)
        }
        if code != 0 { reset(slot: slot, errorCode: NGHTTP2_INTERNAL_ERROR.rawValue) }
    }

    /// Answers a request with fields made for it alone.
    ///
    /// - Parameters:
    ///   - slot: The request's slot; one that is closed is ignored.
    ///   - status: 200...999.
    ///   - fields: The fields after `:status`.
    ///   - body: The body; copied.
    ///   - resetAfter: As above.
    package func respond(
        slot: Int, status: Int, fields: [HTTP2Field] = [], body: [UInt8] = [],
        resetAfter: UInt32? = nil
    ) {
        // Sound: no varying value is passed.
        unsafe respond(
            slot: slot, head: HTTP2ResponseHead(status: status, fields: fields), body: body,
            resetAfter: resetAfter)
    }

    /// Sends a head and leaves the answer open: an informational one (1xx) before the answer
    /// proper, or one to which nothing may follow but `reset`.
    ///
    /// - Parameters:
    ///   - slot: The request's slot; one that is closed is ignored.
    ///   - status: 100...999.
    ///   - fields: The fields after `:status`.
    /// - C: `nghttp2_submit_headers`
    package func sendHead(slot: Int, status: Int, fields: [HTTP2Field] = []) {
        guard isOpen(slot) else { return }
        let head = HTTP2ResponseHead(status: status, fields: fields)
        // Sound: nghttp2 copies the array, names and values, all of which `head` keeps until then.
        let code = withExtendedLifetime(head) {
            unsafe nghttp2_submit_headers(
                core.session, 0, streams[slot].streamID, nil, head.block.pairs, head.block.count,
                nil)
        }
        if code != 0 { reset(slot: slot, errorCode: NGHTTP2_INTERNAL_ERROR.rawValue) }
    }

    /// Ends a stream with RST_STREAM; `http2StreamClosed` follows when it is sent.
    ///
    /// - Parameters:
    ///   - slot: The request's slot; one that is closed is ignored.
    ///   - errorCode: RFC 9113, section 7.
    /// - C: `nghttp2_submit_rst_stream`
    package func reset(slot: Int, errorCode: UInt32) {
        guard isOpen(slot) else { return }
        // Sound: plain numbers. It fails for lack of memory only; the stream then stays open and
        // ends with the session.
        _ = unsafe nghttp2_submit_rst_stream(core.session, 0, streams[slot].streamID, errorCode)
    }

    // MARK: - Parts

    private func isOpen(_ slot: Int) -> Bool {
        !core.isTornDown && slot >= 0 && slot < streams.count && streams[slot].streamID != 0
    }

    private func collect(_ head: HTTP2ResponseHead, _ varyingValue: UnsafeRawBufferPointer?) {
        // Sound: the head's array is as long as it says; its bytes live as long as the head, and
        // the varying value as long as the caller's call.
        let pairs = unsafe UnsafeBufferPointer(start: head.block.pairs, count: head.block.count)
        unsafe scratch.removeAll(keepingCapacity: true)
        unsafe scratch.append(contentsOf: pairs)
        guard head.hasVaryingField, let value = unsafe varyingValue else { return }
        let last = head.block.count - 1
        unsafe scratch[last].value = UnsafeMutableRawPointer(mutating: value.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        unsafe scratch[last].valuelen = value.count
    }

    private func keepBody(_ body: [UInt8], _ slot: Int) {
        guard !body.isEmpty else { return }
        let copy = UnsafeMutableRawPointer.allocate(byteCount: body.count, alignment: 1)
        // Sound: the copy is as large as the body.
        unsafe body.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress {
                unsafe copy.copyMemory(from: source, byteCount: bytes.count)
            }
        }
        unsafe streams[slot].body = copy
        streams[slot].bodyBytes = body.count
        streams[slot].bodySentBytes = 0
    }

    func freeBody(_ slot: Int) {
        // Sound: allocated by keepBody, freed here only, and forgotten at once.
        unsafe streams[slot].body?.deallocate()
        unsafe streams[slot].body = nil
    }

    /// Copies the next part of an answer's body into a frame. True: that was the last part.
    func readBody(slot: Int, into frame: UnsafeMutableRawPointer, capacity: Int) -> (Int, Bool) {
        let stream = streams[slot]
        let count = min(capacity, stream.bodyBytes - stream.bodySentBytes)
        // Sound: what is read lies inside the body; the frame has room for `capacity` bytes.
        if let body = unsafe stream.body {
            unsafe frame.copyMemory(from: body + stream.bodySentBytes, byteCount: count)
        }
        streams[slot].bodySentBytes += count
        return (count, streams[slot].bodySentBytes == stream.bodyBytes)
    }

    /// Called with each frame that goes out: after the last one of an answer comes its RST_STREAM.
    func followWithReset(_ frame: UnsafeRawBufferPointer) {
        guard resetsToCome > 0, let header = unsafe FrameHeader(frame),
            header.type == .headers || header.type == .data,
            header.flags & FrameHeader.endStream != 0,
            let slot = slot(of: header.streamID),
            let code = streams[slot].resetAfterAnswer
        else { return }
        reset(slot: slot, errorCode: code)
    }
}
