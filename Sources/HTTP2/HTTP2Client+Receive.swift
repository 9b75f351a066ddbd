internal import CNGHTTP2

/// What callbacks from C do, in Swift.
extension HTTP2Client {
    /// The slot of an open stream; nil if the stream is not ours or was already reported closed.
    func slot(of streamID: Int32) -> Int? {
        // A stream's number is never used again, and a slot that is free has 0.
        if streamID > 0, streams[recentSlot].streamID == streamID { return recentSlot }
        // Sound: user data carries slot + 1, see submit.
        let number = unsafe Int(
            bitPattern: nghttp2_session_get_stream_user_data(core.session, streamID))
        guard number > 0, streams[number - 1].streamID == streamID else { return nil }
        recentSlot = number - 1
        return number - 1
    }

    /// Takes one field of an answer. False: the answer's header list is too large.
    func receiveField(
        _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool {
        guard let slot = slot(of: streamID) else { return true }
        let cost = Int32(clamping: name.count + value.count + 32)
        let (sum, isOver) = streams[slot].headerBytes.addingReportingOverflow(cost)
        guard !isOver, sum <= headerListBytesMax else {
            reset(streamID, NGHTTP2_ENHANCE_YOUR_CALM)
            return false
        }
        streams[slot].headerBytes = sum
        // Sound: nghttp2 passes no empty name; a colon marks pseudo-header fields, of which it lets
        // only a valid `:status` through.
        if unsafe name[0] == UInt8(ascii: ":") {
            unsafe receiveStatus(value, slot)
        } else if streams[slot].head == .final {
            unsafe handler.http2Header(name: name, value: value, slot: slot)
        }
        return true
    }

    private func receiveStatus(_ value: UnsafeRawBufferPointer, _ slot: Int) {
        let status = unsafe value.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        guard status >= 200 else {
            streams[slot].head = .informational
            return
        }
        streams[slot].head = .final
        handler.http2Status(status, slot: slot)
    }

    func receiveBody(_ streamID: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard unsafe !bytes.isEmpty, let slot = slot(of: streamID) else { return }
        unsafe handler.http2Body(bytes, slot: slot)
    }

    /// A HEADERS frame with all its continuations is complete.
    func receiveHeadersEnd(_ streamID: Int32, endsStream: Bool) {
        guard let slot = slot(of: streamID) else { return }
        switch streams[slot].head {
        case .informational: streams[slot].head = .awaited
        case .final: streams[slot].head = .complete
        case .awaited, .complete: break
        }
        if endsStream { receiveAnswerEnd(slot) }
    }

    func receiveDataEnd(_ streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        receiveAnswerEnd(slot)
    }

    /// The answer is complete. If the body is not: nobody will read it, and a closed window could
    /// keep the stream open for ever, so this side resets the stream (RFC 9113, section 8.1).
    private func receiveAnswerEnd(_ slot: Int) {
        streams[slot].isAnswered = true
        if streams[slot].bodyRestBytes > 0 { reset(streams[slot].streamID, NGHTTP2_NO_ERROR) }
    }

    /// nghttp2 has applied them and queued the acknowledgement. Of a table size that fell and rose
    /// within one frame it shows both.
    func receiveSettings(_ entries: UnsafeBufferPointer<nghttp2_settings_entry>) {
        // Sound: nghttp2 lends the entries for the call.
        let copies = unsafe Array(entries)
        let sizes = copies.filter {
            $0.settings_id == Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue)
        }
        blocks?.settingsReceived(tableSizes: sizes.map { Int($0.value) })
        settingsReceived = true
        handler.http2Settings()
    }

    func receiveGoAway(_ lastStreamID: Int32, _ code: UInt32, _ debugData: [UInt8]) {
        isGoingAway = true
        handler.http2GoAway(lastStreamID: lastStreamID, errorCode: code, debugData: debugData)
        reportUnsent()
    }

    /// nghttp2 is done with a stream.
    func receiveClose(_ streamID: Int32, _ code: UInt32) {
        guard let slot = slot(of: streamID) else { return }
        if streams[slot].isAnswered {
            close(slot: slot, .ended)
        } else if code == NGHTTP2_REFUSED_STREAM.rawValue || isUnsent(slot) {
            close(slot: slot, .notProcessed)
        } else {
            close(slot: slot, .reset(code: code))
        }
    }
}
