internal import CNGHTTP2

/// What callbacks from C do, in Swift.
extension HTTP2Server {
    /// The slot of an open stream; nil if it has none.
    func slot(of streamID: Int32) -> Int? {
        // Sound: user data carries slot + 1, set when the request started.
        let number = unsafe Int(
            bitPattern: nghttp2_session_get_stream_user_data(core.session, streamID))
        guard number > 0, streams[number - 1].streamID == streamID else { return nil }
        return number - 1
    }

    func receiveStart(_ streamID: Int32, headerFrameBytes: Int) {
        self.headerFrameBytes &+= headerFrameBytes
        let slot = freeSlots.popLast() ?? usedSlots
        if slot == usedSlots { usedSlots += 1 }
        streams.grow(toHold: slot)
        streams[slot].streamID = streamID
        openCount += 1
        // Sound: a number in the place of an address; it fails only if there is no such stream.
        _ = unsafe nghttp2_session_set_stream_user_data(
            core.session, streamID, UnsafeMutableRawPointer(bitPattern: slot + 1))
        handler.http2RequestStarted(slot: slot, streamID: streamID)
    }

    /// Takes one field of a request. False: the request's header list is too large.
    func receiveField(
        _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool {
        guard let slot = slot(of: streamID) else { return true }
        let cost = Int32(clamping: name.count + value.count + 32)
        let (sum, isOver) = streams[slot].headerBytes.addingReportingOverflow(cost)
        guard !isOver, sum <= headerListBytesMax else {
            reset(slot: slot, errorCode: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
            return false
        }
        streams[slot].headerBytes = sum
        if !streams[slot].hasFields {
            unsafe handler.http2RequestField(name: name, value: value, slot: slot)
        }
        return true
    }

    func receiveHeadersEnd(_ streamID: Int32, endsStream: Bool) {
        guard let slot = slot(of: streamID) else { return }
        if !streams[slot].hasFields {
            streams[slot].hasFields = true
            handler.http2RequestFieldsEnded(slot: slot)
        }
        if endsStream, !core.isTornDown { handler.http2RequestEnded(slot: slot) }
    }

    func receiveBody(_ streamID: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard unsafe !bytes.isEmpty, let slot = slot(of: streamID) else { return }
        unsafe handler.http2RequestBody(bytes, slot: slot)
    }

    func receiveDataEnd(_ streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        handler.http2RequestEnded(slot: slot)
    }

    /// nghttp2 is done with a stream.
    func receiveClose(_ streamID: Int32, _ code: UInt32) {
        guard let slot = slot(of: streamID) else { return }
        close(slot: slot, errorCode: code)
    }

    func close(slot: Int, errorCode: UInt32?) {
        freeBody(slot)
        if streams[slot].resetAfterAnswer != nil { resetsToCome -= 1 }
        streams[slot] = ServerStream()
        openCount -= 1
        handler.http2StreamClosed(errorCode: errorCode, slot: slot)
        freeSlots.append(slot)
    }
}
