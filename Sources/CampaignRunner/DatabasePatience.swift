internal import CampaignStore

/// Does something with the database, and does it again after a lost connection or a restart of the
/// server, with growing pauses and an end.
///
/// What is done must be harmless to repeat: recording a batch is, by its id; reading is.
///
/// *Ownership and thread*: a value of the thread that owns the store.
struct DatabasePatience {
    /// A database that is away for longer stops the run, unless it is tuned otherwise.
    static let nanosecondsMax: Int64 = 60_000_000_000
    private static let firstPauseNanoseconds: Int64 = 250_000_000
    private static let pauseNanosecondsMax: Int64 = 1_000_000_000

    private let store: any RunStore
    private let surroundings: any RunSurroundings
    private let nanosecondsMax: Int64

    /// - Parameters:
    ///   - store: what is connected again.
    ///   - surroundings: where it waits.
    ///   - nanosecondsMax: how long after the first failure it tries.
    init(
        store: any RunStore, in surroundings: any RunSurroundings,
        nanosecondsMax: Int64 = Self.nanosecondsMax
    ) {
        self.store = store
        self.surroundings = surroundings
        self.nanosecondsMax = nanosecondsMax
    }

    /// Runs `body` until it succeeds, fails for good, or patience ends.
    ///
    /// - Parameter body: what to do; run again from its beginning.
    /// - Returns: what `body` returns.
    /// - Throws: the last failure of `body`, or of the attempt to connect.
    func perform<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        var pause = Self.firstPauseNanoseconds
        var deadline: Int64?
        while true {
            do throws(StoreError) {
                return try body()
            } catch {
                guard error.isRetryable || error.isConnectionLost else { throw error }
                let now = surroundings.monotonicNanoseconds()
                let end = deadline ?? now + nanosecondsMax
                deadline = end
                guard now + pause < end else { throw error }
                // A stop does not shorten it, because what is known must still be recorded.
                surroundings.sleep(untilNanoseconds: now + pause)
                pause = min(pause * 2, Self.pauseNanosecondsMax)
                if error.isConnectionLost { try reconnect(until: end, pause: &pause) }
            }
        }
    }

    /// Connects, as often as it takes.
    ///
    /// - Parameters:
    ///   - conninfo: the libpq connection string.
    ///   - purpose: what the connection is for.
    ///   - surroundings: the world around the run.
    ///   - nanosecondsMax: how long it tries.
    /// - Returns: the connection.
    /// - Throws: the last failure, when patience ends.
    static func open(
        conninfo: String, purpose: String, in surroundings: any RunSurroundings,
        nanosecondsMax: Int64 = Self.nanosecondsMax
    ) throws(StoreError) -> sending any RunStore {
        let end = surroundings.monotonicNanoseconds() + nanosecondsMax
        var pause = firstPauseNanoseconds
        while true {
            do throws(StoreError) {
                return try surroundings.openStore(conninfo: conninfo, purpose: purpose)
            } catch {
                let now = surroundings.monotonicNanoseconds()
                guard error.isRetryable || error.isConnectionLost, now + pause < end else {
                    throw error
                }
                surroundings.sleep(untilNanoseconds: now + pause)
                pause = min(pause * 2, pauseNanosecondsMax)
            }
        }
    }

    private func reconnect(until end: Int64, pause: inout Int64) throws(StoreError) {
        while true {
            do throws(StoreError) {
                return try store.reconnect()
            } catch {
                let now = surroundings.monotonicNanoseconds()
                guard now + pause < end else { throw error }
                surroundings.sleep(untilNanoseconds: now + pause)
                pause = min(pause * 2, Self.pauseNanosecondsMax)
            }
        }
    }
}
