internal import Glibc

/// The calendar's clock: it says when things happened, and may be stepped by an operator.
package enum WallClock {
    /// The time since 1970-01-01 00:00 UTC, in microseconds; any thread.
    ///
    /// - Returns: microseconds of CLOCK_REALTIME.
    ///
    /// *C:* `clock_gettime`.
    package static func microseconds() -> Int64 {
        var time = timespec()
        // Sound: the pointer is used during the call only. It can't fail for a clock that exists.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
