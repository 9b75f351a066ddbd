internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of our own, for work that blocks or owns an event loop.
///
/// Every thread must be joined by somebody; one that nobody joined is detached when its last
/// reference goes.
///
/// *C:* `pthread_create`, `pthread_join`.
package final class WorkerThread: Sendable {
    private let thread: pthread_t
    private let isJoined = Atomic<Bool>(false)

    private init(thread: pthread_t) {
        self.thread = thread
    }

    deinit {
        if !isJoined.load(ordering: .acquiring) { pthread_detach(thread) }
    }

    /// Starts a thread; it inherits the caller's signal mask.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H` and in core files; cut after 15 bytes, the kernel's limit.
    ///   - body: what it does; whatever it captures moves to the new thread.
    /// - Returns: the running thread.
    /// - Throws: `SystemError` when the system has no thread left.
    package static func start(
        name: String, _ body: sending @escaping () -> Void
    ) throws(SystemError) -> WorkerThread {
        let start = Start(name: name, body: body)
        // Sound: the new thread releases it, or we do below if there is none.
        let retained = unsafe Unmanaged.passRetained(start)
        var thread = pthread_t()
        // Sound: the function is a free one and takes exactly this argument.
        let code = unsafe pthread_create(&thread, nil, workerThreadMain, retained.toOpaque())
        guard code == 0 else {
            unsafe retained.release()
            throw SystemError("start", "thread \(name)", code: code)
        }
        return WorkerThread(thread: thread)
    }

    /// Waits until the thread's body has returned; any other thread, once.
    package func join() {
        let wasJoined = isJoined.exchange(true, ordering: .acquiringAndReleasing)
        precondition(!wasJoined, "thread joined twice")
        // Joined once, and not detached, so the handle is valid. No result is asked for.
        _ = pthread_join(thread, nil)
    }
}

/// What a new thread needs to know.
private final class Start {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }
}

/// The C entry point of every worker thread.
private func workerThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // Sound: `start` passed one retained Start and handed its ownership to this thread.
    let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    // Sound: the name is lent for the call. The kernel takes up to 15 bytes.
    _ = unsafe pthread_setname_np(
        pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
    start.body()
    return nil
}
