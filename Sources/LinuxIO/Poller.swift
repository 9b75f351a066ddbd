internal import CLinux
internal import Glibc

/// Told by a `Poller` when a descriptor can be read or written.
package protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready; the poller's thread, inside `Poller.wait`.
    ///
    /// It may add, change and remove descriptors, its own too.
    ///
    /// - Parameters:
    ///   - readable: a read will not block: there are bytes, or the end.
    ///   - writable: a write will not block.
    ///   - failed: the connection was reset or could not be made; reading tells the error.
    func ready(readable: Bool, writable: Bool, failed: Bool)
}

/// An event loop's ear: waits until one of many descriptors is ready.
///
/// *Ownership and thread*: loop-bound; one thread owns it and everything registered with it. Only
/// its `waker` may be used from elsewhere.
///
/// Descriptors are level-triggered. The table of handlers is indexed by descriptor, so an event
/// costs neither a search nor an allocation. Each registration has a generation of its own, which
/// travels through the kernel with the event: an event for a descriptor that was closed and opened
/// anew in the same turn carries the old generation and is dropped.
///
/// *C:* `epoll_create1`, `epoll_ctl`, `epoll_pwait2`.
@safe
package final class Poller {
    /// Ends `wait` from any thread.
    package let waker: Waker

    private struct Registration {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
        var interest: UInt32 = 0
    }

    /// Events taken per system call. A loop has some dozens of sockets; the rest waits for the next
    /// call, in turn.
    private static let eventsMax = 256

    /// Never the key of a descriptor: those are not negative.
    private static let wakerKey = UInt64.max

    private let descriptor: OwnedDescriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var registrations: [Registration] = []
    private var generation: UInt32 = 0
    private var isWaiting = false
    private var hasNanosecondWait: Bool

    /// Creates the kernel's table and the waker.
    ///
    /// - Throws: `SystemError` when the process has no descriptor left.
    package convenience init() throws(SystemError) {
        try self.init(hasNanosecondWait: true)
    }

    /// Creates a poller that waits as older kernels do, or finds out whether it must.
    ///
    /// - Parameter hasNanosecondWait: false if `epoll_pwait2` shall not even be tried.
    /// - Throws: `SystemError` when the process has no descriptor left.
    init(hasNanosecondWait: Bool) throws(SystemError) {
        self.hasNanosecondWait = hasNanosecondWait
        let raw = try systemCall("create", "an event poll") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        descriptor = OwnedDescriptor(owning: raw)
        waker = try Waker()
        unsafe events = .allocate(capacity: Self.eventsMax)
        try control(
            EPOLL_CTL_ADD, waker.raw, EPOLLIN.rawValue | EPOLLET.rawValue, key: Self.wakerKey)
    }

    deinit {
        // Sound: allocated in init, used by wait only. The memory holds plain numbers.
        unsafe events.deallocate()
    }

    /// Starts watching a descriptor. The handler is held until `remove`.
    ///
    /// With neither reading nor writing wanted, failures are still told.
    ///
    /// - Parameters:
    ///   - descriptor: open, and not yet watched by this poller.
    ///   - readable: whether to tell when it can be read.
    ///   - writable: whether to tell when it can be written.
    ///   - handler: whom to tell.
    /// - Throws: `SystemError` when the kernel refuses it.
    package func add(
        _ descriptor: Int32, readable: Bool, writable: Bool, handler: any ReadinessHandler
    ) throws(SystemError) {
        let index = Int(descriptor)
        precondition(
            index >= registrations.count || registrations[index].handler == nil,
            "descriptor is watched already")
        generation &+= 1
        let interest = Self.interest(readable: readable, writable: writable)
        try control(
            EPOLL_CTL_ADD, descriptor, interest, key: Self.key(descriptor, generation))
        while registrations.count <= index { registrations.append(Registration()) }
        registrations[index] = Registration(
            handler: handler, generation: generation, interest: interest)
    }

    /// Changes what is watched for; costs nothing when it is the same as before.
    ///
    /// - Parameters:
    ///   - descriptor: watched by this poller.
    ///   - readable: whether to tell when it can be read.
    ///   - writable: whether to tell when it can be written.
    /// - Throws: `SystemError` when the kernel refuses it.
    package func change(
        _ descriptor: Int32, readable: Bool, writable: Bool
    ) throws(SystemError) {
        let index = Int(descriptor)
        precondition(
            index < registrations.count && registrations[index].handler != nil,
            "descriptor is not watched")
        let interest = Self.interest(readable: readable, writable: writable)
        if registrations[index].interest == interest { return }
        try control(
            EPOLL_CTL_MOD, descriptor, interest,
            key: Self.key(descriptor, registrations[index].generation))
        registrations[index].interest = interest
    }

    /// Stops watching a descriptor and lets go of its handler; call it before closing.
    ///
    /// Its handler is not called any more, not even for events of the present turn.
    ///
    /// - Parameter descriptor: watched or not.
    package func remove(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard index < registrations.count, registrations[index].handler != nil else { return }
        registrations[index] = Registration()
        // A failure means that the kernel has forgotten it already.
        _ = epoll_ctl(self.descriptor.raw, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Waits for events and calls their handlers.
    ///
    /// - Parameter deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for
    ///   ever, an instant in the past does not wait.
    /// - Returns: the number of events, a wake counted as one; 0 when the deadline passed or a
    ///   signal arrived.
    /// - Throws: `SystemError` only if the poller itself is broken.
    @discardableResult
    package func wait(untilNanoseconds deadline: Int64?) throws(SystemError) -> Int {
        precondition(!isWaiting, "wait called from a handler")
        isWaiting = true
        defer { isWaiting = false }
        let count = try collect(untilNanoseconds: deadline)
        for index in 0..<count {
            // Sound: the kernel filled the first `count` entries, and handlers can't reach them.
            let (key, flags) = unsafe (events[index].data.u64, events[index].events)
            if key == Self.wakerKey {
                waker.acknowledge()
            } else {
                deliver(flags, key: key)
            }
        }
        return count
    }

    /// Tells the handler, if the registration that the event belongs to still stands.
    private func deliver(_ flags: UInt32, key: UInt64) {
        let index = Int(key & 0xFFFF_FFFF)
        guard index < registrations.count,
            registrations[index].generation == UInt32(key >> 32),
            let handler = registrations[index].handler
        else { return }
        handler.ready(
            readable: flags & EPOLLIN.rawValue != 0,
            writable: flags & EPOLLOUT.rawValue != 0,
            failed: flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
    }

    /// Lets the kernel fill `events`, and says how many there are.
    private func collect(untilNanoseconds deadline: Int64?) throws(SystemError) -> Int {
        let wait = deadline.map { max(0, $0 - MonotonicClock.nanoseconds()) }
        var count: Int32 = -1
        if hasNanosecondWait {
            count = collect(forNanoseconds: wait)
            // Kernels before 5.11 have no epoll_pwait2.
            if count < 0 && errno == ENOSYS { hasNanosecondWait = false }
        }
        if !hasNanosecondWait {
            count = collect(forMilliseconds: wait)
        }
        if count >= 0 { return Int(count) }
        if errno == EINTR { return 0 }
        throw SystemError("wait for", "events", code: errno)
    }

    private func collect(forNanoseconds wait: Int64?) -> Int32 {
        guard let wait else {
            // Sound: `events` has room for eventsMax, and lives as long as self.
            return unsafe epoll_pwait2(descriptor.raw, events, Int32(Self.eventsMax), nil, nil)
        }
        var span = timespec(nanoseconds: wait)
        // Sound: as above; the span is read during the call only.
        return unsafe epoll_pwait2(descriptor.raw, events, Int32(Self.eventsMax), &span, nil)
    }

    /// Rounds up, lest the loop turns idly for the last part of a millisecond.
    private func collect(forMilliseconds wait: Int64?) -> Int32 {
        let milliseconds = wait.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
        // Sound: `events` has room for eventsMax, and lives as long as self.
        return unsafe epoll_wait(descriptor.raw, events, Int32(Self.eventsMax), milliseconds)
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: UInt32, key: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event(events: interest, data: epoll_data_t(u64: key))
        // Sound: the kernel copies the event during the call.
        try systemCall("watch", "descriptor \(descriptor)") {
            unsafe epoll_ctl(self.descriptor.raw, operation, descriptor, &event)
        }
    }

    private static func interest(readable: Bool, writable: Bool) -> UInt32 {
        (readable ? EPOLLIN.rawValue : 0) | (writable ? EPOLLOUT.rawValue : 0)
    }

    private static func key(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}
