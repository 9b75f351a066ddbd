internal import COpenSSL
internal import Glibc

/// OpenSSL's queue of errors, which every thread has one of.
///
/// A call that fails leaves what it knows there, and what an earlier call left would be mistaken
/// for the cause. So the queue is cleared before a call and drained after it has failed, here and
/// nowhere else.
///
/// *C:* `ERR_clear_error`, `ERR_get_error`, `ERR_reason_error_string`.
enum ErrorQueue {
    /// One entry: the reason's number in its library, and its words.
    struct Entry {
        let reason: Int32
        let text: String
    }

    /// Runs a call with an empty queue.
    ///
    /// - Parameter call: one or more OpenSSL calls, whose failure `drain` can explain afterwards.
    /// - Returns: what the call returned.
    @inline(__always)
    static func cleared<Result: ~Copyable>(_ call: () -> Result) -> Result {
        ERR_clear_error()
        return call()
    }

    /// Takes everything out of the queue, the root cause first.
    ///
    /// - Returns: the entries; empty when the failed call gave no reason.
    static func drain() -> [Entry] {
        var entries: [Entry] = []
        while case let code = ERR_get_error(), code != 0 {
            entries.append(Entry(reason: shim_ERR_GET_REASON(code), text: text(of: code)))
        }
        return entries
    }

    private static func text(of code: UInt) -> String {
        // Sound: both answers are NULL or text of the libraries that stays in place.
        let words =
            shim_ERR_SYSTEM_ERROR(code) != 0
            ? unsafe UnsafePointer(strerror(shim_ERR_GET_REASON(code)))
            : unsafe ERR_reason_error_string(code)
        return unsafe words.map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
