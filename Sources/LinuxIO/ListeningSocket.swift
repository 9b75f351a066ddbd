internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
package struct ListeningSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// Where it listens, with the port that the system chose if none was given.
    package let address: SocketAddress

    /// The port it listens on.
    package var port: UInt16 { address.port }

    /// The descriptor, for the poller: readable when `accept` has something.
    package var raw: Int32 { descriptor.raw }

    /// Connections that may wait for `accept`; the kernel cuts it to its own limit.
    private static let backlog: Int32 = 1_024

    /// Starts listening. A port that was left a moment ago may be taken again (SO_REUSEADDR).
    ///
    /// - Parameters:
    ///   - host: an address of this machine, or a name of one; the first address counts.
    ///   - port: the port; 0 lets the system choose a free one.
    /// - Throws: `SystemError` such as "listen on 127.0.0.1:443: Address already in use".
    ///
    /// *C:* `bind`, `listen`, `getsockname`.
    package init(host: String, port: UInt16) throws(SystemError) {
        guard let wanted = try SocketAddress.resolve(host: host, port: port).first else {
            throw SystemError("resolve", host, explanation: "no such host")
        }
        let descriptor = try StreamSocket.open(isIPv6: wanted.isIPv6)
        try StreamSocket.setOption(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, 1)
        // Accepted sockets inherit it.
        try StreamSocket.setOption(descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        // Sound: the address is lent for the call and the kernel copies it.
        let isBound = unsafe wanted.withSockaddr { pointer, length in
            unsafe bind(descriptor.raw, pointer, length) == 0
        }
        if !isBound || listen(descriptor.raw, Self.backlog) != 0 {
            throw SystemError("listen on", wanted.description, code: errno)
        }
        address = try Self.localAddress(of: descriptor.raw) ?? wanted
        self.descriptor = descriptor
    }

    /// Takes the next connection that waits.
    ///
    /// - Returns: a connected, non-blocking socket; nil when none waits now.
    /// - Throws: `SystemError` when the process has no descriptor left.
    ///
    /// *C:* `accept4`.
    package func accept() throws(SystemError) -> OwnedDescriptor? {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        while true {
            // The peer's address is not asked for.
            let raw = accept4(descriptor.raw, nil, nil, flags)
            if raw >= 0 { return OwnedDescriptor(owning: raw) }
            switch errno {
            // The peer went away while it waited: the next one may still be there.
            case EINTR, ECONNABORTED, EPROTO: continue
            case EAGAIN: return nil
            case let code: throw SystemError("accept on", address.description, code: code)
            }
        }
    }

    private static func localAddress(
        of descriptor: Int32
    ) throws(SystemError) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // Sound: the storage has room for every kind of address; the pointer is used here only.
        return try unsafe withUnsafeMutablePointer(to: &storage) { pointer throws(SystemError) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(SystemError) in
                try systemCall("read", "a socket's address") {
                    unsafe getsockname(descriptor, address, &length)
                }
                return unsafe SocketAddress(address, port: nil)
            }
        }
    }
}
