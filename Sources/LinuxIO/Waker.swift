internal import CLinux
internal import Glibc
internal import Synchronization

/// Ends another thread's `Poller.wait` early.
///
/// Put the work where the loop looks for it, then call `wake()`. The loop sees the work after its
/// `wait` returned: the flag is exchanged with acquire and release on both sides. A burst of wakes
/// costs one system call, because only the first since the loop last looked writes.
package final class Waker: Sendable {
    private let descriptor: OwnedDescriptor
    private let isPending = Atomic<Bool>(false)

    /// The event counter that the poller watches, edge-triggered, so that nobody has to read it.
    var raw: Int32 { descriptor.raw }

    /// Creates the event counter.
    ///
    /// - Throws: `SystemError` when the process has no descriptor left.
    init() throws(SystemError) {
        let raw = try systemCall("create", "an event counter") {
            eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        }
        descriptor = OwnedDescriptor(owning: raw)
    }

    /// Makes the poller's current or next `wait` return; any thread.
    ///
    /// *C:* `write` to an `eventfd`.
    package func wake() {
        if isPending.exchange(true, ordering: .acquiringAndReleasing) { return }
        // Can only fail when the counter is full, after 2^64 wakes: then the loop is awake anyway.
        eventfd_write(descriptor.raw, 1)
    }

    /// Lets the next `wake()` write again; the poller's thread, before its owner looks for work.
    func acknowledge() {
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
