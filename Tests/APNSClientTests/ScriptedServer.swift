import HTTP2
import LinuxIO
import TLS
import Wire

/// One request as a scripted server saw it.
struct Visit: Sendable {
    /// The connection's number, from 1, in the order of acceptance.
    let connection: Int
    /// The request's number on its connection, from 1.
    let request: Int
    /// Its stream.
    let streamID: Int32
    /// The device token in its path.
    let token: String
    /// Its fields, `:path` included.
    let fields: [String: String]
    /// Its body.
    let body: String
}

/// What a scripted server does about a request.
enum Act: Sendable {
    case answer(Int, String = "")
    case answerHead(Int)
    case answerDated(String)
    case reset(UInt32)
    case goAway(lastStreamID: Int32?, code: UInt32 = 0, debug: String = "")
    case shutDownNotice
    case streams(UInt32)
    case close
    case abort
}

/// A server that speaks real HTTP/2 over real TLS on loopback and does as its script says.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (Visit) -> [Act]

    struct Log: Sendable {
        var visits: [Visit] = []
        var accepted: [String: Int] = [:]
        var connections = 0
        var openStreamsMax = 0
        var isStopping = false
    }

    let port: UInt16
    let clientContext: TLSContext
    let log = Monitor(Log())
    private let waker: Waker
    private let thread: WorkerThread

    init(streams: UInt32? = 100, host: String = "127.0.0.1", script: @escaping Script) throws {
        let certificates = try CertificateSet.make(hosts: [host])
        let context = try TLSContext.server(
            certificatePEM: certificates.serverCertificatePEM,
            privateKeyPEM: certificates.serverKeyPEM, protocols: ["h2"])
        let path = "/tmp/sortie-test-ca-\(SecureRandom.uint64()).pem"
        try FileContents.write(path, certificates.caCertificatePEM, mode: 0o600)
        clientContext = try TLSContext.client(trust: .file(path), protocols: ["h2"])
        try FileContents.remove(path)
        let poller = try Poller()
        waker = poller.waker
        let log = log
        let started = Monitor<UInt16?>(nil)
        thread = try WorkerThread.start(name: "scripted") {
            do {
                try Self.serve(poller, context, streams, script, log, started)
            } catch {
                started.withLock { $0 = 0 }
                started.signal()
            }
        }
        port = started.take(untilNanoseconds: nil) { $0 } ?? 0
    }

    private static func serve(
        _ poller: Poller, _ context: TLSContext, _ streams: UInt32?, _ script: @escaping Script,
        _ log: Monitor<Log>, _ started: Monitor<UInt16?>
    ) throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = streams
        var connections: [ScriptedConnection] = []
        let listener = try WireListener(
            poller: poller, host: "127.0.0.1", port: 0, context: context, options: options
        ) {
            let number = log.withLock { state in
                state.connections += 1
                return state.connections
            }
            let connection = ScriptedConnection(number: number, script: script, log: log)
            connections.append(connection)
            return connection
        }
        started.withLock { $0 = listener.port }
        started.signal()
        while !log.withLock({ $0.isStopping }) {
            _ = try poller.wait(untilNanoseconds: nil)
        }
        listener.close()
        for connection in connections { connection.abort() }
    }

    /// What it saw.
    func stop() -> Log {
        log.withLock { $0.isStopping = true }
        waker.wake()
        thread.join()
        return log.withLock { $0 }
    }
}

private final class ScriptedConnection: WireServerHandler {
    private struct Request {
        var streamID: Int32 = 0
        var fields: [String: String] = [:]
        var body = ""
    }

    private let number: Int
    private let script: ScriptedServer.Script
    private let log: Monitor<ScriptedServer.Log>
    private var requests: [Int: Request] = [:]
    private var count = 0
    private weak var connection: WireServerConnection?

    init(number: Int, script: @escaping ScriptedServer.Script, log: Monitor<ScriptedServer.Log>) {
        self.number = number
        self.script = script
        self.log = log
    }

    /// Cuts the connection off, if it still stands.
    func abort() { connection?.abort() }

    func wireAccepted(_ connection: WireServerConnection) { self.connection = connection }
    func wireOpened() {}
    func wireClosed(_ closure: WireClosure) {}
    func http2RequestFieldsEnded(slot: Int) {}
    func http2StreamClosed(errorCode: UInt32?, slot: Int) {}
    func http2Settings() {}
    func http2PingReceived() {}
    func http2PingAcknowledged() {}
    func http2GoAway(errorCode: UInt32) {}

    func http2RequestStarted(slot: Int, streamID: Int32) {
        requests[slot] = Request(streamID: streamID)
        let open = connection?.http2.openStreams ?? 0
        log.withLock { $0.openStreamsMax = max($0.openStreamsMax, open) }
    }

    func http2RequestField(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int
    ) {
        requests[slot]?.fields[String(decoding: name, as: UTF8.self)] =
            String(decoding: value, as: UTF8.self)
    }

    func http2RequestBody(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        requests[slot]?.body += String(decoding: bytes, as: UTF8.self)
    }

    func http2RequestEnded(slot: Int) {
        guard let request = requests.removeValue(forKey: slot), let connection else { return }
        count += 1
        let token = request.fields[":path"].map { String($0.dropFirst("/3/device/".count)) }
        let visit = Visit(
            connection: number, request: count, streamID: request.streamID, token: token ?? "",
            fields: request.fields, body: request.body)
        let acts = script(visit)
        log.withLock { state in
            state.visits.append(visit)
            for case .answer(200, _) in acts { state.accepted[visit.token, default: 0] += 1 }
        }
        log.signal()
        for act in acts { perform(act, slot: slot, connection) }
    }

    private func perform(_ act: Act, slot: Int, _ connection: WireServerConnection) {
        switch act {
        case .answer(let status, let body):
            connection.http2.respond(slot: slot, status: status, body: Array(body.utf8))
        case .answerDated(let date):
            connection.http2.respond(
                slot: slot, status: 200, fields: [HTTP2Field("date", date)])
        case .answerHead(let status): connection.http2.sendHead(slot: slot, status: status)
        case .reset(let code): connection.http2.reset(slot: slot, errorCode: code)
        case .goAway(let last, let code, let debug):
            connection.http2.goAway(
                lastStreamID: last, errorCode: code, debugData: Array(debug.utf8))
        case .shutDownNotice: connection.http2.shutDownNotice()
        case .streams(let limit): connection.http2.setMaxConcurrentStreams(limit)
        case .close: connection.close()
        case .abort: connection.abort()
        }
    }
}
