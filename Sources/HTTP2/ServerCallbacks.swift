internal import CNGHTTP2

// The C functions nghttp2 calls for a server. Each recovers the server and calls one method; a
// session torn down meanwhile makes nghttp2 stop.

/// Fills in the callbacks of a server's session.
func setServerCallbacks(_ callbacks: OpaquePointer?) {
    // Sound: `callbacks` is a live nghttp2_session_callbacks; the functions have the C signatures.
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, serverStart)
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, serverField)
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, serverBody)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, serverFrame)
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, serverClose)
}

/// The server behind nghttp2's user data, and then what to tell nghttp2.
private func withServer(
    _ userData: UnsafeMutableRawPointer?, _ body: (HTTP2Server) -> Void
) -> Int32 {
    guard let userData = unsafe userData else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    // Sound: user data is the server that makes the C call this runs in, so it is alive. That is
    // also why the reference need not be counted, which would cost more than the callback itself.
    return unsafe Unmanaged<HTTP2Server>.fromOpaque(userData)._withUnsafeGuaranteedRef { server in
        guard !server.core.isTornDown else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
        body(server)
        return server.core.isTornDown ? NGHTTP2_ERR_CALLBACK_FAILURE.rawValue : 0
    }
}

private func serverStart(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    // Sound: nghttp2 passes a valid frame of the kind HEADERS.
    guard let headers = unsafe frame?.pointee.headers else { return 0 }
    guard unsafe headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    return unsafe withServer(userData) {
        unsafe $0.receiveStart(headers.hd.stream_id, headerFrameBytes: headers.hd.length)
    }
}

private func serverField(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8,
    _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    // Sound: nghttp2 passes a valid frame, and a name and a value of the lengths it says.
    guard let streamID = unsafe frame?.pointee.hd.stream_id else { return 0 }
    var isAccepted = true
    let code = unsafe withServer(userData) { server in
        isAccepted = unsafe server.receiveField(
            streamID, name: UnsafeRawBufferPointer(start: name, count: nameLength),
            value: UnsafeRawBufferPointer(start: value, count: valueLength))
    }
    return code == 0 && !isAccepted ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue : code
}

private func serverBody(
    _: OpaquePointer?, _: UInt8, _ streamID: Int32, _ bytes: UnsafePointer<UInt8>?, _ length: Int,
    _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withServer(userData) { server in
        // Sound: nghttp2 passes `length` bytes.
        unsafe server.receiveBody(
            streamID, UnsafeRawBufferPointer(start: bytes, count: length))
    }
}

private func serverFrame(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withServer(userData) { server in
        // Sound: nghttp2 passes a valid frame; the union's member is chosen by its type.
        guard let frame = unsafe frame else { return }
        let header = unsafe frame.pointee.hd
        let isFlagged = header.flags & FrameHeader.endStream != 0
        switch FrameHeader.Kind(rawValue: header.type) {
        case .headers: server.receiveHeadersEnd(header.stream_id, endsStream: isFlagged)
        case .data where isFlagged: server.receiveDataEnd(header.stream_id)
        case .settings where !isFlagged: server.handler.http2Settings()
        case .ping where isFlagged: server.handler.http2PingAcknowledged()
        case .ping: server.handler.http2PingReceived()
        case .goAway:
            server.handler.http2GoAway(errorCode: unsafe frame.pointee.goaway.error_code)
        default: break
        }
    }
}

private func serverClose(
    _: OpaquePointer?, _ streamID: Int32, _ code: UInt32, _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe withServer(userData) { server in server.receiveClose(streamID, code) }
}

/// Reads the next part of an answer's body.
func readServerBody(
    _: OpaquePointer?, _: Int32, _ frame: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ userData: UnsafeMutableRawPointer?
) -> Int {
    let failure = Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    // Sound: nghttp2 passes a frame with room for `capacity` bytes and the source given by respond.
    guard let slot = unsafe source?.pointee.fd, let frame = unsafe frame else { return failure }
    var count = 0
    let code = unsafe withServer(userData) { server in
        let (copied, isLast) = unsafe server.readBody(
            slot: Int(slot), into: frame, capacity: capacity)
        if isLast { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        count = copied
    }
    return code == 0 ? count : failure
}
