package import HTTP2
package import LinuxIO
package import TLS

/// A client's connection: connects, proves the server's identity, speaks HTTP/2 over it.
///
/// Use: submit to `http2` as the loop has requests, then `flush` once per turn; what arrives is
/// flushed after by itself. It keeps no deadline: whoever owns it gives up by `abort`. After the
/// peer's GOAWAY it closes by itself once nothing is open.
///
/// - Ownership and thread: loop-bound. The poller keeps it alive until `wireClosed`; the handler is
///   not retained and must live until then.
package final class WireClient: WireLinkOwner {
    /// The session; requests go here.
    package let http2: HTTP2Client

    private let link: WireLink
    private unowned let handler: any WireClientHandler

    /// Starts connecting.
    ///
    /// - Parameters:
    ///   - poller: The loop's.
    ///   - address: Where to connect: the server, or the proxy if there is a tunnel.
    ///   - tunnel: What to ask the proxy for before TLS begins; nil: `address` is the server's.
    ///   - context: A client's, offering `h2`.
    ///   - serverName: The name or address that the server's certificate must bear.
    ///   - options: The session's.
    ///   - handler: Told what happens; not retained.
    /// - Throws: What fails at once; then `wireClosed` is not called.
    package init(
        poller: Poller, address: SocketAddress, through tunnel: WireTunnel? = nil,
        context: TLSContext, serverName: String, options: HTTP2ClientOptions,
        handler: any WireClientHandler
    ) throws(WireClosure) {
        self.handler = handler
        do throws(HTTP2Error) {
            http2 = try HTTP2Client(options: options, handler: handler)
        } catch {
            throw .http2(error)
        }
        let tls: TLSSession
        do throws(TLSError) {
            tls = try TLSSession.client(context, serverName: serverName)
        } catch {
            throw .tls(error)
        }
        do throws(SystemError) {
            link = WireLink(
                poller: poller, descriptor: try StreamSocket.connect(to: address),
                connectingTo: address, through: tunnel, tls: tls, session: http2, lingers: false,
                announceEnd: http2.goAway)
            try link.start(owner: self)
        } catch {
            throw tunnel.map { .proxy($0.fault(.unreachable(error))) } ?? .system(error)
        }
    }

    /// How far the setting up has come, or had come when the connection ended.
    package var stage: WireStage { link.stage }

    /// Whether the socket did not take everything: submit no more until it is false again.
    package var isWritePending: Bool { link.isWritePending }

    /// Sends what was submitted: frames to TLS records to one write, as far as the socket takes
    /// them.
    ///
    /// Inside a callback it does nothing, because a flush follows anyway.
    package func flush() { link.flush() }

    /// Ends the connection in order: GOAWAY and close_notify, as far as the socket takes them at
    /// once. Open requests are reported closed. Inside a callback: right after it.
    package func close() { link.close() }

    /// Ends the connection at once. Open requests are reported closed, then `wireClosed` is called.
    ///
    /// - Parameter closure: What to report.
    package func abort(_ closure: WireClosure = .byUs) { link.end(closure) }

    func linkOpened() { handler.wireOpened() }

    func linkClosed(_ closure: WireClosure) { handler.wireClosed(closure) }
}
