/// When a provider token is renewed: the rules of its age.
///
/// Renewing more often than every 20 minutes brings TooManyProviderTokenUpdates, and a token older
/// than 60 minutes ExpiredProviderToken. 45 leaves a quarter of an hour for trouble.
/// *Source:* Apple, "Establishing a token-based connection to APNs".
package enum ProviderTokenAge {
    /// The shortest time between two tokens, in nanoseconds (20 minutes).
    package static let leastNanoseconds: Int64 = 20 * 60 * 1_000_000_000

    /// The age at which a token is renewed, in nanoseconds (45 minutes).
    package static let renewNanoseconds: Int64 = 45 * 60 * 1_000_000_000

    /// The age at which APNs refuses a token, in nanoseconds (60 minutes).
    package static let mostNanoseconds: Int64 = 60 * 60 * 1_000_000_000

    /// Whether it is time for a new token.
    ///
    /// - Parameters:
    ///   - token: The token in use.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: Whether it is 45 minutes old or more.
    package static func isRenewalDue(_ token: ProviderToken, nowNanoseconds: Int64) -> Bool {
        age(of: token, nowNanoseconds) >= renewNanoseconds
    }

    /// Whether a new token may be made.
    ///
    /// - Parameters:
    ///   - token: The token in use.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: Whether it is 20 minutes old or more.
    package static func isRenewalAllowed(_ token: ProviderToken, nowNanoseconds: Int64) -> Bool {
        age(of: token, nowNanoseconds) >= leastNanoseconds
    }

    /// Whether APNs still takes a token.
    ///
    /// - Parameters:
    ///   - token: The token in use.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: Whether it is younger than 60 minutes.
    package static func isUsable(_ token: ProviderToken, nowNanoseconds: Int64) -> Bool {
        age(of: token, nowNanoseconds) < mostNanoseconds
    }

    private static func age(of token: ProviderToken, _ nowNanoseconds: Int64) -> Int64 {
        nowNanoseconds - token.issuedAtNanoseconds
    }
}
