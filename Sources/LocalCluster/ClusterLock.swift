// One process at a time makes, starts or stops a cluster.

internal import Glibc
internal import LinuxIO

/// An exclusive lock on a file; it ends with ``release()`` or with the process.
struct ClusterLock: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Waits for the lock.
    init(path: String, attempted: String) throws(ClusterError) {
        // Sound: the path lives for the call.
        let raw = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard raw >= 0 else {
            throw ClusterError(
                attempted: attempted, cause: "\(SystemError("open", path, code: errno))")
        }
        let owned = OwnedDescriptor(owning: raw)
        while lockf(raw, F_LOCK, 0) != 0 {
            guard errno == EINTR else {
                throw ClusterError(
                    attempted: attempted, cause: "\(SystemError("lock", path, code: errno))")
            }
        }
        descriptor = owned
    }

    /// Ends the lock.
    func release() {
        // Closing the descriptor would do as well; this one can't fail in a way that matters.
        _ = lockf(descriptor.raw, F_ULOCK, 0)
    }
}
