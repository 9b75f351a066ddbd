/// What to do while open requests are waited for.
package enum DrainDecision: Sendable, Equatable {
    /// Nothing is open: go on closing.
    case drained
    /// Wait for answers, until this moment of the monotonic clock at the latest.
    case wait(untilNanoseconds: Int64)
    /// The time is over: what is still open counts as never answered.
    case expired
}

/// The time given to open requests once no new ones are started: after a GOAWAY, at a stop.
package struct DrainDeadline: Sendable, Equatable {
    private var endNanoseconds: Int64

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - nowNanoseconds: The monotonic clock's time.
    ///   - graceNanoseconds: How long answers are waited for, 0 or more.
    package init(nowNanoseconds: Int64, graceNanoseconds: Int64) {
        endNanoseconds = nowNanoseconds + graceNanoseconds
    }

    /// Waits no longer than this from now on, as when the operator asks a second time.
    ///
    /// - Parameters:
    ///   - nowNanoseconds: The monotonic clock's time.
    ///   - graceNanoseconds: How long answers are waited for from now, 0 or more.
    package mutating func shorten(nowNanoseconds: Int64, graceNanoseconds: Int64) {
        endNanoseconds = min(endNanoseconds, nowNanoseconds + graceNanoseconds)
    }

    /// Whether to go on waiting.
    ///
    /// - Parameters:
    ///   - open: How many requests are open.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: What to do.
    package func decision(open: Int, nowNanoseconds: Int64) -> DrainDecision {
        if open == 0 { return .drained }
        return nowNanoseconds < endNanoseconds ? .wait(untilNanoseconds: endNanoseconds) : .expired
    }
}
