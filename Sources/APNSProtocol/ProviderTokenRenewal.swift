/// What to do after APNs called a provider token expired.
package enum ExpiredTokenAction: Sendable, Equatable {
    /// The refused token has been replaced meanwhile: send again with the current one.
    case sendAgain
    /// Make a new token, open a new connection, send again there.
    case renew
    /// A token that was made just now is refused as well: a clock is wrong. Stop and say so.
    case stop
}

/// Decides about answers of ExpiredProviderToken.
///
/// Many answers may refuse the same token, since many requests were under way with it; only the
/// first leads to a new one. A token that is made because of a refusal may come earlier than 20
/// minutes after the one before: Apple counts renewals by connection, and the refused one's
/// connections are given up. It may happen once in 20 minutes; more often, renewing is not the
/// cure.
/// *Ownership and thread*: a value, one per key, owned by whoever makes the tokens.
package struct ProviderTokenRenewal: Sendable {
    private var lastRenewalNanoseconds: Int64?

    /// Nothing was refused yet.
    package init() {}

    /// APNs answered ExpiredProviderToken.
    ///
    /// - Parameters:
    ///   - refused: The token the request carried.
    ///   - current: The token in use now.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: What to do.
    package mutating func expired(
        _ refused: ProviderToken, current: ProviderToken, nowNanoseconds: Int64
    ) -> ExpiredTokenAction {
        if refused != current { return .sendAgain }
        if let last = lastRenewalNanoseconds,
            nowNanoseconds - last < ProviderTokenAge.leastNanoseconds
        {
            return .stop
        }
        lastRenewalNanoseconds = nowNanoseconds
        return .renew
    }
}
