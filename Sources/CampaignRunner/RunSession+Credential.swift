internal import APNSClient
internal import CampaignStore

/// What a run does about its credential and about clocks, off the event loop.
extension RunSession {
    /// Fetches the provider token that all processes of the key share, and compares the clocks.
    func prepareCredential() throws(StoreError) {
        guard let provider = request.endpoint.credential.provider else { return }
        let skew = try ClockSkew(store, in: request.surroundings)
        if let text = skew.warning {
            try store.addEvent(run: run, kind: "clock", text: text)
            observer.runDid(.note(text))
        }
        guard provider.isShared else { return }
        try provider.refresh(
            from: StoreTokenSource(store: store, surroundings: request.surroundings))
    }

    /// The cause with a word about the clocks, if APNs refuses a provider token and they differ.
    func explained(_ cause: StopCause) -> StopCause {
        guard case .credentials(let text) = cause, text.contains("ProviderToken") else {
            return cause
        }
        // Only an explanation: a database that can't be asked now has its say elsewhere.
        guard let warning = try? ClockSkew(store, in: request.surroundings).warning else {
            return cause
        }
        return .credentials("\(text) \(warning)")
    }
}

/// How far this machine's clock and the database's are apart.
struct ClockSkew {
    /// How far ahead this machine is, in microseconds.
    let aheadMicroseconds: Int64

    /// Clocks that are kept by a time server agree within far less; APNs takes tokens whose `iat`
    /// is up to an hour away.
    private static let microsecondsMax: Int64 = 60_000_000

    /// A difference that was measured elsewhere.
    init(aheadMicroseconds: Int64) {
        self.aheadMicroseconds = aheadMicroseconds
    }

    /// Measures it; the time of the question itself is halved.
    init(_ store: any RunStore, in surroundings: any RunSurroundings) throws(StoreError) {
        let before = surroundings.wallMicroseconds()
        let database = try store.clockMicroseconds()
        let middle = before + (surroundings.wallMicroseconds() - before) / 2
        aheadMicroseconds = middle - database
    }

    /// A sentence for the operator; nil if the clocks agree.
    var warning: String? {
        guard abs(aheadMicroseconds) > Self.microsecondsMax else { return nil }
        let seconds = abs(aheadMicroseconds) / 1_000_000
        let direction = aheadMicroseconds > 0 ? "ahead of" : "behind"
        return "This machine's clock is \(seconds) s \(direction) the database's, by which "
            + "provider tokens are dated; APNs refuses tokens that are an hour off. Set both "
            + "clocks right, best by a time server."
    }
}
