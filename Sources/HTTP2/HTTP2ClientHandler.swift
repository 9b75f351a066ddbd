/// Told what a client's session receives.
///
/// All calls come from inside `receive`, `takeOutput` or `tearDown` of the session, on its thread.
/// A callback may call `submit`, `cancel`, `ping`, `goAway`, `setConstantFields` and `tearDown`,
/// but neither `receive` nor `takeOutput`. Buffers are valid during the call only.
///
/// For each request: `http2Status` at most once, then its headers, then parts of the body, then
/// exactly one `http2Closed`; each but the last may be missing. Informational (1xx) answers and
/// trailers are not reported.
package protocol HTTP2ClientHandler: AnyObject {
    /// The final status of an answer arrived.
    ///
    /// - Parameters:
    ///   - status: 200...999.
    ///   - slot: The request's slot, as given to `submit`.
    func http2Status(_ status: Int, slot: Int)

    /// A header field of an answer, every one but `:status`.
    ///
    /// - Parameters:
    ///   - name: Lower case.
    ///   - value: The value's bytes, as they came.
    ///   - slot: The request's slot.
    func http2Header(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int)

    /// A part of an answer's body. The session sets no bound on the sum: the handler does, by
    /// `cancel`.
    ///
    /// - Parameters:
    ///   - bytes: Not empty.
    ///   - slot: The request's slot.
    func http2Body(_ bytes: UnsafeRawBufferPointer, slot: Int)

    /// The request is over; its buffers and its slot are free again. Exactly once per request.
    ///
    /// - Parameters:
    ///   - end: How it ended.
    ///   - slot: The request's slot.
    func http2Closed(_ end: HTTP2StreamEnd, slot: Int)

    /// The peer's SETTINGS were applied: read the session's `peerMaxConcurrentStreams`.
    func http2Settings()

    /// The peer will take no more requests. Streams above `lastStreamID` are reported as
    /// `.notProcessed` right after this call.
    ///
    /// - Parameters:
    ///   - lastStreamID: The last stream the peer may have processed; 2^31-1 announces a second
    ///     GOAWAY (RFC 9113, section 6.8).
    ///   - errorCode: RFC 9113, section 7; 0 is a graceful end.
    ///   - debugData: Whatever the peer says, at most one frame (16 KiB); may hold anything.
    func http2GoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8])

    /// A PING of ours was answered.
    func http2PingAcknowledged()
}
