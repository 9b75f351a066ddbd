internal import APNSClient
internal import CampaignStore
internal import LinuxIO

/// Keeps a phase's shared provider token up to date, so that the loop never waits for a database:
/// looks every minute whether another is due, and has a refused one replaced at once.
///
/// *Ownership and thread*: made and stopped by the run's thread; works on one of its own, with a
/// database connection that it opens when it first needs one.
final class TokenTender: Sendable {
    private let isOver: Monitor<Bool>
    private let credential: ProviderCredential
    private let thread: any RunThread

    /// How often the token is looked at. It is renewed at 45 minutes and good for 60.
    private static let lookNanoseconds: Int64 = 60_000_000_000
    /// The pause after a failure.
    private static let pauseNanoseconds: Int64 = 1_000_000_000

    /// Starts tending.
    ///
    /// - Parameters:
    ///   - credential: whose token.
    ///   - database: the libpq connection string.
    ///   - client: the loop to wake when there is a token.
    ///   - stop: tripped when a refused token can't be replaced because of the database.
    ///   - surroundings: the world around the run.
    /// - Throws: `SystemError` if no thread can be made.
    init(
        _ credential: ProviderCredential, database: String, client: any RunClient,
        stop: StopSwitch, in surroundings: any RunSurroundings
    ) throws(SystemError) {
        self.credential = credential
        let isOver = surroundings.monitor(false)
        self.isOver = isOver
        thread = try surroundings.startThread(name: "sortie-token") {
            Self.tend(credential, database, client, stop, isOver, surroundings)
        }
    }

    /// Ends the tending and waits for its thread.
    func finish() {
        isOver.withLock { $0 = true }
        isOver.signal()
        credential.wakeWaiters()
        thread.join()
    }

    private static func tend(
        _ credential: ProviderCredential, _ database: String, _ client: any RunClient,
        _ stop: StopSwitch, _ isOver: Monitor<Bool>, _ surroundings: any RunSurroundings
    ) {
        var store: (any RunStore)?
        var failingSinceNanoseconds: Int64?
        var next = surroundings.monotonicNanoseconds() + lookNanoseconds
        while true {
            let isRefused = credential.waitForRefusal(untilNanoseconds: next) {
                isOver.withLock { $0 }
            }
            if isOver.withLock({ $0 }) { return }
            let now = surroundings.monotonicNanoseconds()
            do throws(StoreError) {
                let asked: any RunStore
                if let store {
                    asked = store
                } else {
                    asked = try surroundings.openStore(conninfo: database, purpose: "token")
                }
                store = asked
                try credential.refresh(
                    from: StoreTokenSource(store: asked, surroundings: surroundings))
                client.wake()
                failingSinceNanoseconds = nil
                next = now + lookNanoseconds
            } catch {
                // The token in use stays good for a while; only a refused one is urgent.
                store = nil
                let since = failingSinceNanoseconds ?? now
                failingSinceNanoseconds = since
                if isRefused, now - since >= DatabasePatience.nanosecondsMax {
                    stop.trip(StopCause(error))
                    return
                }
                next = now + pauseNanoseconds
                _ = isOver.wait(untilNanoseconds: next) { $0 }
            }
        }
    }
}
