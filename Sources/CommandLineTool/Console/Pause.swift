internal import Glibc

/// Waiting a moment, where there is nothing that could wake the waiter.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1_000) }
}
