internal import LinuxIO

/// Where connections go.
extension PushLoop {
    /// A look-up for an opening has ended.
    func resolved(_ answer: AddressResolver.Answer) {
        let connection = connections[share.place(ofConnection: answer.connection)]
        guard connection.life.isOpening else { return }
        switch answer.result {
        case .success(let found): connection.open(found)
        case .failure(let error):
            let cause = configuration.proxy.map { "the proxy \($0) can't be reached: " } ?? ""
            connection.lost("\(cause)\(error)", isUntrusted: false)
        }
    }

    /// The best of these addresses for a connection; nil if there is none.
    func chooseAddress(
        from candidates: [SocketAddress], for connection: PushConnection
    ) -> SocketAddress? {
        let inUse = connections.compactMap { $0 === connection ? nil : $0.address }
        var random = SystemRandomNumberGenerator()
        return addresses.choose(
            from: candidates, inUse: inUse, nowNanoseconds: nowNanoseconds, using: &random)
    }

    /// No connection could be had at this address, or none that answered: others are better.
    func addressFailed(_ address: SocketAddress) {
        addresses.failed(address, nowNanoseconds: nowNanoseconds)
    }
}
