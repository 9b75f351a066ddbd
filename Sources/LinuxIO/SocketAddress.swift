internal import CLinux
internal import Glibc

/// Where a TCP connection goes: an IPv4 or IPv6 address and a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The 4 or 16 bytes of the address, in network order.
    private let bytes: [UInt8]

    /// The interface of a link-local IPv6 address; 0 for all others.
    private let scope: UInt32

    /// The TCP port, 1...65535; 0 lets the system choose one when listening.
    package let port: UInt16

    /// Whether it is an IPv6 address.
    package var isIPv6: Bool { bytes.count == 16 }

    /// The address as people write it, without port: `127.0.0.1`, `::1`.
    package var host: String {
        // The longest text is 46 bytes with its NUL: INET6_ADDRSTRLEN of <netinet/in.h>.
        // Sound: inet_ntop reads the 4 or 16 bytes and writes at most text.count bytes.
        unsafe String(unsafeUninitializedCapacity: 46) { text in
            let family = isIPv6 ? AF_INET6 : AF_INET
            return unsafe text.withMemoryRebound(to: CChar.self) { characters in
                _ = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe inet_ntop(
                        family, bytes.baseAddress, characters.baseAddress,
                        socklen_t(characters.count))
                }
                return unsafe characters.baseAddress.map { unsafe strlen($0) } ?? 0
            }
        }
    }

    /// The address with its port: `127.0.0.1:443`, `[::1]:443`.
    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Looks a host up, anew each time: an answer of an hour ago may be out of service.
    ///
    /// *Ownership and thread*: any thread that may block, for several seconds at worst.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in either notation (IPv6 without brackets).
    ///   - port: the port that the addresses shall carry.
    /// - Returns: at least one address, in the order in which the system would try them.
    /// - Throws: `SystemError` "resolve NAME: no such host", or what else went wrong.
    ///
    /// *C:* `getaddrinfo`.
    package static func resolve(
        host: String, port: UInt16
    ) throws(SystemError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // Sound: the list is written on success only, and freed below after it was copied.
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        let errnoThen = errno
        guard code == 0 else { throw failure(code, errnoThen, host: host) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            // Sound: getaddrinfo links valid entries and ends the list with NULL.
            if let address = unsafe SocketAddress(entry.pointee.ai_addr, port: port) {
                if !addresses.contains(address) { addresses.append(address) }
            }
            unsafe next = unsafe entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw failure(EAI_NONAME, 0, host: host) }
        return addresses
    }

    private static func failure(_ code: Int32, _ errno: Int32, host: String) -> SystemError {
        switch code {
        case EAI_NONAME, shim_EAI_NODATA:
            SystemError("resolve", host, explanation: "no such host")
        case EAI_AGAIN:
            SystemError(
                "resolve", host, explanation: "the name server does not answer; try again later")
        case EAI_SYSTEM:
            SystemError("resolve", host, code: errno)
        default:
            // Sound: gai_strerror answers a string constant of the C library.
            SystemError("resolve", host, explanation: unsafe String(cString: gai_strerror(code)))
        }
    }
}

// MARK: - The C form

extension SocketAddress {
    /// Reads a C address; nil if it is neither IPv4 nor IPv6.
    ///
    /// - Parameters:
    ///   - pointer: an address of the length that its family has.
    ///   - port: instead of the port in it, unless nil.
    @unsafe
    init?(_ pointer: UnsafePointer<sockaddr>?, port: UInt16?) {
        guard let pointer = unsafe pointer else { return nil }
        // Sound: the family says which structure the bytes are; they are copied out unaligned.
        let raw = unsafe UnsafeRawPointer(pointer)
        switch Int32(unsafe pointer.pointee.sa_family) {
        case AF_INET:
            let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            bytes = unsafe withUnsafeBytes(of: address.sin_addr) { unsafe Array($0) }
            self.port = port ?? UInt16(bigEndian: address.sin_port)
            scope = 0
        case AF_INET6:
            let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            bytes = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
            self.port = port ?? UInt16(bigEndian: address.sin6_port)
            scope = address.sin6_scope_id
        default:
            return nil
        }
    }

    /// Lends the address in the form that C wants.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            // Sound: both are 16 bytes.
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
                unsafe $0.copyBytes(from: bytes)
            }
            return unsafe Self.lend(&address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        // Sound: both are 4 bytes.
        unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
        return unsafe Self.lend(&address, body)
    }

    private static func lend<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let length = socklen_t(MemoryLayout<Address>.size)
        // Sound: every C address begins as a sockaddr does; the pointer is lent for the call.
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, length)
            }
        }
    }
}
