internal import LinuxIO
internal import SendPolicy
internal import Synchronization

/// What a process may do at this moment: until when it may begin requests, and how many a second
/// over all its connections. Given from outside while the loops run, by whoever keeps the lease and
/// knows the share.
///
/// It narrows what a ``PushClient`` does; each connection keeps its own pace as well. Answers are
/// read, open requests time out and stops are obeyed whatever it says. One permit serves any number
/// of clients and loops, at the same time or one after another: the share holds for all of them
/// together, also from the last request of one client to the first of the next.
///
/// *Thread*: any. A change wakes the loops and holds from their next turn.
package final class SendPermit: Sendable {
    private let deadline: Atomic<Int64>
    /// Whether there is a share at all, so that a loop without one takes no lock.
    private let isLimited = Atomic<Bool>(false)
    private let bucket = Monitor(ShareBucket())
    private let wakers = Monitor<[Waker]>([])

    /// A permit without a share.
    ///
    /// - Parameter deadlineNanoseconds: see ``deadlineNanoseconds``.
    package init(deadlineNanoseconds: Int64 = .max) {
        deadline = Atomic(deadlineNanoseconds)
    }

    /// From this moment of the monotonic clock on no request begins; `.max`: no limit. It may be
    /// moved forward before or after it has passed, and back.
    package var deadlineNanoseconds: Int64 {
        get { deadline.load(ordering: .acquiring) }
        set {
            deadline.store(newValue, ordering: .releasing)
            wake()
        }
    }

    /// How many requests may begin per second over all connections, in thousandths: 1,500 means
    /// three in two seconds. nil: no limit; 0: none. In no window of one second more begin than the
    /// whole part, and below one a second no two within `1 / share` seconds; see ``ShareBucket``.
    ///
    /// Not negative. A change brings no burst, and is seen by the next request.
    package var thousandthsPerSecond: Int64? {
        get { bucket.withLock { $0.thousandthsPerSecond } }
        set {
            bucket.withLock { bucket in
                bucket.change(
                    toThousandths: newValue, nowNanoseconds: MonotonicClock.nanoseconds())
                isLimited.store(newValue != nil, ordering: .releasing)
            }
            wake()
        }
    }

    // MARK: - For loops

    /// Adds a loop that is to hear of changes.
    func attach(_ waker: Waker) {
        wakers.withLock { $0.append(waker) }
    }

    /// The loop of this waker has ended.
    func detach(_ waker: Waker) {
        wakers.withLock { wakers in wakers.removeAll { $0 === waker } }
    }

    /// Takes the right to begin one request under the share, if it is there.
    func take(nowNanoseconds: Int64) -> Bool {
        guard isLimited.load(ordering: .acquiring) else { return true }
        return bucket.withLock { $0.take(nowNanoseconds: nowNanoseconds) }
    }

    /// When a request may begin: now or earlier means at once; nil: not before a change.
    func nextNanoseconds(nowNanoseconds: Int64) -> Int64? {
        guard nowNanoseconds < deadlineNanoseconds else { return nil }
        guard isLimited.load(ordering: .acquiring) else { return nowNanoseconds }
        return bucket.withLock { $0.nextNanoseconds(nowNanoseconds: nowNanoseconds) }
    }

    private func wake() {
        wakers.withLock { wakers in for waker in wakers { waker.wake() } }
    }
}
