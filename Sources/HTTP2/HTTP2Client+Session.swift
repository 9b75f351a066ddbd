internal import CNGHTTP2

/// How a client's session is set up.
extension HTTP2Client {
    /// Creates the C session; its user data is set afterwards.
    static func makeSession(
        _ options: HTTP2ClientOptions, _ memory: SessionMemory
    ) throws(HTTP2Error) -> OpaquePointer {
        let attempted = "starting an HTTP/2 client"
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
        // Until SETTINGS arrive nghttp2 would allow 100 streams; a push service allows one.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(settings, 1)
        unsafe nghttp2_option_set_max_outbound_ack(settings, options.queuedAcknowledgementsMax)
        unsafe setClientCallbacks(callbacks)
        var functions = unsafe memory.functions
        try HTTP2Error.check(
            Int(
                unsafe nghttp2_session_client_new3(
                    &session, callbacks, nil, settings, &functions)), attempted)
        guard let made = unsafe session else {
            throw HTTP2Error(attempted: attempted, libraryCode: NGHTTP2_ERR_NOMEM.rawValue)
        }
        return unsafe made
    }

    /// Queues the first SETTINGS: no server push, our window, our bound on header lists.
    func submitSettings(_ options: HTTP2ClientOptions) throws(HTTP2Error) {
        let entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(options.initialWindowBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(options.headerListBytesMax)),
        ]
        // Sound: nghttp2 copies the entries.
        let code = unsafe nghttp2_submit_settings(core.session, 0, entries, entries.count)
        try HTTP2Error.check(Int(code), "queueing SETTINGS")
    }
}
