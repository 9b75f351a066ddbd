internal import CNGHTTP2

/// How a server's session is set up.
extension HTTP2Server {
    /// Creates the C session; its user data is set afterwards.
    static func makeSession(
        _ options: HTTP2ServerOptions, _ memory: SessionMemory
    ) throws(HTTP2Error) -> OpaquePointer {
        let attempted = "starting an HTTP/2 server"
        var callbacks: OpaquePointer?
        var settings: OpaquePointer?
        var session: OpaquePointer?
        // Sound: each object is made by its own _new function, used while it lives, and freed by
        // its own _del function (which takes nil); the session keeps copies, not the objects.
        defer {
            unsafe nghttp2_option_del(settings)
            unsafe nghttp2_session_callbacks_del(callbacks)
        }
        try HTTP2Error.check(
            Int(unsafe nghttp2_session_callbacks_new(&callbacks)), attempted)
        try HTTP2Error.check(Int(unsafe nghttp2_option_new(&settings)), attempted)
        unsafe nghttp2_option_set_max_outbound_ack(settings, options.queuedAcknowledgementsMax)
        // Closed streams would be kept for a priority scheme that nobody uses any more.
        unsafe nghttp2_option_set_no_closed_streams(settings, 1)
        unsafe setServerCallbacks(callbacks)
        var functions = unsafe memory.functions
        try HTTP2Error.check(
            Int(
                unsafe nghttp2_session_server_new3(
                    &session, callbacks, nil, settings, &functions)), attempted)
        guard let made = unsafe session else {
            throw HTTP2Error(attempted: attempted, libraryCode: NGHTTP2_ERR_NOMEM.rawValue)
        }
        return unsafe made
    }

    /// Queues the first SETTINGS.
    func submitSettings(_ options: HTTP2ServerOptions) throws(HTTP2Error) {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(options.initialWindowBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(options.headerListBytesMax)),
        ]
        if let limit = options.maxConcurrentStreams {
            entries.append(
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                    value: limit))
        }
        // Sound: nghttp2 copies the entries.
        let code = unsafe nghttp2_submit_settings(core.session, 0, entries, entries.count)
        try HTTP2Error.check(Int(code), "queueing SETTINGS")
    }
}
