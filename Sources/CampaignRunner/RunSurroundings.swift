package import APNSClient
package import CampaignStore
package import LinuxIO

/// Everything outside itself that a run touches: clocks, threads, the database, APNs, chance.
///
/// A run takes all of it from one value, so that a simulation can put a world of its own around the
/// same code. ``SystemSurroundings`` is the real one.
///
/// *Thread*: any.
package protocol RunSurroundings: Sendable {
    // MARK: Time

    /// Time that only moves forward, in nanoseconds.
    func monotonicNanoseconds() -> Int64

    /// The wall clock, in microseconds since 1970 UTC.
    func wallMicroseconds() -> Int64

    /// Where the run's monitors wait; nil: in the kernel.
    var waitPlace: (any WaitPlace)? { get }

    // MARK: Threads

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: shown to operators, at most 15 bytes.
    ///   - body: what it does; whatever it captures moves to the new thread.
    /// - Returns: the running thread, to be joined once.
    /// - Throws: `SystemError` when there is no thread left.
    func startThread(
        name: String, _ body: sending @escaping () -> Void
    ) throws(SystemError) -> any RunThread

    // MARK: The database and APNs

    /// Connects to the database.
    ///
    /// - Parameters:
    ///   - conninfo: the libpq connection string.
    ///   - purpose: what the connection is for.
    /// - Returns: a connection of the caller's own.
    /// - Throws: `StoreError.database` if the server can't be reached.
    func openStore(
        conninfo: String, purpose: String
    ) throws(StoreError) -> sending any RunStore

    /// Starts sending to APNs.
    ///
    /// - Parameters:
    ///   - configuration: where and how.
    ///   - delegates: one for each loop, told about every end there, on the loop's thread; kept
    ///     until it has ended.
    /// - Returns: the running client.
    /// - Throws: `SystemError` if the kernel gives no thread or descriptor.
    func startClient(
        configuration: PushClientConfiguration, delegates: sending [any PushLoopDelegate]
    ) throws(SystemError) -> any RunClient

    // MARK: The process

    /// This process, as the database is to know it.
    ///
    /// - Parameter version: the program's version.
    /// - Returns: host, process id and its start.
    func workerFacts(version: String) -> WorkerFacts

    /// Whether a process of this machine runs.
    ///
    /// - Parameters:
    ///   - processID: its id.
    ///   - startedAtTicks: its start, in clock ticks since boot.
    /// - Returns: whether it does.
    func isAlive(processID: Int32, startedAtTicks: UInt64) -> Bool

    /// Names this boot of this machine; empty if there is no name.
    var bootID: String { get }

    /// Keeps what a worker could not record, until it can be.
    ///
    /// - Parameters:
    ///   - unrecorded: the batches, in the order in which they are to be recorded.
    ///   - run: the run, with the worker's id.
    /// - Returns: where they are, for people.
    /// - Throws: `SystemError` if they can't be kept.
    func keep(unrecorded: [RecordBatch], of run: Run) throws(SystemError) -> String

    /// 64 bits of chance.
    func randomBits() -> UInt64
}

/// A thread that ``RunSurroundings`` started.
package protocol RunThread: Sendable {
    /// Waits until the thread's body has returned; any other thread, once.
    func join()
}

/// What a run asks of a push client; see `PushClient` for the order of calls and the promises.
package protocol RunClient: Sendable {
    /// Hands batches over; never blocks. The caller bounds what is outstanding.
    func submit(_ batches: [PushBatch])
    /// There may be another provider token.
    func wake()
    /// No more batches will come: the client ends when everything it has has ended.
    func finish()
    /// No more batches will come and nothing more goes on the wire; open requests are waited for
    /// so long.
    func stop(drainNanoseconds: Int64)
    /// Waits until the client has ended.
    func join()
}

extension WorkerThread: RunThread {}
extension PushClient: RunClient {}

extension RunSurroundings {
    /// State behind a lock, whose waits take place in these surroundings.
    func monitor<State>(_ state: sending State) -> Monitor<State> {
        Monitor(state, waitingIn: waitPlace)
    }

    /// Waits until a moment; nothing cuts it short.
    func sleep(untilNanoseconds moment: Int64) {
        _ = monitor(false).wait(untilNanoseconds: moment) { $0 }
    }
}

/// The chance of ``RunSurroundings``, for the standard library's functions.
struct SurroundingChance: RandomNumberGenerator {
    let surroundings: any RunSurroundings

    mutating func next() -> UInt64 { surroundings.randomBits() }
}
