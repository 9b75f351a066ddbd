internal import CLinux
internal import Glibc

/// What became of one read or write on a non-blocking socket.
package enum IOResult: Sendable {
    /// So many bytes went through, at least one.
    case bytes(Int)
    /// Nothing now; the poller tells when to try again.
    case wouldBlock
    /// The peer has ended its side; a read only.
    case endOfFile
    /// The connection is broken.
    case failed(SystemError)
}

/// The calls on a connected TCP socket.
///
/// All work on a raw descriptor that the caller owns. Reading and writing neither allocate nor copy
/// unless they fail.
package enum StreamSocket {
    /// How long sent bytes may stay unacknowledged before the kernel gives the connection up:
    /// without it a vanished peer is noticed after a quarter of an hour, with it within half a
    /// minute.
    package static let userTimeoutMilliseconds: Int32 = 30_000

    /// Starts a connection; does not wait for it.
    ///
    /// When the poller says that the socket is writable or failed, `connectError` tells whether it
    /// was made. Small writes leave at once (TCP_NODELAY): the callers gather their bytes.
    ///
    /// - Parameters:
    ///   - address: where to connect to.
    ///   - userTimeoutMilliseconds: the limit on unacknowledged bytes; 0 leaves it to the system.
    /// - Returns: a non-blocking socket whose connection is on its way.
    /// - Throws: `SystemError` when the attempt fails at once.
    ///
    /// *C:* `socket`, `connect`; `tcp(7)` for TCP_USER_TIMEOUT.
    package static func connect(
        to address: SocketAddress,
        userTimeoutMilliseconds: Int32 = StreamSocket.userTimeoutMilliseconds
    ) throws(SystemError) -> OwnedDescriptor {
        let descriptor = try open(isIPv6: address.isIPv6)
        try setOption(descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try setOption(
            descriptor.raw, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeoutMilliseconds)
        // Sound: the address is lent for the call and the kernel copies it.
        let answer = unsafe address.withSockaddr { pointer, length in
            unsafe Glibc.connect(descriptor.raw, pointer, length)
        }
        // An interrupted connect goes on in the kernel like one that would block: connect(2).
        if answer == -1 && errno != EINPROGRESS && errno != EINTR {
            throw SystemError("connect to", address.description, code: errno)
        }
        return descriptor
    }

    /// Tells how a connection that was on its way came out.
    ///
    /// - Parameters:
    ///   - descriptor: a socket from `connect` that the poller reported.
    ///   - address: where it was to go, for the error's text.
    /// - Returns: nil when it is connected.
    ///
    /// *C:* `getsockopt` SO_ERROR.
    package static func connectError(
        of descriptor: Int32, to address: SocketAddress
    ) -> SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // Sound: an int of the length given, written during the call.
        let answer = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        if answer == -1 { code = errno }
        return code == 0 ? nil : SystemError("connect to", address.description, code: code)
    }

    /// Reads what has arrived.
    ///
    /// - Parameters:
    ///   - descriptor: a connected, non-blocking socket.
    ///   - buffer: where to put the bytes; not empty.
    /// - Returns: how many bytes arrived, or why none did.
    ///
    /// *C:* `recv`.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) -> IOResult {
        while true {
            // Sound: the kernel writes at most buffer.count bytes.
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfFile }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case let code: return .failed(SystemError("read from", "the connection", code: code))
            }
        }
    }

    /// Writes as much as the socket takes.
    ///
    /// - Parameters:
    ///   - descriptor: a connected, non-blocking socket.
    ///   - buffer: the bytes to send; not empty.
    /// - Returns: how many bytes the kernel took, or why none; never `endOfFile`.
    ///
    /// *C:* `send` with MSG_NOSIGNAL.
    package static func write(
        _ descriptor: Int32, from buffer: UnsafeRawBufferPointer
    ) -> IOResult {
        let flags = Int32(MSG_NOSIGNAL)
        while true {
            // Sound: the kernel reads at most buffer.count bytes.
            let count = unsafe send(descriptor, buffer.baseAddress, buffer.count, flags)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case let code: return .failed(SystemError("write to", "the connection", code: code))
            }
        }
    }

    /// Tells the peer that nothing more will be sent; reading goes on.
    ///
    /// - Parameter descriptor: a connected socket; one that is broken already is left alone.
    ///
    /// *C:* `shutdown` SHUT_WR.
    package static func shutdownWriting(_ descriptor: Int32) {
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes a non-blocking TCP socket that children do not inherit.
    static func open(isIPv6: Bool) throws(SystemError) -> OwnedDescriptor {
        let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let raw = try systemCall("open", "a socket") {
            socket(isIPv6 ? AF_INET6 : AF_INET, Int32(flags), 0)
        }
        return OwnedDescriptor(owning: raw)
    }

    /// Sets an option whose value is an int.
    static func setOption(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        let length = socklen_t(MemoryLayout<Int32>.size)
        // Sound: an int of the length given, read during the call.
        try systemCall("set", "socket option \(option)") {
            unsafe setsockopt(descriptor, level, option, &value, length)
        }
    }
}
