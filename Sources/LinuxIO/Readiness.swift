internal import Glibc

/// Waits for one or two descriptors without an event loop.
enum Readiness {
    enum Answer { case first, second, deadline }

    /// Waits until a descriptor is readable; false when the deadline passed first.
    static func wait(_ descriptor: Int32, untilNanoseconds deadline: Int64?) -> Bool {
        wait(descriptor, or: -1, untilNanoseconds: deadline) != .deadline
    }

    /// Waits until one of two is readable or at its end; the first is preferred, and a negative
    /// second is not watched.
    static func wait(
        _ first: Int32, or second: Int32, untilNanoseconds deadline: Int64?
    ) -> Answer {
        var pair = (
            pollfd(fd: first, events: Int16(POLLIN), revents: 0),
            pollfd(fd: second, events: Int16(POLLIN), revents: 0)
        )
        while true {
            let left = deadline.map { max(0, $0 - MonotonicClock.nanoseconds()) }
            // Rounded up, lest it turns idly for the last part of a millisecond.
            let milliseconds = left.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
            // Sound: a pair of pollfd is laid out like the array of two that poll wants.
            let count = unsafe withUnsafeMutableBytes(of: &pair) {
                unsafe poll(
                    $0.baseAddress?.assumingMemoryBound(to: pollfd.self), 2, milliseconds)
            }
            if pair.0.revents != 0 { return .first }
            if pair.1.revents != 0 { return .second }
            if count == 0 && left == 0 { return .deadline }
        }
    }
}
