package import HTTP2

/// Told what a server's connection receives and how it fares; one object per connection, kept alive
/// by it.
///
/// All calls come on the loop's thread, from inside the poller's turn or from inside `flush`,
/// `close` and `abort`. A callback may call anything of the connection and of its session but
/// `receive` and `takeOutput`.
package protocol WireServerHandler: HTTP2ServerHandler {
    /// A client connected; TLS is still to come.
    ///
    /// - Parameter connection: Keep it weakly or until `wireClosed`.
    func wireAccepted(_ connection: WireServerConnection)

    /// TLS and ALPN are done.
    func wireOpened()

    /// The connection is over. Exactly once, and last: every open stream was reported closed
    /// before.
    ///
    /// - Parameter closure: Why.
    func wireClosed(_ closure: WireClosure)
}
