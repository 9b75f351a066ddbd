package import APNSProtocol
package import LinuxIO
package import SendPolicy
package import TLS

/// Finds a host's addresses; called anew for each opening, on a thread that may block.
package typealias AddressLookUp =
    @Sendable (_ host: String, _ port: UInt16) throws(SystemError) -> [SocketAddress]

/// An HTTP proxy that is asked for a tunnel (CONNECT) before TLS begins. It sees where the
/// connection goes and how much passes, nothing else.
package struct PushProxy: Sendable, Equatable, CustomStringConvertible {
    /// A host name, or an IP address (IPv6 without brackets).
    package let host: String
    /// The port.
    package let port: UInt16

    /// A proxy.
    ///
    /// - Parameters:
    ///   - host: a host name, or an IP address (IPv6 without brackets).
    ///   - port: the port.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The name in messages: `proxy.example:3128`.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Everything a loop needs to know to send one phase of one run.
package struct PushClientConfiguration: Sendable {
    /// The host to connect to, which its certificate must name.
    package var host: String
    /// Its port.
    package var port: UInt16
    /// The proxy to go through; nil: straight to the host.
    package var proxy: PushProxy?
    /// Finds the addresses of the host, or of the proxy if there is one.
    package var lookUp: AddressLookUp = { (host, port) throws(SystemError) in
        try SocketAddress.resolve(host: host, port: port)
    }
    /// The TLS settings, shared by all connections.
    package var tls: TLSContext
    /// The provider token's source; nil only if the server wants none.
    package var credential: ProviderCredential?
    /// The headers that are the same for every request of the phase.
    package var head: RequestHead

    /// Who encodes the header blocks of requests.
    package var headerEncoder = HeaderEncoder.own
    /// Connections to open, 1 to 64.
    package var connections = 4
    /// Event loops to divide the connections among; at most as many as there are connections.
    package var loops = 1
    /// Requests per second of each connection.
    package var rate: Rate = .unlimited
    /// What a bucket may hold, in requests.
    package var burst = 100
    /// Until when, and how many a second over all connections of the process, on top of each one's
    /// rate; nil: no such limits. Shared with whoever changes it while the client runs.
    package var permit: SendPermit?
    /// Requests in flight per connection at most, whatever the peer allows.
    package var maxInFlight = 500
    /// No answer for so long: the request is given up and its outcome is unknown.
    package var requestTimeoutNanoseconds: Int64 = 30_000_000_000
    /// The bounds of each connection's waits.
    package var limits = ConnectionLimits()
    /// How connections are opened until the first one has proved itself: a wrong host, port or
    /// certificate is to be seen within seconds.
    package var firstPace = ConnectPace(
        pauseNanoseconds: 500_000_000, spacingNanoseconds: 250_000_000, failuresMax: 4)
    /// How they are opened after that: a network that worked may come back.
    package var steadyPace = ConnectPace(spacingNanoseconds: 250_000_000, failuresMax: 8)

    /// A configuration with the defaults above.
    package init(
        host: String, port: UInt16, tls: TLSContext, credential: ProviderCredential?,
        head: RequestHead
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.credential = credential
        self.head = head
    }
}
