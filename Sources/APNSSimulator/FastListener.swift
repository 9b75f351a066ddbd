internal import LinuxIO
internal import TLS

/// Accepts the fast mode's connections and adds up what they saw.
///
/// Loop-bound: owned by one worker, used on its thread.
final class FastListener: ReadinessHandler {
    private static let acceptedPerTurnMax = 64

    let port: UInt16
    private var socket: ListeningSocket?
    private let poller: Poller
    private let tls: TLSContext
    private let streamsMax: UInt32
    private let fates: TokenFates?
    private var accepted = 0
    private var open: [FastConnection] = []
    /// Of connections that have ended.
    private var ended = WorkerCounters()

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - poller: The loop's.
    ///   - configuration: Where, and how many streams.
    ///   - tls: The server's settings.
    /// - Throws: `SystemError` if the address cannot be had.
    init(
        poller: Poller, configuration: SimulatorConfiguration, tls: TLSContext
    ) throws(SystemError) {
        self.poller = poller
        self.tls = tls
        streamsMax = configuration.maxConcurrentStreams
        fates = configuration.fates.shares.dead > 0 ? configuration.fates : nil
        let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
        port = socket.port
        let raw = socket.raw
        self.socket = consume socket
        try poller.add(raw, readable: true, writable: false, handler: self)
    }

    /// What was received so far.
    var counters: WorkerCounters {
        var counters = ended
        for connection in open { Self.note(connection, in: &counters) }
        return counters
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        for _ in 0..<Self.acceptedPerTurnMax {
            // Without a descriptor left the client waits; the next turn tries again.
            guard let descriptor = try? socket?.accept() else { return }
            accepted += 1
            // One that can't be served sees its connection closed.
            let connection = try? FastConnection(
                number: accepted, descriptor: descriptor, tls: tls, poller: poller,
                streamsMax: streamsMax, fates: fates, hasEnded: { [unowned self] in forget($0) })
            if let connection { open.append(connection) }
        }
    }

    /// Closes the port and all connections.
    func close() {
        if let raw = socket?.raw { poller.remove(raw) }
        socket = nil
        for connection in open { connection.end() }
    }

    private func forget(_ connection: FastConnection) {
        Self.note(connection, in: &ended)
        open.removeAll { $0 === connection }
    }

    private static func note(_ connection: FastConnection, in counters: inout WorkerCounters) {
        guard let statistics = connection.statistics else { return }
        counters.connectionsOpened += 1
        counters.streamsAbandoned += connection.streamsAbandoned
        counters.noteAnswered(
            statistics.requests, ofWhichGone: connection.gone, bodyBytes: connection.bodyBytes)
        counters.note(statistics)
    }
}
