internal import CNGHTTP2

// The C functions nghttp2 calls for a client. Each recovers the client and calls one method; a
// session torn down meanwhile makes nghttp2 stop.

/// Fills in the callbacks of a client's session.
func setClientCallbacks(_ callbacks: OpaquePointer?) {
    // Sound: `callbacks` is a live nghttp2_session_callbacks; the functions have the C signatures.
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, clientField)
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, clientBody)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, clientFrame)
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, clientClose)
}

/// The client behind nghttp2's user data, and then what to tell nghttp2.
private func withClient(
    _ userData: UnsafeMutableRawPointer?, _ body: (HTTP2Client) -> Void
) -> Int32 {
    guard let userData = unsafe userData else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    // Sound: user data is the client that makes the C call this runs in, so it is alive. That is
    // also why the reference need not be counted, which would cost more than the callback itself.
    return unsafe Unmanaged<HTTP2Client>.fromOpaque(userData)._withUnsafeGuaranteedRef { client in
        guard !client.core.isTornDown else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
        body(client)
        return client.core.isTornDown ? NGHTTP2_ERR_CALLBACK_FAILURE.rawValue : 0
    }
}

private func clientField(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8,
    _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    // Sound: nghttp2 passes a valid frame, and a name and a value of the lengths it says.
    guard let streamID = unsafe frame?.pointee.hd.stream_id else { return 0 }
    var isAccepted = true
    let code = unsafe withClient(userData) { client in
        isAccepted = unsafe client.receiveField(
            streamID, name: UnsafeRawBufferPointer(start: name, count: nameLength),
            value: UnsafeRawBufferPointer(start: value, count: valueLength))
    }
    return code == 0 && !isAccepted ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue : code
}

private func clientBody(
    _: OpaquePointer?, _: UInt8, _ streamID: Int32, _ bytes: UnsafePointer<UInt8>?, _ length: Int,
    _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withClient(userData) { client in
        // Sound: nghttp2 passes `length` bytes.
        unsafe client.receiveBody(
            streamID, UnsafeRawBufferPointer(start: bytes, count: length))
    }
}

private func clientFrame(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withClient(userData) { client in
        // Sound: nghttp2 passes a valid frame; the union's member is chosen by its type.
        guard let frame = unsafe frame else { return }
        let header = unsafe frame.pointee.hd
        let isFlagged = header.flags & FrameHeader.endStream != 0
        switch FrameHeader.Kind(rawValue: header.type) {
        case .headers: client.receiveHeadersEnd(header.stream_id, endsStream: isFlagged)
        case .data where isFlagged: client.receiveDataEnd(header.stream_id)
        case .settings where !isFlagged:
            let settings = unsafe frame.pointee.settings
            let entries = unsafe UnsafeBufferPointer(start: settings.iv, count: settings.niv)
            unsafe client.receiveSettings(entries)
        case .ping where isFlagged: client.handler.http2PingAcknowledged()
        case .goAway:
            let goAway = unsafe frame.pointee.goaway
            let text = unsafe UnsafeBufferPointer(
                start: goAway.opaque_data, count: goAway.opaque_data_len)
            unsafe client.receiveGoAway(goAway.last_stream_id, goAway.error_code, Array(text))
        default: break
        }
    }
}

private func clientClose(
    _: OpaquePointer?, _ streamID: Int32, _ code: UInt32, _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withClient(userData) { client in client.receiveClose(streamID, code) }
}

/// Reads the next part of a request's body.
func readClientBody(
    _: OpaquePointer?, _: Int32, _ frame: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ userData: UnsafeMutableRawPointer?
) -> Int {
    let failure = Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    // Sound: nghttp2 passes a frame with room for `capacity` bytes and the source given at submit.
    guard let slot = unsafe source?.pointee.fd, let frame = unsafe frame else { return failure }
    var count = 0
    let code = unsafe withClient(userData) { client in
        let (copied, isLast) = unsafe client.readBody(
            slot: Int(slot), into: frame, capacity: capacity)
        if isLast { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        count = copied
    }
    return code == 0 ? count : failure
}
