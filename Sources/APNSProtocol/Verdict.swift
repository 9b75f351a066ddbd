/// Why a token was refused, as far as pruning cares.
package enum TokenRejection: Sendable, Hashable, CaseIterable {
    /// 410: the token is no longer active for the topic.
    case gone
    /// The token is bad, or belongs to the other environment.
    case invalid
    /// The token belongs to another app.
    case wrongTopic
}

/// What an answer means for the recipient, the connection and the run.
package enum Verdict: Sendable, Hashable {
    /// APNs took the push over. It says nothing about delivery.
    case accepted
    /// A final no that speaks of the token.
    case rejectedToken(kind: TokenRejection)
    /// A final no for this recipient only.
    case rejected
    /// Every further request would fare alike: stop, and say what to fix.
    case stopRun(ReasonClass)
    /// Park the recipient; Apple asks for 15 minutes.
    case retryLater
    /// Park the recipient; pauses grow, and no other recipient is slowed.
    case retryDevice
    /// This server is leaving: open another connection and send again there.
    case retryOnNewConnection
    /// The provider token is too old: renew it, open a new connection, send again.
    case renewCredential
    /// Provider tokens were renewed too often: keep the one there is, pause, send again.
    case backOffCredential
    /// The connection is bound to another key: one new connection, then stop if it repeats.
    case newConnectionOnce

    /// Whether the answer is evidence of bad tokens or a wrong set-up, counted by the brake that
    /// guards against a wrong environment or topic.
    ///
    /// A final refusal for a reason nobody knows counts too: when it becomes common, the cause is
    /// the set-up and not the recipients. A 410 does not: APNs itself never counts it as an error.
    @inlinable
    package var isInvalidTokenEvidence: Bool {
        switch self {
        case .rejectedToken(kind: .invalid), .rejectedToken(kind: .wrongTopic), .rejected: true
        default: false
        }
    }

    /// Whether the recipient is finished with this answer.
    @inlinable
    package var isFinal: Bool {
        switch self {
        case .accepted, .rejectedToken, .rejected: true
        default: false
        }
    }
}
