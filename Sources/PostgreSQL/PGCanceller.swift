// Interrupting a statement from another thread.

internal import CPostgreSQL

/// Asks the server to stop what a connection is doing.
///
/// *Ownership and thread:* independent of the connection's life; any thread may call ``cancel()``.
@safe
// Sound to share: the manual says that PQcancel may be used from another thread than the one that
// uses the connection, and the handle never changes.
// https://www.postgresql.org/docs/current/libpq-cancel.html
package final class PGCanceller: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Takes over a cancel object.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        // Sound: the only owner, freed once.
        unsafe PQfreeCancel(handle)
    }

    /// Sends the request on a connection of its own. The cancelled statement fails with SQLSTATE
    /// 57014 if it was still running.
    ///
    /// - Returns: Whether the request went out.
    /// *C:* `PQcancel`.
    @discardableResult
    package func cancel() -> Bool {
        var message = [CChar](repeating: 0, count: 256)
        let size = Int32(message.count)
        // Sound: libpq writes at most `size` bytes into the buffer.
        return unsafe message.withUnsafeMutableBufferPointer {
            unsafe PQcancel(handle, $0.baseAddress, size) == 1
        }
    }
}
