/// Whether a run that was just started may begin: now, later, or not any more.
///
/// A run that has begun always goes on, however late: what was promised to some is owed to the
/// others, and how long a message is worth something says its expiry, not its start. Everything
/// else depends on the planned instant: before it the run waits, but not for days (a job that fires
/// so early fires on the wrong day); after it, it begins, unless the campaign says until when.
///
/// Instants are microseconds since 1970, of whichever clock both come from.
package struct StartRule: Sendable, Equatable {
    /// What to do.
    package enum Decision: Sendable, Equatable {
        /// Begin, or go on.
        case startNow
        /// Begin at this instant, in microseconds since 1970, and ask again then.
        case waitUntil(microseconds: Int64)
        /// Nothing: the planned instant is so many seconds away.
        case tooEarly(bySeconds: Int64)
        /// Nothing: the planned instant was so many seconds ago.
        case missed(bySeconds: Int64)
    }

    /// The longest wait in seconds: a day, so that a job of the evening before is fine and one of
    /// the wrong week is not.
    package static let waitSecondsMax: Int64 = 24 * 3600

    /// The planned instant; nil: whenever it is started.
    package let plannedMicroseconds: Int64?
    /// How long after it the run may still begin, in seconds; nil: at any time.
    package let notLaterThanSeconds: Int64?

    /// A rule.
    ///
    /// - Parameters:
    ///   - plannedMicroseconds: the planned instant; nil: whenever it is started.
    ///   - notLaterThanSeconds: how long after it the run may still begin; nil: at any time.
    package init(plannedMicroseconds: Int64?, notLaterThanSeconds: Int64? = nil) {
        self.plannedMicroseconds = plannedMicroseconds
        self.notLaterThanSeconds = notLaterThanSeconds
    }

    private static let second: Int64 = 1_000_000

    /// Decides about a start.
    ///
    /// - Parameters:
    ///   - nowMicroseconds: now.
    ///   - hasBegun: whether anything of the run was done before: its audience is fixed.
    ///   - allowsLate: whether the operator wants it even if its start was missed.
    /// - Returns: what to do.
    package func decision(
        nowMicroseconds: Int64, hasBegun: Bool, allowsLate: Bool = false
    ) -> Decision {
        guard !hasBegun, let plannedMicroseconds else { return .startNow }
        let early = plannedMicroseconds - nowMicroseconds
        if early > Self.waitSecondsMax * Self.second {
            return .tooEarly(bySeconds: early / Self.second)
        }
        if early > 0 { return .waitUntil(microseconds: plannedMicroseconds) }
        if let bound = notLaterThanSeconds, -early > bound * Self.second, !allowsLate {
            return .missed(bySeconds: -early / Self.second)
        }
        return .startNow
    }
}
