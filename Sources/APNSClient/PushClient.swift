package import LinuxIO

/// Sends batches of pushes to APNs from a thread of its own.
///
/// *Order of calls*: make one, ``submit(_:)`` any number of batches, then ``finish()`` or
/// ``stop(drainNanoseconds:)``, after which no batch may come, then ``join()``. Each entry of each
/// batch ends exactly once at the delegate, whatever happens.
///
/// *Thread*: any; the delegate is called on the client's thread.
package final class PushClient: Sendable {
    private let mailbox: PushMailbox
    private let thread: WorkerThread

    /// Starts the loop's thread; connections open when the first batch is there.
    ///
    /// - Parameters:
    ///   - configuration: where and how to send.
    ///   - delegate: told about every end; kept until the loop is over.
    /// - Throws: ``SystemError`` if the kernel gives no epoll descriptor or thread.
    package init(
        configuration: PushClientConfiguration, delegate: sending any PushLoopDelegate
    ) throws(SystemError) {
        let poller = try Poller()
        let mailbox = PushMailbox(waker: poller.waker)
        self.mailbox = mailbox
        thread = try WorkerThread.start(name: "sortie-loop") {
            let loop = PushLoop(
                configuration: configuration, poller: poller, mailbox: mailbox, delegate: delegate)
            loop.run()
        }
    }

    /// Hands batches to the loop. Never blocks: the caller bounds what is outstanding.
    package func submit(_ batches: [PushBatch]) {
        mailbox.put(batches)
    }

    /// Lets the loop look at its credential: there may be another token.
    package func wake() {
        mailbox.wake()
    }

    /// No more batches will come: the loop ends when everything it has has ended.
    package func finish() {
        mailbox.finish()
    }

    /// No more batches will come, and nothing more goes on the wire: open requests are waited for
    /// so long and then given up as unknown; everything not submitted ends as not sent.
    package func stop(drainNanoseconds: Int64) {
        mailbox.stop(drainNanoseconds: drainNanoseconds)
    }

    /// Waits until the loop's thread has ended.
    package func join() {
        thread.join()
    }
}
