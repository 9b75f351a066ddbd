/// What a client tells the server in its first SETTINGS, and the bounds it keeps itself.
package struct HTTP2ClientOptions: Sendable {
    /// Bytes of one answer's body that may be on the way unread: SETTINGS_INITIAL_WINDOW_SIZE.
    /// 65,535 is the protocol's own start value (RFC 9113, section 6.9.2); answers are far smaller.
    package var initialWindowBytes: Int32 = 65_535

    /// Most bytes of header fields in one answer, counted as RFC 9113, section 10.5.1 does (names
    /// and values and 32 for each field), announced as SETTINGS_MAX_HEADER_LIST_SIZE. A larger
    /// answer is reset. 16 KiB is many times what a push service sends.
    package var headerListBytesMax: Int32 = 16 * 1024

    /// Most acknowledgements of PING and SETTINGS queued unsent before the session is given up.
    /// Honest peers have one or two open; 1,000 lets a burst within one read pass.
    package var queuedAcknowledgementsMax: Int = 1_000

    /// Who encodes the header blocks of requests.
    package var headerEncoder = HTTP2HeaderEncoder.own

    /// The defaults.
    package init() {}
}

/// Who encodes the header blocks of a client's requests.
package enum HTTP2HeaderEncoder: Sendable, Equatable {
    /// This room: every field but `:path` enters the peer's table once, also `authorization`.
    case own
    /// nghttp2, which sends `authorization` as a literal with every request.
    case nghttp2
}
