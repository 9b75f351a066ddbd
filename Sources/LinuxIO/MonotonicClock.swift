internal import Glibc

/// The clock that never steps: it measures how long things take and when they are due.
package enum MonotonicClock {
    /// The time since an arbitrary start, in nanoseconds; any thread.
    ///
    /// - Returns: nanoseconds of CLOCK_MONOTONIC, never less than an earlier answer.
    ///
    /// *C:* `clock_gettime`.
    package static func nanoseconds() -> Int64 {
        var time = timespec()
        // Sound: the pointer is used during the call only. It can't fail for a clock that exists.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension timespec {
    /// A span or an instant of so many nanoseconds.
    init(nanoseconds: Int64) {
        self.init(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
