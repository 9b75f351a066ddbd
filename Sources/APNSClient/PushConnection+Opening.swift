internal import APNSProtocol
internal import HTTP2
internal import LinuxIO
internal import SendPolicy
internal import Wire

/// From a look-up's addresses to TLS.
extension PushConnection {
    /// Starts TCP and TLS to the best of the host's addresses, or of the proxy's.
    func open(_ addresses: [SocketAddress]) {
        untried = addresses
        connect(otherwise: "\(loop.configuration.host) has no address")
    }

    /// Goes on to the best address that is left. TCP that fails at one address has cost little or
    /// nothing yet, so this is the same opening still, under the same deadline.
    private func connect(otherwise failure: String) {
        var failure = failure
        while let address = loop.chooseAddress(from: untried, for: self) {
            untried.removeAll { $0 == address }
            do {
                begin(try newWire(to: address), to: address)
                return
            } catch {
                loop.addressFailed(address)
                failure = "\(error)"
            }
        }
        lost(failure, isUntrusted: false)
    }

    private func newWire(to address: SocketAddress) throws(WireClosure) -> WireClient {
        let configuration = loop.configuration
        var options = HTTP2ClientOptions()
        options.headerEncoder = configuration.headerEncoder == .own ? .own : .nghttp2
        return try WireClient(
            poller: loop.poller, address: address,
            through: configuration.proxy.map {
                WireTunnel(
                    host: configuration.host, port: configuration.port, proxy: $0.description)
            },
            context: configuration.tls, serverName: configuration.host,
            options: options, handler: self)
    }

    /// TCP has had its time at this address.
    func leaveAddress() {
        guard let wire, let address else { return }
        let seconds = loop.configuration.limits.connectingNanoseconds / 1_000_000_000
        wire.abort(
            .system(
                SystemError(
                    "connect to", address.description, explanation: "no answer within \(seconds) s")
            ))
    }

    /// Whether TCP failed at one address of an opening that is still on, and another one is tried
    /// or the opening has ended for want of one.
    func goesOnElsewhere(after closure: WireClosure) -> Bool {
        guard life.isOpening, let wire, wire.stage == .connecting, let address else { return false }
        // Ended by ourselves: the opening's deadline has passed.
        if case .byUs = closure { return false }
        loop.addressFailed(address)
        if !untried.isEmpty {
            loop.note(.attemptFailed, self, "\(closure); another address is tried")
        }
        connect(otherwise: closure.description)
        return true
    }

    /// The stream window of a connection that was just made.
    static func freshWindow(_ configuration: PushClientConfiguration) -> StreamWindow {
        StreamWindow(
            ownMax: configuration.maxInFlight,
            tokenAuthenticated: configuration.credential != nil)
    }

    /// What an opening that takes too long is waiting for.
    var openingStage: String {
        guard life.isOpening else { return "" }
        let proxy = loop.configuration.proxy
        guard let wire, let address else {
            return ": the name \(proxy?.host ?? loop.configuration.host) was not resolved"
        }
        let server = proxy.map { "the proxy \($0)" } ?? address.description
        return switch wire.stage {
        case .connecting: ": \(server) does not answer"
        case .tunnelling: ": \(server) did not open the tunnel"
        case .handshaking, .open: ": \(loop.configuration.host) is silent in TLS"
        }
    }
}
