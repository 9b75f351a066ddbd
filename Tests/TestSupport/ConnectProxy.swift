package import LinuxIO

/// An HTTP proxy on loopback that opens tunnels, or does not, as it is told.
///
/// Whatever server it is asked for, it connects to `upstream` on 127.0.0.1: so names that exist
/// nowhere can be used.
package final class ConnectProxy: Sendable {
    /// What it does with a request.
    package enum Manner: Sendable {
        /// Sends these bytes and relays from then on; with `isSlow` one byte a write.
        case open(
            answer: String = "HTTP/1.1 200 Connection established\r\n\r\n", isSlow: Bool = false)
        /// Sends these bytes, and closes if asked to.
        case answer(String, closes: Bool = true)
        /// Closes without a word.
        case close
        /// Says nothing.
        case silent
    }

    /// What it has seen.
    package struct Log: Sendable {
        /// The heads of all requests.
        package var heads: [String] = []
        /// Connections it took.
        package var connections = 0
        /// Bytes that went from clients to servers.
        package var bytesUp = 0
        var isStopping = false
    }

    /// Where it listens.
    package let port: UInt16
    /// What it has seen.
    package let log = Monitor(Log())
    private let waker: Waker
    private let thread: WorkerThread

    /// Starts it.
    ///
    /// - Parameters:
    ///   - upstream: the port on 127.0.0.1 that tunnels lead to.
    ///   - manner: what it does.
    /// - Throws: what keeps it from listening.
    package init(upstream: UInt16 = 0, _ manner: Manner) throws {
        let poller = try Poller()
        waker = poller.waker
        let door = try ProxyDoor(poller, upstream: upstream, manner, log)
        port = door.port
        let log = log
        // Sound: the thread started here is the only one that uses it from now on.
        nonisolated(unsafe) let handedOver = door
        thread = try WorkerThread.start(name: "proxy") {
            handedOver.run(until: { log.withLock { $0.isStopping } })
        }
    }

    /// Stops it, with all its tunnels.
    package func stop() -> Log {
        log.withLock { $0.isStopping = true }
        waker.wake()
        thread.join()
        return log.withLock { $0 }
    }
}

private final class ProxyDoor: ReadinessHandler {
    let port: UInt16
    private let poller: Poller
    private let upstream: UInt16
    private let manner: ConnectProxy.Manner
    private let log: Monitor<ConnectProxy.Log>
    private let socket: ListeningSocket
    private var tunnels: [ProxyTunnel] = []

    init(
        _ poller: Poller, upstream: UInt16, _ manner: ConnectProxy.Manner,
        _ log: Monitor<ConnectProxy.Log>
    ) throws {
        self.poller = poller
        self.upstream = upstream
        self.manner = manner
        self.log = log
        socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        port = socket.port
        try poller.add(socket.raw, readable: true, writable: false, handler: self)
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        while let descriptor = try? socket.accept() {
            log.withLock { $0.connections += 1 }
            tunnels.append(
                ProxyTunnel(
                    poller, client: ProxySocket(poller, descriptor), upstream: upstream, manner,
                    log))
        }
    }

    func run(until isOver: () -> Bool) {
        while !isOver() { _ = try? poller.wait(untilNanoseconds: nil) }
        for tunnel in tunnels { tunnel.close() }
        poller.remove(socket.raw)
    }
}

/// One client and, once it has asked, its server.
private final class ProxyTunnel {
    private let poller: Poller
    private let client: ProxySocket
    private var server: ProxySocket?
    private let upstream: UInt16
    private let manner: ConnectProxy.Manner
    private let log: Monitor<ConnectProxy.Log>
    private var head: [UInt8] = []

    init(
        _ poller: Poller, client: ProxySocket, upstream: UInt16, _ manner: ConnectProxy.Manner,
        _ log: Monitor<ConnectProxy.Log>
    ) {
        self.poller = poller
        self.client = client
        self.upstream = upstream
        self.manner = manner
        self.log = log
        client.onBytes = { [unowned self] in clientSent($0) }
        client.onEnd = { [unowned self] in close() }
    }

    func close() {
        client.close()
        server?.close()
    }

    private func clientSent(_ bytes: [UInt8]) {
        if let server {
            log.withLock { $0.bytesUp += bytes.count }
            return server.send(bytes)
        }
        head += bytes
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasSuffix("\r\n\r\n") else { return }
        head = []
        log.withLock { $0.heads.append(text) }
        act()
        log.signal()
    }

    private func act() {
        switch manner {
        case .open(let answer, let isSlow):
            client.isSlow = isSlow
            client.send(Array(answer.utf8))
            connect()
        case .answer(let text, let closes):
            client.send(Array(text.utf8))
            if closes { client.close() }
        case .close: client.close()
        case .silent: break
        }
    }

    private func connect() {
        guard
            let address = try? SocketAddress.resolve(host: "127.0.0.1", port: upstream).first,
            let descriptor = try? StreamSocket.connect(to: address)
        else { return close() }
        let server = ProxySocket(poller, descriptor)
        server.onBytes = { [unowned self] in client.send($0) }
        server.onEnd = { [unowned self] in close() }
        self.server = server
    }
}

/// A socket with what waits to be sent.
private final class ProxySocket: ReadinessHandler {
    var onBytes: ([UInt8]) -> Void = { _ in }
    var onEnd: () -> Void = {}
    /// Sends one byte at a time.
    var isSlow = false

    private let poller: Poller
    private var descriptor: OwnedDescriptor?
    private var unsent: [UInt8] = []

    init(_ poller: Poller, _ descriptor: consuming OwnedDescriptor) {
        self.poller = poller
        let raw = descriptor.raw
        self.descriptor = consume descriptor
        try? poller.add(raw, readable: true, writable: true, handler: self)
    }

    func send(_ bytes: [UInt8]) {
        unsent += bytes
        flush()
    }

    func close() {
        guard let raw = descriptor?.raw else { return }
        poller.remove(raw)
        descriptor = nil
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        reading: while readable || failed, let raw = descriptor?.raw {
            switch buffer.withUnsafeMutableBytes({ StreamSocket.read(raw, into: $0) }) {
            case .bytes(let count): onBytes(Array(buffer[..<count]))
            case .wouldBlock: break reading
            case .endOfFile, .failed: return onEnd()
            }
        }
        flush()
    }

    private func flush() {
        while let raw = descriptor?.raw, !unsent.isEmpty {
            let part = unsent.prefix(isSlow ? 1 : unsent.count)
            let result = part.withUnsafeBytes { StreamSocket.write(raw, from: $0) }
            guard case .bytes(let count) = result else { break }
            unsent.removeFirst(count)
        }
        guard let raw = descriptor?.raw else { return }
        // A socket that is still being connected takes nothing yet.
        try? poller.change(raw, readable: true, writable: !unsent.isEmpty)
    }
}
