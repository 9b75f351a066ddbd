internal import CLinux
internal import Glibc

/// Where threads wait for a ``Monitor`` if not in the kernel: a simulation that lets one thread
/// run at a time, in a time of its own.
package protocol WaitPlace: Sendable {
    /// Waits for the next signal. The caller holds no lock, and nobody else runs from its last look
    /// at the state until this call; it looks again afterwards, whatever the answer.
    ///
    /// - Parameters:
    ///   - monitor: whose signals to wait for.
    ///   - deadline: when to give up, in the place's own nanoseconds; nil waits for ever.
    /// - Returns: whether a signal came; false when the deadline passed.
    func wait(for monitor: ObjectIdentifier, untilNanoseconds deadline: Int64?) -> Bool

    /// Lets everyone who waits for the monitor go on. The caller holds no lock.
    ///
    /// - Parameter monitor: what was signalled.
    func signal(_ monitor: ObjectIdentifier)
}

/// State behind a lock, with a way to wait until it changes.
///
/// Whoever changes the state so that a waiter may go on calls `signal()` afterwards. Deadlines are
/// instants of `MonotonicClock`, so a stepped wall clock neither shortens nor stretches a wait.
///
/// *C:* `pthread_mutex_t`, `pthread_cond_t` with CLOCK_MONOTONIC. (`pthread_cond_clockwait` would
/// say the same in fewer words, but ThreadSanitizer does not know it.)
// Sendable: `state` is touched only between lock and unlock of `mutex`; the pointers never change.
@safe
package final class Monitor<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State
    private let place: (any WaitPlace)?

    /// Puts the state behind a lock.
    ///
    /// - Parameters:
    ///   - state: the first state; nobody else may keep a reference into it.
    ///   - place: where to wait for signals; nil: in the kernel.
    package init(_ state: sending State, waitingIn place: (any WaitPlace)? = nil) {
        self.state = state
        self.place = place
        // Sound: both are allocated and set up here, and destroyed in deinit only.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        // Sound: no thread waits here any more, for it would hold a reference to self.
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the state; any thread.
    ///
    /// - Parameter body: short, and without another wait inside.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Sound: the mutex lives as long as self.
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Lets every waiter look at the state again; any thread.
    package func signal() {
        if let place { return place.signal(ObjectIdentifier(self)) }
        // Sound: the condition lives as long as self.
        unsafe pthread_cond_broadcast(condition)
    }

    /// Waits until `condition` holds; any thread that may block.
    ///
    /// - Parameters:
    ///   - deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for ever.
    ///   - condition: looked at under the lock, first at once and then after every signal.
    /// - Returns: whether the condition held; false when the deadline passed first.
    package func wait(
        untilNanoseconds deadline: Int64?, until condition: (inout State) -> Bool
    ) -> Bool {
        take(untilNanoseconds: deadline) { state in condition(&state) ? true : nil } ?? false
    }

    /// Waits until there is something to take out of the state; any thread that may block.
    ///
    /// - Parameters:
    ///   - deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for ever.
    ///   - body: takes it under the lock, or answers nil if it is not there yet; tried first at
    ///     once and then after every signal.
    /// - Returns: what `body` took; nil when the deadline passed first.
    package func take<Result>(
        untilNanoseconds deadline: Int64?, _ body: (inout State) -> Result?
    ) -> Result? {
        // Sound: the mutex lives as long as self.
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if !block(untilNanoseconds: deadline) { return body(&state) }
        }
    }

    /// Gives up the lock until a signal comes; false when the deadline passed.
    private func block(untilNanoseconds deadline: Int64?) -> Bool {
        if let place {
            // Sound: this thread holds the mutex, which lives as long as self.
            unsafe pthread_mutex_unlock(mutex)
            defer { unsafe pthread_mutex_lock(mutex) }
            return place.wait(for: ObjectIdentifier(self), untilNanoseconds: deadline)
        }
        guard let deadline else {
            // Sound: this thread holds the mutex, and both live as long as self.
            return unsafe pthread_cond_wait(condition, mutex) == 0
        }
        var instant = timespec(nanoseconds: max(0, deadline))
        // Sound: as above; the instant is read during the call only.
        return unsafe pthread_cond_timedwait(condition, mutex, &instant) != ETIMEDOUT
    }
}
