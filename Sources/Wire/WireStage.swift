/// How far the setting up of a connection has come.
package enum WireStage: Sendable, Equatable {
    /// TCP is under way.
    case connecting
    /// TCP is there; the proxy was asked for the tunnel.
    case tunnelling
    /// TLS is under way.
    case handshaking
    /// HTTP/2 speaks.
    case open
}
