package import HTTP2
package import LinuxIO
package import TLS

/// Why a connection is over, or could not be set up.
package enum WireClosure: Error, Sendable, CustomStringConvertible {
    /// This side closed it, or both had said goodbye (GOAWAY) and nothing was open any more.
    case byUs
    /// The peer ended it, in TLS or only in TCP.
    case endOfFile
    /// TLS failed: a certificate that is not trusted, an alert, garbage.
    case tls(TLSError)
    /// The peer broke HTTP/2.
    case http2(HTTP2Error)
    /// The socket failed: refused, reset, timed out.
    case system(SystemError)
    /// The proxy did not open the tunnel.
    case proxy(TunnelFault)
    /// TLS is fine, but the peer did not choose `h2` by ALPN; nil: it chose nothing.
    case noHTTP2(offered: String?)

    /// One clause without a full stop.
    package var description: String {
        switch self {
        case .byUs: "closed by this side"
        case .endOfFile: "closed by the peer"
        case .tls(let error): error.description
        case .http2(let error): error.description
        case .system(let error): error.description
        case .proxy(let fault): fault.description
        case .noHTTP2(nil): "the peer does not offer HTTP/2 (no protocol agreed by ALPN)"
        case .noHTTP2(let offered?): "the peer does not offer HTTP/2 (it chose \(offered))"
        }
    }
}
