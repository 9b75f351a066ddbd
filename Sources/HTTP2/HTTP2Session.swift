/// What both ends of an HTTP/2 connection have in common: bytes in, bytes out.
///
/// A session does no I/O. Whoever owns it feeds what the network brought to `receive`, sends what
/// `takeOutput` hands out, and closes the connection when `isFinished`. Neither call may be made
/// from inside a handler's callback; everything else may.
///
/// - Ownership and thread: one thread owns a session. Keep a reference for the length of a call;
///   a callback may drop all others.
package protocol HTTP2Session: AnyObject {
    /// Takes bytes from the peer and calls the handler for everything in them.
    ///
    /// - Parameter bytes: Any number of bytes; frames may be cut anywhere.
    /// - Throws: When the session cannot go on (not HTTP/2 at all, a flood, no memory). Then only
    ///   `tearDown` is left to do. A breach of protocol by the peer is not thrown: the session
    ///   queues a GOAWAY that says so, and after that is sent `isFinished` and `failure` hold.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error)

    /// Lends the bytes to send next and then regards them as sent.
    ///
    /// - Parameters:
    ///   - maximumBytes: Upper bound; a multiple of 16 KiB makes full TLS records. What is over is
    ///     kept for the next call.
    ///   - body: Called once. An empty buffer: there is nothing to send now.
    /// - Returns: What `body` returned.
    /// - Throws: When the session cannot go on.
    func takeOutput<R>(
        maximumBytes: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(HTTP2Error) -> R

    /// Whether the session is over: it wants neither to read nor to write, ever again.
    var isFinished: Bool { get }

    /// Why this side ended the session, if the peer broke the protocol.
    var failure: HTTP2Error? { get }

    /// Streams open now, in either direction's view of this side.
    var openStreams: Int { get }

    /// Ends the session: every open stream is reported closed, and later calls do nothing.
    func tearDown()

    /// Queues a PING; its answer is reported by the handler's `http2PingAcknowledged`.
    func ping()
}
