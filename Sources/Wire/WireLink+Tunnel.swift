internal import LinuxIO
internal import TLS

/// From TCP to TLS, through a proxy if there is one.
extension WireLink {
    /// A tunnel that is being asked for.
    struct Opening {
        let tunnel: WireTunnel
        /// What the socket has not taken yet of the request.
        var unsent: ArraySlice<UInt8>
        var answer = TunnelAnswer()

        init(_ tunnel: WireTunnel) {
            self.tunnel = tunnel
            unsent = tunnel.request[...]
        }
    }

    /// TCP is there, or failed.
    func finishConnecting(to address: SocketAddress) {
        if let error = StreamSocket.connectError(of: raw, to: address) {
            return end(.system(error))
        }
        guard opening == nil else {
            state = .tunnelling
            return tunnelTurn()
        }
        startTLS(after: [])
    }

    /// Asks for the tunnel, and hears the answer, as far as the socket allows.
    func tunnelTurn() {
        sendRequest()
        while state == .tunnelling {
            // Sound: the buffer lives as long as self.
            switch unsafe StreamSocket.read(raw, into: inputBuffer) {
            case .bytes(let count): hear(count)
            case .wouldBlock: return
            case .endOfFile: endTunnel(.closed)
            case .failed(let error): endTunnel(.broken(error))
            }
        }
    }

    private func sendRequest() {
        while let unsent = opening?.unsent, !unsent.isEmpty {
            // Sound: the bytes are lent for the call.
            let result = unsafe unsent.withUnsafeBytes { unsafe StreamSocket.write(raw, from: $0) }
            switch result {
            case .bytes(let count): opening?.unsent.removeFirst(count)
            case .wouldBlock, .endOfFile: return watch(writable: true)
            // It may have refused and closed before it read all: the answer is still to be heard.
            case .failed: opening?.unsent = []
            }
        }
        watch(writable: false)
    }

    private func hear(_ count: Int) {
        // Sound: `count` bytes were just written into the buffer, and are copied.
        let progress = unsafe opening?.answer.take(
            UnsafeRawBufferPointer(rebasing: inputBuffer[..<count]))
        switch progress {
        case .unfinished, nil: break
        case .failed(let cause): endTunnel(cause)
        case .opened(let rest):
            opening = nil
            startTLS(after: rest)
        }
    }

    private func endTunnel(_ cause: TunnelFault.Cause) {
        guard let tunnel = opening?.tunnel else { return }
        end(.proxy(tunnel.fault(cause)))
    }

    /// Begins TLS with the server.
    ///
    /// - Parameter received: what came through the tunnel together with the proxy's answer.
    private func startTLS(after received: [UInt8]) {
        state = .handshaking
        if !received.isEmpty {
            // Sound: TLS copies what it is given.
            unsafe received.withUnsafeBytes { unsafe tls.receive($0) }
        }
        advanceHandshake()
        flush()
    }
}
