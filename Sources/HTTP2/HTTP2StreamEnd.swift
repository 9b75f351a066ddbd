/// How a request's stream ended, as the client reports it, exactly once per request.
package enum HTTP2StreamEnd: Sendable, Equatable {
    /// A complete answer was received (END_STREAM), whatever the peer did with the stream after it.
    case ended

    /// The stream was reset by the peer or by this side before the answer was complete. The code
    /// is that of RST_STREAM (RFC 9113, section 7). The request may have been processed.
    case reset(code: UInt32)

    /// The request was certainly not processed and may be sent again (RFC 9113, section 8.7): the
    /// peer reset it with REFUSED_STREAM, or its stream is above the last one named by GOAWAY, or
    /// its HEADERS frame never left this session.
    case notProcessed

    /// The session ended while the request was on its way. It may have been processed.
    case sessionEnded
}
