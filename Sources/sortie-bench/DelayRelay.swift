internal import Glibc
internal import LinuxIO

/// Stands between a sender and the simulator and holds every byte back for half a round trip.
///
/// For systems whose kernel can't delay packets. What it shows is what streams and HTTP/2 windows
/// allow at a distance; the behaviour of TCP over a long line is not in it. Its own processor time
/// is nobody's.
final class DelayRelay: Sendable {
    /// A piece of a stream and the moment at which it goes on; no bytes: the stream ends.
    private struct Piece: Sendable {
        let dueNanoseconds: Int64
        let bytes: [UInt8]
    }

    private static let pieceBytesMax = 65_536
    /// More than a direction can have on its way: 200 ms at 100 MB/s.
    private static let piecesMax = 4_096

    let port: Int
    private let listener: OwnedDescriptor
    private let serverPort: Int
    private let delayNanoseconds: Int64

    /// Starts to listen on a free port of the loopback.
    ///
    /// - Parameters:
    ///   - serverPort: Where the simulator listens.
    ///   - roundTripMilliseconds: Half of it is added in each direction.
    /// - Throws: `BenchFailure` if the system has no socket left.
    init(serverPort: Int, roundTripMilliseconds: Int) throws {
        self.serverPort = serverPort
        delayNanoseconds = Int64(roundTripMilliseconds) * 500_000
        listener = OwnedDescriptor(owning: try Self.socket())
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let raw = listener.raw
        // Sound: the address is read, and then written, during the calls, in its whole size.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(raw, $0, length) == 0 && listen(raw, 64) == 0
                    && getsockname(raw, $0, &length) == 0
            }
        }
        guard isBound else { throw BenchFailure("the relay can't listen") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Serves until the process ends.
    func start() throws {
        // Nobody joins these threads: they wait until the process ends.
        _ = try WorkerThread.start(name: "relay") { [self] in
            while case let client = accept(listener.raw, nil, nil), client >= 0 {
                // A connection that can't be served is closed, which its sender reports.
                if (try? join(client)) == nil { close(client) }
            }
        }
    }

    private func join(_ client: Int32) throws {
        let server = try Self.socket()
        var address = Self.loopback(port: serverPort)
        // Sound: the address is read during the call, in its whole size.
        let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw BenchFailure("the relay can't connect") }
        for socket in [client, server] { Self.sendAtOnce(socket) }
        try pass(from: client, to: server)
        try pass(from: server, to: client)
    }

    /// Two threads for a direction: one takes, one waits and hands on. The descriptors stay open
    /// until the process ends: there are few, and another thread may be using them.
    private func pass(from: Int32, to: Int32) throws {
        let queue = Monitor<[Piece]>([])
        let delay = delayNanoseconds
        _ = try WorkerThread.start(name: "relay-in") {
            var buffer = [UInt8](repeating: 0, count: Self.pieceBytesMax)
            while true {
                // Sound: the kernel writes at most the buffer's own length.
                let count = unsafe recv(from, &buffer, buffer.count, 0)
                let bytes = count > 0 ? Array(buffer[..<count]) : []
                let piece = Piece(
                    dueNanoseconds: MonotonicClock.nanoseconds() + delay, bytes: bytes)
                _ = queue.wait(untilNanoseconds: nil) { $0.count < Self.piecesMax }
                queue.withLock { $0.append(piece) }
                queue.signal()
                if count <= 0 { return }
            }
        }
        _ = try WorkerThread.start(name: "relay-out") {
            while true {
                _ = queue.wait(untilNanoseconds: nil) { !$0.isEmpty }
                let pieces = queue.withLock { pieces in
                    defer { pieces.removeAll(keepingCapacity: true) }
                    return pieces
                }
                queue.signal()
                for piece in pieces {
                    Self.sleep(untilNanoseconds: piece.dueNanoseconds)
                    guard !piece.bytes.isEmpty, Self.send(piece.bytes, to) else {
                        shutdown(to, Int32(SHUT_WR))
                        return
                    }
                }
            }
        }
    }

    private static func socket() throws -> Int32 {
        let raw = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard raw >= 0 else { throw BenchFailure("no socket for the relay") }
        return raw
    }

    private static func sendAtOnce(_ socket: Int32) {
        var one: Int32 = 1
        // Sound: the number is read during the call. Without the option it is only slower.
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func sleep(untilNanoseconds due: Int64) {
        let rest = due - MonotonicClock.nanoseconds()
        if rest > 0 { usleep(UInt32(rest / 1_000)) }
    }

    /// False if the other side is gone.
    private static func send(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            // Sound: the kernel reads what is left of the array, which is lent for the call.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    socket, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }
}
