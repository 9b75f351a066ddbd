/// Told what a server's session receives.
///
/// All calls come from inside `receive`, `takeOutput` or `tearDown` of the session, on its thread.
/// A callback may call everything but `receive` and `takeOutput`. Buffers are valid during the call
/// only.
///
/// For each request: `http2RequestStarted`, then its fields, then parts of its body, then
/// `http2RequestEnded`, then exactly one `http2StreamClosed`; each but the first and the last may
/// be missing.
package protocol HTTP2ServerHandler: AnyObject {
    /// A request begins.
    ///
    /// - Parameters:
    ///   - slot: A small number chosen by the session, the request's own until `http2StreamClosed`.
    ///   - streamID: The stream's number on the connection.
    func http2RequestStarted(slot: Int, streamID: Int32)

    /// A field of a request, pseudo-header fields first and with their colon. Fields that come
    /// after the body (trailers) are not reported.
    ///
    /// - Parameters:
    ///   - name: Lower case.
    ///   - value: The value's bytes, as they came.
    ///   - slot: The request's slot.
    func http2RequestField(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int)

    /// All fields of a request arrived; a body may follow.
    ///
    /// - Parameter slot: The request's slot.
    func http2RequestFieldsEnded(slot: Int)

    /// A part of a request's body. The session sets no bound on the sum.
    ///
    /// - Parameters:
    ///   - bytes: Not empty.
    ///   - slot: The request's slot.
    func http2RequestBody(_ bytes: UnsafeRawBufferPointer, slot: Int)

    /// The request is complete (END_STREAM).
    ///
    /// - Parameter slot: The request's slot.
    func http2RequestEnded(slot: Int)

    /// The stream is over and its slot free again. Exactly once per `http2RequestStarted`.
    ///
    /// - Parameters:
    ///   - errorCode: 0 after a complete exchange, else the code of RST_STREAM by either side
    ///     (RFC 9113, section 7); nil if the session ended.
    ///   - slot: The request's slot.
    func http2StreamClosed(errorCode: UInt32?, slot: Int)

    /// The client's SETTINGS were applied.
    func http2Settings()

    /// The client sent a PING; it is answered without further ado.
    func http2PingReceived()

    /// A PING of ours was answered.
    func http2PingAcknowledged()

    /// The client says that it is leaving.
    ///
    /// - Parameter errorCode: RFC 9113, section 7; 0 is a graceful end.
    func http2GoAway(errorCode: UInt32)
}
