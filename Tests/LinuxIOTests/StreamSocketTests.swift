import Glibc
import LinuxIO
import Testing

@Suite struct StreamSocketTests {
    @Test(arguments: ["127.0.0.1", "::1"]) func bytesTravelBothWays(host: String) throws {
        let pair = try ConnectedPair(host: host)
        #expect(pair.write(pair.client, 5) == "5 bytes")
        #expect(try pair.readWhenReady(pair.server) == "5 bytes")
        #expect(pair.write(pair.server, 7) == "7 bytes")
        #expect(try pair.readWhenReady(pair.client) == "7 bytes")
        #expect(pair.read(pair.client) == "would block")
    }

    @Test func refusedConnectionNamesTheAddress() throws {
        // A port that was free a moment ago.
        let port = try ListeningSocket(host: "127.0.0.1", port: 0).port
        let address = try #require(try SocketAddress.resolve(host: "127.0.0.1", port: port).first)
        let descriptor = try StreamSocket.connect(to: address)
        try Ready.wait(descriptor.raw, writable: true)
        let error = try #require(StreamSocket.connectError(of: descriptor.raw, to: address))
        #expect(error.description == "connect to 127.0.0.1:\(port): Connection refused")
        #expect(error.code == ECONNREFUSED)
    }

    @Test func fullSocketWouldBlockUntilThePeerReads() throws {
        let pair = try ConnectedPair(host: "127.0.0.1")
        var sent = 0
        while case .bytes(let count) = pair.attempt(pair.client, 65_536) { sent += count }
        #expect(pair.write(pair.client, 1) == "would block")
        var received = 0
        while received < sent {
            guard case .bytes(let count) = pair.take(pair.server) else {
                try Ready.wait(pair.server, readable: true)
                continue
            }
            received += count
        }
        try Ready.wait(pair.client, writable: true)
        #expect(pair.write(pair.client, 1) == "1 bytes")
        #expect(received == sent)
    }

    @Test func endOfThePeersSideIsToldOnceEverythingIsRead() throws {
        let pair = try ConnectedPair(host: "127.0.0.1")
        #expect(pair.write(pair.server, 3) == "3 bytes")
        StreamSocket.shutdownWriting(pair.server)
        #expect(try pair.readWhenReady(pair.client) == "3 bytes")
        #expect(try pair.readWhenReady(pair.client) == "end")
        #expect(pair.write(pair.client, 2) == "2 bytes")
    }

    @Test func resetIsAFailure() throws {
        let pair = try ConnectedPair(host: "127.0.0.1")
        #expect(pair.write(pair.client, 3) == "3 bytes")
        try Ready.wait(pair.server, readable: true)
        // Closing with unread bytes resets the connection.
        pair.closeServer()
        let text = try pair.readWhenReady(pair.client)
        #expect(text == "read from the connection: Connection reset by peer")
        // And writing on is an error, not a signal that ends the program.
        #expect(pair.write(pair.client, 3) == "write to the connection: Broken pipe")
    }

    @Test func socketsAreNotInheritedNorBlocking() throws {
        let pair = try ConnectedPair(host: "127.0.0.1")
        for descriptor in [pair.client, pair.server] {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    @Test func listeningTwiceOnAPortIsRefused() throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        let port = socket.port
        let error = try #require(throws: SystemError.self) {
            _ = try ListeningSocket(host: "127.0.0.1", port: port)
        }
        #expect(error.description == "listen on 127.0.0.1:\(port): Address already in use")
        #expect(socket.address.port == port)
    }

    @Test func nobodyWaitsOnAFreshSocket() throws {
        let socket = try ListeningSocket(host: "::1", port: 0)
        let connection = try socket.accept()?.release()
        #expect(connection == nil)
        #expect(socket.address.description == "[::1]:\(socket.port)")
    }
}

/// Waits for one descriptor.
enum Ready {
    static func wait(_ descriptor: Int32, readable: Bool = false, writable: Bool = false) throws {
        let poller = try Poller()
        try poller.add(
            descriptor, readable: readable, writable: writable, handler: Recorder())
        try #require(poller.wait(untilNanoseconds: PollerTests.deadline) == 1)
        poller.remove(descriptor)
    }
}

/// Two ends of a TCP connection, and words for what happened on them.
final class ConnectedPair {
    let client: Int32
    let server: Int32
    private var isServerOpen = true
    private var buffer = [UInt8](repeating: 7, count: 65_536)

    init(host: String) throws {
        let listener = try ListeningSocket(host: host, port: 0)
        let client = try StreamSocket.connect(to: listener.address)
        try Ready.wait(listener.raw, readable: true)
        server = try #require(try listener.accept()?.release())
        try Ready.wait(client.raw, writable: true)
        #expect(StreamSocket.connectError(of: client.raw, to: listener.address) == nil)
        self.client = client.release()
    }

    deinit {
        close(client)
        closeServer()
    }

    func closeServer() {
        if isServerOpen { close(server) }
        isServerOpen = false
    }

    func attempt(_ descriptor: Int32, _ count: Int) -> IOResult {
        buffer.withUnsafeBytes { bytes in
            StreamSocket.write(descriptor, from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    func take(_ descriptor: Int32) -> IOResult {
        buffer.withUnsafeMutableBytes { StreamSocket.read(descriptor, into: $0) }
    }

    func write(_ descriptor: Int32, _ count: Int) -> String { words(attempt(descriptor, count)) }

    func read(_ descriptor: Int32) -> String { words(take(descriptor)) }

    func readWhenReady(_ descriptor: Int32) throws -> String {
        try Ready.wait(descriptor, readable: true)
        return read(descriptor)
    }

    private func words(_ result: IOResult) -> String {
        switch result {
        case .bytes(let count): "\(count) bytes"
        case .wouldBlock: "would block"
        case .endOfFile: "end"
        case .failed(let error): error.description
        }
    }
}
