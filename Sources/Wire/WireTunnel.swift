package import LinuxIO

/// A way to a server through an HTTP proxy: the proxy is asked for a TCP connection to the server,
/// and TLS with the server goes through that, unseen by the proxy.
///
/// *Source:* RFC 9110, section 9.3.6 (CONNECT).
package struct WireTunnel: Sendable {
    /// The server's host name or IP address (IPv6 without brackets), as the proxy is to resolve it.
    package let host: String
    /// The server's port.
    package let port: UInt16
    /// The proxy's name for messages, as in `proxy.example:3128`.
    package let proxy: String

    /// A tunnel; the proxy's address is what the connection is made to.
    ///
    /// - Parameters:
    ///   - host: the server's host name or IP address, IPv6 without brackets.
    ///   - port: the server's port.
    ///   - proxy: the proxy's name for messages.
    package init(host: String, port: UInt16, proxy: String) {
        self.host = host
        self.port = port
        self.proxy = proxy
    }

    /// What is asked of the proxy.
    var request: [UInt8] {
        let target = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n".utf8)
    }

    func fault(_ cause: TunnelFault.Cause) -> TunnelFault {
        TunnelFault(proxy: proxy, cause: cause)
    }
}

/// Why there is no tunnel through a proxy.
package struct TunnelFault: Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Cause: Sendable, Equatable {
        /// There is no TCP connection to the proxy.
        case unreachable(SystemError)
        /// The TCP connection broke before the tunnel was open.
        case broken(SystemError)
        /// The proxy closed the connection instead of answering.
        case closed
        /// The proxy answered with a status that opens no tunnel.
        case refused(status: Int, reason: String)
        /// What came is no answer of HTTP/1.
        case notHTTP
        /// The answer's head did not end within the bound.
        case answerTooLong
    }

    /// The proxy's name.
    package let proxy: String
    /// What went wrong.
    package let cause: Cause

    /// One clause without a full stop.
    package var description: String {
        switch cause {
        case .unreachable(let error): "the proxy \(proxy) can't be reached: \(error)"
        case .broken(let error): "the connection to the proxy \(proxy) broke: \(error)"
        case .closed: "the proxy \(proxy) closed the connection instead of opening the tunnel"
        case .refused(let status, ""): "the proxy \(proxy) refused the tunnel: \(status)"
        case .refused(let status, let reason):
            "the proxy \(proxy) refused the tunnel: \(status) \(reason)"
        case .notHTTP: "the proxy \(proxy) does not answer as an HTTP proxy does"
        case .answerTooLong:
            "the proxy \(proxy) answered with a head of more than "
                + "\(TunnelAnswer.headBytesMax) bytes"
        }
    }
}
