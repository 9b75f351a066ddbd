package import LinuxIO

/// Sends batches of pushes to APNs from threads of its own: one event loop each.
///
/// *Order of calls*: make one, ``submit(_:)`` any number of batches, then ``finish()`` or
/// ``stop(drainNanoseconds:)``, after which no batch may come, then ``join()``. Each entry of each
/// batch ends exactly once at one of the delegates, whatever happens.
///
/// The loops divide the connections among them and take batches from one queue, a whole batch at a
/// time, so all entries of a batch end at the same delegate. They share the provider token and the
/// permit. When one of them fails the others go on: its delegate decides what that means.
///
/// *Thread*: any; each delegate is called on its loop's thread only.
package final class PushClient: Sendable {
    private struct Loop: Sendable {
        let mailbox: PushMailbox
        let thread: WorkerThread
    }

    private let queue: PushQueue
    private let loops: [Loop]

    /// How many loops suit a machine: one up to two cores, where a second one would only take the
    /// place of the threads that read and record; then half of the cores, but never more than there
    /// are connections, nor than eight, which are enough for a million requests per second.
    ///
    /// - Parameters:
    ///   - cores: processors that the process may use.
    ///   - connections: connections to open.
    /// - Returns: 1 to 8.
    package static func suitableLoops(cores: Int, connections: Int) -> Int {
        cores <= 2 ? 1 : max(1, min(cores / 2, connections, 8))
    }

    /// Starts one loop; connections open when the first batch is there.
    ///
    /// - Parameters:
    ///   - configuration: where and how to send.
    ///   - delegate: told about every end; kept until the loop is over.
    /// - Throws: ``SystemError`` if the kernel gives no epoll descriptor or thread.
    package convenience init(
        configuration: PushClientConfiguration, delegate: sending any PushLoopDelegate
    ) throws(SystemError) {
        try self.init(
            configuration: configuration, loops: [LoopDelegate(delegate: delegate)])
    }

    /// Starts a loop for each delegate; connections open when the first batch is there.
    ///
    /// - Parameters:
    ///   - configuration: where and how to send; with at least one connection for each loop.
    ///   - delegates: one for each loop, told about what happens there; kept until it is over.
    /// - Throws: ``SystemError`` if the kernel gives no epoll descriptor or thread.
    package convenience init(
        configuration: PushClientConfiguration, delegates: sending [any PushLoopDelegate]
    ) throws(SystemError) {
        try self.init(
            configuration: configuration, loops: delegates.map { LoopDelegate(delegate: $0) })
    }

    private init(
        configuration: PushClientConfiguration, loops delegates: [LoopDelegate]
    ) throws(SystemError) {
        precondition(
            !delegates.isEmpty && delegates.count <= configuration.connections,
            "each loop needs a connection")
        let queue = PushQueue(loops: delegates.count)
        var loops: [Loop] = []
        for (index, delegate) in delegates.enumerated() {
            let share = LoopShare(index: index, count: delegates.count)
            do throws(SystemError) {
                loops.append(
                    try Self.start(share.part(of: configuration), share, queue, delegate))
            } catch {
                for loop in loops { loop.mailbox.stop(drainNanoseconds: 0) }
                throw error
            }
        }
        self.queue = queue
        self.loops = loops
    }

    private static func start(
        _ configuration: PushClientConfiguration, _ share: LoopShare, _ queue: PushQueue,
        _ delegate: LoopDelegate
    ) throws(SystemError) -> Loop {
        let poller = try Poller()
        let waker = poller.waker
        let mailbox = PushMailbox(waker: waker)
        let thread = try WorkerThread.start(name: "sortie-loop") {
            configuration.permit?.attach(waker)
            let loop = PushLoop(
                configuration: configuration, share: share, poller: poller,
                mailbox: mailbox, queue: queue, delegate: delegate.delegate)
            loop.run()
            configuration.permit?.detach(waker)
        }
        return Loop(mailbox: mailbox, thread: thread)
    }

    /// Hands batches to the loops. Never blocks: the caller bounds what is outstanding.
    package func submit(_ batches: [PushBatch]) {
        queue.put(batches.filter { !$0.entries.isEmpty })
        wake()
    }

    /// Lets the loops look at their credential: there may be another token.
    package func wake() {
        for loop in loops { loop.mailbox.wake() }
    }

    /// No more batches will come: a loop ends when there is nothing left that it could do.
    package func finish() {
        for loop in loops { loop.mailbox.finish() }
    }

    /// No more batches will come, and nothing more goes on the wire: open requests are waited for
    /// so long and then given up as unknown; everything not submitted ends as not sent.
    package func stop(drainNanoseconds: Int64) {
        for loop in loops { loop.mailbox.stop(drainNanoseconds: drainNanoseconds) }
    }

    /// Waits until the loops' threads have ended.
    package func join() {
        for loop in loops { loop.thread.join() }
    }
}

/// A delegate on its way to its loop's thread.
// Sendable without a lock because the client makes it of what was sent to it, hands it to one
// thread and forgets it.
private struct LoopDelegate: @unchecked Sendable {
    let delegate: any PushLoopDelegate
}
