// The small words that the database keeps as numbers. sortie.phase_name() and its sisters in SQL
// give the same texts.

/// A pass over a run's recipients.
package enum RunPhase: Int16, Sendable, CaseIterable {
    /// The low-priority pass that asks APNs about tokens.
    case probe = 1
    /// The message itself.
    case send = 2

    /// The word used in reports.
    package var name: String { self == .probe ? "probe" : "send" }
}

/// How a recipient ended.
package enum OutcomeKind: UInt8, Sendable, CaseIterable {
    /// APNs said 200.
    case accepted = 1
    /// APNs said a final no.
    case rejected = 2
    /// It was sent, and no answer came.
    case unknown = 3
    /// Not sent, on purpose.
    case skipped = 4
}

/// Why a recipient waits in the retry list.
package enum ParkCause: UInt8, Sendable, CaseIterable {
    /// A 5xx answer.
    case transient = 1
    /// 429 for this device.
    case tooManyRequests = 2
    /// Announced, and certainly never sent: a stop, or a connection that ended before.
    case released = 3
    /// In doubt, and to be sent again by the campaign's own choice.
    case unconfirmed = 4
    /// Refused before processing, such as REFUSED_STREAM.
    case refused = 5
    /// Goes before the others of the main send.
    case canary = 6
}

/// What becomes of recipients of which nobody knows whether they were sent.
package enum UnconfirmedRule: Sendable {
    /// They stay unknown: at most once.
    case keep
    /// They are sent again: at least once.
    case resend
}

/// The states of a run. The database enforces which may follow which.
package enum RunState: String, Sendable, CaseIterable {
    case planned, freezing, preflight, canary, sending, retrying, paused
    case finished, failed, cancelled

    /// Whether nothing can follow, except that a run that failed before it was frozen may start
    /// over.
    package var isFinal: Bool { self == .finished || self == .failed || self == .cancelled }

    /// The phase that workers take part in, if they do.
    package var phase: RunPhase? {
        switch self {
        case .preflight: .probe
        case .sending, .retrying: .send
        case .planned, .freezing, .canary, .paused, .finished, .failed, .cancelled: nil
        }
    }

    /// Whether workers have nothing to do in it.
    package var isClosed: Bool { isFinal || self == .paused }
}
