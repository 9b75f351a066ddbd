import Glibc
import LinuxIO

/// An address of this machine that drops what is sent to it: a socket that listens, takes nobody,
/// and whose queue is full. The kernel drops further attempts without a word, as a firewall does.
final class BlackHole {
    let address: SocketAddress
    private var descriptors: [OwnedDescriptor] = []

    private final class OwnedDescriptor {
        let raw: Int32
        init(_ raw: Int32) { self.raw = raw }
        deinit { close(raw) }
    }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        descriptors.append(OwnedDescriptor(listener))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw SystemError("listen on", "127.0.0.1", code: errno) }
        let port = UInt16(bigEndian: name.sin_port)
        guard let address = try SocketAddress.resolve(host: "127.0.0.1", port: port).first else {
            throw SystemError("resolve", "127.0.0.1", explanation: "no such host")
        }
        self.address = address
        // A queue of length 0 holds one connection; the second attempt only proves it.
        try fill()
        try fill()
    }

    private func fill() throws {
        let raw = try StreamSocket.connect(to: address).release()
        descriptors.append(OwnedDescriptor(raw))
        // On loopback the handshake is over when connect returns, if it is at all.
    }
}
