package import HTTP2
internal import LinuxIO
internal import TLS

/// A server's connection to one client.
///
/// What is answered inside a callback is flushed by itself; after answering at another time, call
/// `flush`. After a GOAWAY it closes by itself once nothing is open.
///
/// - Ownership and thread: loop-bound. The poller keeps it alive until `wireClosed`.
package final class WireServerConnection: WireLinkOwner {
    /// The session; answers go here.
    package let http2: HTTP2Server

    /// Told what happens on this connection.
    package let handler: any WireServerHandler

    private let link: WireLink
    private let isOver: () -> Void

    /// Takes over an accepted socket. `isOver` is called after the handler's `wireClosed`.
    init(
        poller: Poller, descriptor: consuming OwnedDescriptor, context: TLSContext,
        options: HTTP2ServerOptions, handler: any WireServerHandler,
        isOver: @escaping () -> Void
    ) throws(WireClosure) {
        self.handler = handler
        self.isOver = isOver
        do throws(HTTP2Error) {
            http2 = try HTTP2Server(options: options, handler: handler)
        } catch {
            throw .http2(error)
        }
        let tls: TLSSession
        do throws(TLSError) {
            tls = try TLSSession.server(context)
        } catch {
            throw .tls(error)
        }
        let session = http2
        link = WireLink(
            poller: poller, descriptor: consume descriptor, connectingTo: nil, tls: tls,
            session: session, lingers: true, announceEnd: { _ = session.goAway() })
        do throws(SystemError) {
            try link.start(owner: self)
        } catch {
            throw .system(error)
        }
    }

    /// Whether the socket did not take everything.
    package var isWritePending: Bool { link.isWritePending }

    /// Sends what was answered, as far as the socket takes it. Inside a callback it does nothing,
    /// because a flush follows anyway.
    package func flush() { link.flush() }

    /// Ends the connection in order: what is queued is sent, then GOAWAY, close_notify and the end
    /// of this direction; the socket is closed when the client has closed its side too, so that it
    /// can read everything. Until then `wireClosed` waits; `abort` cuts that short. Inside a
    /// callback: right after it.
    ///
    /// - Parameter announced: False leaves GOAWAY out.
    package func close(announced: Bool = true) { link.close(announced: announced) }

    /// Ends the connection at once: nothing more is sent, and what the client sent is not read.
    ///
    /// - Parameter closure: What to report.
    package func abort(_ closure: WireClosure = .byUs) { link.end(closure) }

    /// Leaves the socket unread, or reads it again: what a stalled server does.
    ///
    /// - Parameter isPaused: Whether to stop reading.
    package func pauseReading(_ isPaused: Bool) { link.pauseReading(isPaused) }

    /// Ends this direction only, in TCP alone: neither GOAWAY nor close_notify is sent, and the
    /// client is still read.
    package func shutDownWriting() { link.shutDownWriting() }

    func linkOpened() { handler.wireOpened() }

    func linkClosed(_ closure: WireClosure) {
        handler.wireClosed(closure)
        isOver()
    }
}
