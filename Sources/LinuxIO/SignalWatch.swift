internal import CLinux
internal import Glibc

/// Turns the signals that ask a program to stop into calls on a thread of its own.
///
/// Create it first in `main`, before any other thread: threads inherit the mask, and a signal that
/// one of them does not block would end the program as ever. It lives as long as the process.
///
/// *C:* `pthread_sigmask`, `signalfd`.
package final class SignalWatch: Sendable {
    private let descriptor: OwnedDescriptor

    /// Holds back SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE.
    ///
    /// - Throws: `SystemError` when the process has no descriptor left.
    package init() throws(SystemError) {
        // Writing to a pipe nobody reads shall be an error of that write.
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        // Sound: the set is set up here and read during the calls only.
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let raw = try systemCall("watch", "signals") {
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC))
        }
        descriptor = OwnedDescriptor(owning: raw)
    }

    /// Starts to report signals, those included that arrived since `init`; call it once.
    ///
    /// - Parameter handler: called with SIGINT, SIGTERM or SIGHUP, one after the other, on the
    ///   watch's thread.
    /// - Throws: `SystemError` when the system has no thread left.
    package func start(_ handler: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
        // Nobody joins it: it reads until the process ends.
        _ = try WorkerThread.start(name: "signals") { [self] in
            while let number = next() { handler(number) }
        }
    }

    /// Waits for the next signal; nil if the descriptor is broken.
    private func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while true {
            // Sound: the kernel writes one whole structure or nothing: signalfd(2).
            let count = unsafe read(descriptor.raw, &info, size)
            if count == size { return Int32(info.ssi_signo) }
            if count != -1 || errno != EINTR { return nil }
        }
    }
}
