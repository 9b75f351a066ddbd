internal import LinuxIO
internal import TLS

/// One connection of the fast mode: socket, TLS and ``FastSession``, with nothing between them.
///
/// Loop-bound: owned by one worker, used on its thread.
@safe
final class FastConnection: ReadinessHandler {
    private static let inputBytes = 64 * 1024
    /// A TLS record's plaintext.
    private static let recordBytes = 16 * 1024
    /// One turn reads at most so much, so that one busy client does not starve the others.
    private static let turnBytesMax = 256 * 1024

    let number: Int
    private let descriptor: OwnedDescriptor
    private let tls: TLSSession
    private let poller: Poller
    private let hasEnded: (FastConnection) -> Void
    private let input = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FastConnection.inputBytes, alignment: 16)
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FastConnection.recordBytes, alignment: 16)
    private var session: FastSession
    private var isOpen = false
    private var isOver = false
    private var arrivals = ArrivalWindow()
    private var firstArrivalNanoseconds: Int64 = 0
    private var lastArrivalNanoseconds: Int64 = 0

    /// - Parameters:
    ///   - number: 1 for the first connection.
    ///   - descriptor: An accepted socket.
    ///   - tls: The server's settings.
    ///   - poller: The loop's; holds this object until the end.
    ///   - streamsMax: What the client may have open at once.
    ///   - fates: Tells which tokens are dead; nil: none.
    ///   - hasEnded: Called at the end.
    /// - Throws: Why it can't be served.
    init(
        number: Int, descriptor: consuming OwnedDescriptor, tls: TLSContext, poller: Poller,
        streamsMax: UInt32, fates: TokenFates?, hasEnded: @escaping (FastConnection) -> Void
    ) throws {
        self.number = number
        self.poller = poller
        self.hasEnded = hasEnded
        self.tls = try TLSSession.server(tls)
        session = FastSession(streamsMax: streamsMax, fates: fates)
        let raw = descriptor.raw
        self.descriptor = descriptor
        try poller.add(raw, readable: true, writable: false, handler: self)
    }

    deinit {
        // Sound: allocated with this object and used by it alone.
        unsafe input.deallocate()
        unsafe plaintext.deallocate()
    }

    /// What was seen so far; nil if TLS did not come about.
    var statistics: ConnectionStatistics? {
        guard isOpen else { return nil }
        return ConnectionStatistics(
            number: number, requests: session.requests,
            headerBlockBytes: session.headerBlockBytes, requestsInOneSecondMax: arrivals.largest,
            streamsOpenMax: session.streamsOpenMax,
            activeNanoseconds: lastArrivalNanoseconds - firstArrivalNanoseconds)
    }

    var bodyBytes: Int { session.bodyBytes }
    /// Requests that were answered with 410.
    var gone: Int { session.gone }
    var streamsAbandoned: Int { session.streamsAbandoned }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        do {
            try sendPending()
            // What is not taken yet must go first: so the answers that wait stay bounded.
            if !tls.hasPendingCiphertext { try readTurn() }
            try flush()
        } catch {
            end()
        }
    }

    /// Ends the connection.
    func end() {
        guard !isOver else { return }
        isOver = true
        tls.close()
        // A farewell, as far as the socket takes it.
        try? sendPending()
        poller.remove(descriptor.raw)
        hasEnded(self)
    }

    // MARK: - Reading

    private struct Ended: Error {}

    private func readTurn() throws {
        var budget = Self.turnBytesMax
        while budget > 0 {
            // Sound: the buffer lives as long as self.
            switch unsafe StreamSocket.read(descriptor.raw, into: input) {
            case .bytes(let count):
                unsafe tls.receive(UnsafeRawBufferPointer(rebasing: input[..<count]))
                try decrypt()
                budget -= count
                if count < Self.inputBytes { return }
            case .wouldBlock: return
            case .endOfFile, .failed: throw Ended()
            }
        }
    }

    private func decrypt() throws {
        if !isOpen {
            guard try tls.handshake() else { return }
            guard tls.negotiatedProtocol == "h2" else { throw Ended() }
            isOpen = true
        }
        let now = MonotonicClock.nanoseconds()
        // Sound: the buffer lives as long as self.
        while case let count = try unsafe tls.read(into: plaintext), count > 0 {
            let before = session.requests
            // Sound: `count` bytes were just written into the buffer; the span is used in the call.
            try session.receive(
                unsafe Span(
                    _unsafeBytes: UnsafeRawBufferPointer(rebasing: plaintext[..<count])))
            noteArrivals(session.requests - before, nowNanoseconds: now)
        }
    }

    /// Requests that came with one reading arrived at the same time as far as can be told.
    private func noteArrivals(_ count: Int, nowNanoseconds: Int64) {
        guard count > 0 else { return }
        if firstArrivalNanoseconds == 0 { firstArrivalNanoseconds = nowNanoseconds }
        lastArrivalNanoseconds = nowNanoseconds
        arrivals.record(count: count, nowNanoseconds: nowNanoseconds)
    }

    // MARK: - Writing

    private func flush() throws {
        if isOpen, !session.output.isEmpty {
            // Sound: TLS copies what it encrypts.
            try unsafe session.output.withUnsafeBytes { try unsafe tls.write($0) }
            session.output.removeAll(keepingCapacity: true)
        }
        try sendPending()
        try poller.change(
            descriptor.raw, readable: !tls.hasPendingCiphertext,
            writable: tls.hasPendingCiphertext)
    }

    private func sendPending() throws {
        while tls.hasPendingCiphertext {
            // Sound: the bytes are lent for the call.
            let result = unsafe tls.withPendingCiphertext {
                unsafe StreamSocket.write(descriptor.raw, from: $0)
            }
            switch result {
            case .bytes(let count): tls.consumeCiphertext(count)
            case .wouldBlock: return
            case .endOfFile, .failed: throw Ended()
            }
        }
    }
}
