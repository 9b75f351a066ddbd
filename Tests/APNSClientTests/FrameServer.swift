import LinuxIO
import TLS

/// A frame as it stands on the wire (RFC 9113, section 4.1).
struct RawFrame: Sendable, Equatable {
    enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate
        case continuation
    }

    var kind: Kind
    var flags: UInt8 = 0
    var streamID: UInt32 = 0
    var payload: [UInt8] = []

    static let endStream: UInt8 = 1
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4

    var bytes: [UInt8] {
        let size = UInt32(payload.count)
        return [UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255), kind.rawValue, flags]
            + Self.number(streamID) + payload
    }

    /// SETTINGS with pairs of identifier and value.
    static func settings(_ pairs: [(UInt16, UInt32)] = []) -> RawFrame {
        let payload = pairs.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + number($0.1) }
        return RawFrame(kind: .settings, payload: payload)
    }

    /// The head of an answer; fields are literals that enter no table (RFC 7541, section 6.2.2).
    static func answer(
        _ streamID: UInt32, _ status: Int, fields: [(String, String)] = [], ends: Bool = true
    ) -> RawFrame {
        let block = ([(":status", "\(status)")] + fields).flatMap { name, value in
            [UInt8(0)] + text(name) + text(value)
        }
        return RawFrame(
            kind: .headers, flags: endHeaders | (ends ? endStream : 0), streamID: streamID,
            payload: block)
    }

    static func data(_ streamID: UInt32, _ bytes: [UInt8], ends: Bool) -> RawFrame {
        RawFrame(
            kind: .data, flags: ends ? endStream : 0, streamID: streamID, payload: bytes)
    }

    static func reset(_ streamID: UInt32, code: UInt32) -> RawFrame {
        RawFrame(kind: .reset, streamID: streamID, payload: number(code))
    }

    static let ping = RawFrame(kind: .ping, payload: Array(repeating: 7, count: 8))

    static func number(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// A string of HPACK without Huffman code: its length with a prefix of seven bits, its bytes.
    private static func text(_ text: String) -> [UInt8] {
        var rest = text.utf8.count
        var length: [UInt8] = []
        if rest < 127 {
            length = [UInt8(rest)]
        } else {
            length = [127]
            rest -= 127
            while rest >= 128 {
                length.append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            length.append(UInt8(rest))
        }
        return length + Array(text.utf8)
    }
}

/// What happens on a connection of a frame server.
enum FrameEvent {
    /// TLS is up; nothing has been sent yet.
    case opened
    /// The client sent a frame.
    case frame(RawFrame)
    /// 10 ms have passed.
    case tick
}

/// A server that speaks TLS on loopback and then sends whatever frames its script says.
final class FrameServer: Sendable {
    typealias Script = @Sendable (FrameEvent, FramePeer) -> Void

    struct Log: Sendable {
        var connections = 0
        /// Frames by connection, from 1, in the order of their arrival.
        var frames: [Int: [RawFrame]] = [:]
        var isStopping = false

        /// Streams of all requests begun on a connection.
        func requests(on connection: Int) -> [UInt32] {
            (frames[connection] ?? []).filter { $0.kind == .headers }.map(\.streamID)
        }

        var requests: Int { frames.keys.reduce(0) { $0 + requests(on: $1).count } }
    }

    let port: UInt16
    let clientContext: TLSContext
    let log = Monitor(Log())
    private let waker: Waker
    private let thread: WorkerThread

    /// - Parameters:
    ///   - protocols: What it agrees to by ALPN; empty: nothing.
    ///   - isPlain: It speaks no TLS: the script's bytes go out as they are, and once.
    ///   - script: Called on the server's thread.
    /// - Throws: What keeps it from listening.
    init(protocols: [String] = ["h2"], isPlain: Bool = false, script: @escaping Script) throws {
        let certificates = try CertificateSet.make(hosts: ["127.0.0.1"])
        let context = try TLSContext.server(
            certificatePEM: certificates.serverCertificatePEM,
            privateKeyPEM: certificates.serverKeyPEM, protocols: protocols)
        let path = "/tmp/sortie-test-ca-\(SecureRandom.uint64()).pem"
        try FileContents.write(path, certificates.caCertificatePEM, mode: 0o600)
        clientContext = try TLSContext.client(trust: .file(path), protocols: ["h2"])
        try FileContents.remove(path)
        let poller = try Poller()
        waker = poller.waker
        let listening = try Listening(
            poller, isPlain ? nil : context, log: log, script: script)
        port = listening.port
        let log = log
        // Sound: the thread started here is the only one that uses it from now on.
        nonisolated(unsafe) let handedOver = listening
        thread = try WorkerThread.start(name: "frames") {
            handedOver.run(until: { log.withLock { $0.isStopping } })
        }
    }

    /// What it saw.
    func stop() -> Log {
        log.withLock { $0.isStopping = true }
        waker.wake()
        thread.join()
        return log.withLock { $0 }
    }
}

private final class Listening: ReadinessHandler {
    static let tickNanoseconds: Int64 = 10_000_000

    let port: UInt16
    private let poller: Poller
    private let context: TLSContext?
    private let socket: ListeningSocket
    private let log: Monitor<FrameServer.Log>
    private let script: FrameServer.Script
    private var peers: [FramePeer] = []

    init(
        _ poller: Poller, _ context: TLSContext?, log: Monitor<FrameServer.Log>,
        script: @escaping FrameServer.Script
    ) throws {
        self.poller = poller
        self.context = context
        self.log = log
        self.script = script
        socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        port = socket.port
        try poller.add(socket.raw, readable: true, writable: false, handler: self)
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        while let descriptor = try? socket.accept() {
            let number = log.withLock { state in
                state.connections += 1
                return state.connections
            }
            let peer = FramePeer(
                number, poller, descriptor, context.flatMap { try? TLSSession.server($0) }, log,
                script)
            peers.append(peer)
            peer.start()
        }
    }

    func run(until isOver: () -> Bool) {
        var next = MonotonicClock.nanoseconds() + Self.tickNanoseconds
        while !isOver() {
            _ = try? poller.wait(untilNanoseconds: next)
            let now = MonotonicClock.nanoseconds()
            guard now >= next else { continue }
            next = now + Self.tickNanoseconds
            for peer in peers { peer.tick() }
        }
        for peer in peers { peer.close() }
        poller.remove(socket.raw)
    }
}

/// One client of a frame server. The server's thread only.
final class FramePeer: ReadinessHandler {
    let number: Int
    /// What the script wants to remember about the connection.
    var memory = 0
    /// What the client sends is left in the socket.
    var isReadingPaused = false { didSet { watch() } }

    private let poller: Poller
    private var descriptor: OwnedDescriptor?
    private let tls: TLSSession?
    private let log: Monitor<FrameServer.Log>
    private let script: FrameServer.Script
    private var isOpen = false
    private var input: [UInt8] = []
    private var prefaceBytesLeft = 24

    init(
        _ number: Int, _ poller: Poller, _ descriptor: consuming OwnedDescriptor,
        _ tls: TLSSession?, _ log: Monitor<FrameServer.Log>, _ script: @escaping FrameServer.Script
    ) {
        self.number = number
        self.poller = poller
        self.descriptor = consume descriptor
        self.tls = tls
        self.log = log
        self.script = script
    }

    func start() {
        guard let raw = descriptor?.raw else { return }
        try? poller.add(raw, readable: true, writable: false, handler: self)
        if tls == nil { script(.opened, self) }
    }

    func tick() {
        guard isOpen, descriptor != nil else { return }
        script(.tick, self)
        flush()
    }

    /// Whether the client has left earlier bytes unread.
    var isWritePending: Bool { tls?.hasPendingCiphertext ?? false }

    func send(_ frames: [RawFrame]) { send(bytes: frames.flatMap(\.bytes)) }

    func send(bytes: [UInt8]) {
        guard let raw = descriptor?.raw else { return }
        if let tls {
            bytes.withUnsafeBytes { try? tls.write($0) }
        } else {
            _ = bytes.withUnsafeBytes { StreamSocket.write(raw, from: $0) }
        }
    }

    /// Ends the server's direction in TCP.
    func closeHalf() {
        flush()
        if let raw = descriptor?.raw { StreamSocket.shutdownWriting(raw) }
    }

    func close() {
        guard let raw = descriptor?.raw else { return }
        poller.remove(raw)
        descriptor = nil
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while let raw = descriptor?.raw, !isReadingPaused {
            let result = buffer.withUnsafeMutableBytes { StreamSocket.read(raw, into: $0) }
            guard case .bytes(let count) = result else {
                if case .wouldBlock = result { break }
                return close()
            }
            buffer.withUnsafeBytes { tls?.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            guard takePlaintext() else { return close() }
        }
        if failed { return close() }
        flush()
    }

    /// False: the connection is of no use any more.
    private func takePlaintext() -> Bool {
        guard let tls else { return true }
        do {
            if !isOpen {
                guard try tls.handshake() else { return true }
                isOpen = true
                script(.opened, self)
            }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try tls.read(into: $0) }
                if count == 0 { break }
                input += buffer[..<count]
            }
        } catch {
            flush()
            return false
        }
        takeFrames()
        return true
    }

    private func takeFrames() {
        let preface = min(prefaceBytesLeft, input.count)
        prefaceBytesLeft -= preface
        var position = preface
        while input.count - position >= 9 {
            let size =
                Int(input[position]) << 16 | Int(input[position + 1]) << 8
                | Int(input[position + 2])
            guard input.count - position >= 9 + size else { break }
            let identifier = input[(position + 5)..<(position + 9)]
                .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if let kind = RawFrame.Kind(rawValue: input[position + 3]) {
                let frame = RawFrame(
                    kind: kind, flags: input[position + 4], streamID: identifier,
                    payload: Array(input[(position + 9)..<(position + 9 + size)]))
                log.withLock { $0.frames[number, default: []].append(frame) }
                log.signal()
                script(.frame(frame), self)
            }
            position += 9 + size
        }
        input.removeFirst(position)
    }

    private func flush() {
        guard let tls, let raw = descriptor?.raw else { return }
        while tls.hasPendingCiphertext {
            let result = tls.withPendingCiphertext { StreamSocket.write(raw, from: $0) }
            guard case .bytes(let count) = result else {
                if case .failed = result { return close() }
                break
            }
            tls.consumeCiphertext(count)
        }
        watch()
    }

    private func watch() {
        guard let raw = descriptor?.raw else { return }
        try? poller.change(raw, readable: !isReadingPaused, writable: isWritePending)
    }
}
