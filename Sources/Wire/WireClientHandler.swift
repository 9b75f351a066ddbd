package import HTTP2

/// Told what a client's connection receives and how it fares.
///
/// All calls come on the loop's thread, from inside the poller's turn or from inside `flush`,
/// `close` and `abort`. A callback may call anything of the connection and of its session but
/// `receive` and `takeOutput`.
package protocol WireClientHandler: HTTP2ClientHandler {
    /// TCP, TLS and ALPN are done. The server's SETTINGS have yet to come.
    func wireOpened()

    /// The connection is over, or never came about. Exactly once, and last: every open request was
    /// reported closed before.
    ///
    /// - Parameter closure: Why.
    func wireClosed(_ closure: WireClosure)
}
