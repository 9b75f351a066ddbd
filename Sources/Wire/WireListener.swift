package import HTTP2
package import LinuxIO
package import TLS

/// Accepts clients and makes a connection of each.
///
/// - Ownership and thread: loop-bound. The poller keeps it alive until `close`.
package final class WireListener: ReadinessHandler {
    /// Connections accepted per turn: others wait in the kernel's queue.
    private static let acceptedPerTurnMax = 64

    private let poller: Poller
    private var socket: ListeningSocket?
    private let context: TLSContext
    private let options: HTTP2ServerOptions
    private let makeHandler: () -> any WireServerHandler

    /// Connections accepted and not yet over.
    package private(set) var openConnections = 0

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - poller: The loop's; the connections are on it too.
    ///   - host: Name or address to listen on.
    ///   - port: 0 chooses a free one: see `port`.
    ///   - context: A server's.
    ///   - options: Of every session.
    ///   - makeHandler: Makes the handler of one connection; the connection keeps it.
    /// - Throws: When the address cannot be had.
    package init(
        poller: Poller, host: String, port: UInt16, context: TLSContext,
        options: HTTP2ServerOptions, makeHandler: @escaping () -> any WireServerHandler
    ) throws(SystemError) {
        self.poller = poller
        self.context = context
        self.options = options
        self.makeHandler = makeHandler
        let socket = try ListeningSocket(host: host, port: port)
        self.port = socket.port
        let raw = socket.raw
        self.socket = consume socket
        try poller.add(raw, readable: true, writable: false, handler: self)
    }

    /// The port it listens on.
    package let port: UInt16

    /// Takes no more clients; connections go on.
    package func close() {
        guard let raw = socket?.raw else { return }
        poller.remove(raw)
        socket = nil
    }

    /// Called by the poller: clients are waiting.
    ///
    /// - Parameters:
    ///   - readable: There are some.
    ///   - writable: Never.
    ///   - failed: The socket is broken.
    package func ready(readable: Bool, writable: Bool, failed: Bool) {
        for _ in 0..<Self.acceptedPerTurnMax {
            do throws(SystemError) {
                guard let descriptor = try socket?.accept() else { return }
                take(descriptor)
            } catch {
                // No descriptors left: waiting would spin. Go on when a connection is over.
                return watch(openConnections == 0)
            }
        }
    }

    private func take(_ descriptor: consuming OwnedDescriptor) {
        openConnections += 1
        do throws(WireClosure) {
            let connection = try WireServerConnection(
                poller: poller, descriptor: descriptor, context: context, options: options,
                handler: makeHandler(), isOver: { [weak self] in self?.oneIsOver() })
            connection.handler.wireAccepted(connection)
        } catch {
            // No memory for a session: the client sees its connection closed.
            openConnections -= 1
        }
    }

    private func oneIsOver() {
        openConnections -= 1
        watch(true)
    }

    private func watch(_ isOn: Bool) {
        guard let raw = socket?.raw else { return }
        // A failure would leave it as it is; the poller itself is broken then, which its owner
        // sees.
        try? poller.change(raw, readable: isOn, writable: false)
    }
}
