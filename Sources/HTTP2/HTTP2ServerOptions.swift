/// What a server tells the client in its first SETTINGS, and the bounds it keeps itself.
package struct HTTP2ServerOptions: Sendable {
    /// Streams a client may have open at once; nil: SETTINGS name no limit, which means any number
    /// to a client.
    package var maxConcurrentStreams: UInt32? = 100

    /// Bytes of one request's body a client may send before the server has read some of it:
    /// SETTINGS_INITIAL_WINDOW_SIZE, 0...2^31-1. 65,535 is the protocol's own start value
    /// (RFC 9113, section 6.9.2).
    package var initialWindowBytes: Int32 = 65_535

    /// Most bytes of header fields in one request, counted as RFC 9113, section 10.5.1 does,
    /// announced as SETTINGS_MAX_HEADER_LIST_SIZE. A larger request is reset.
    package var headerListBytesMax: Int32 = 16 * 1024

    /// Most acknowledgements of PING and SETTINGS queued unsent before the session is given up.
    package var queuedAcknowledgementsMax: Int = 1_000

    /// The defaults.
    package init() {}
}
