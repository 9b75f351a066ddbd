package import APNSProtocol
internal import Synchronization
package import TLS

/// The one provider token of a key, shared by all connections of the process.
///
/// APNs answers 429 TooManyProviderTokenUpdates to senders that mint a token per connection or per
/// request, so there is a single current token here. Its age is judged by ``ProviderTokenAge``.
///
/// *Thread*: any.
package final class ProviderCredential: Sendable {
    /// A token in use, and its number: a later one has a higher number.
    package struct Numbered: Sendable {
        /// The token.
        package let token: ProviderToken
        /// 1 for the first token made here, 2 for the next.
        package let number: Int
    }

    private struct State {
        var current: Numbered?
        var renewal = ProviderTokenRenewal()
    }

    /// Key and team, for messages.
    package let identity: ProviderIdentity

    private let key: SigningKey
    private let state = Mutex(State())

    /// A credential that signs with `key`; nothing is signed yet.
    package init(key: SigningKey, identity: ProviderIdentity) {
        self.key = key
        self.identity = identity
    }

    /// The current token; makes one if there is none, or if it has reached the age of renewal.
    ///
    /// - Parameters:
    ///   - nowNanoseconds: monotonic time, for the token's age.
    ///   - nowMicroseconds: wall time, for `iat`.
    /// - Returns: the token and its number.
    /// - Throws: ``TLSError`` if OpenSSL can't sign.
    package func current(
        nowNanoseconds: Int64, nowMicroseconds: Int64
    ) throws(TLSError) -> Numbered {
        try state.withLock { (state) throws(TLSError) -> Numbered in
            if let current = state.current,
                !ProviderTokenAge.isRenewalDue(current.token, nowNanoseconds: nowNanoseconds)
            {
                return current
            }
            return try make(&state, nowNanoseconds, nowMicroseconds)
        }
    }

    /// APNs called the token of this number expired.
    ///
    /// - Parameters:
    ///   - number: the number of the token that was refused.
    ///   - nowNanoseconds: monotonic time, for the token's age.
    ///   - nowMicroseconds: wall time, for `iat`.
    /// - Returns: the token to go on with, or nil if renewing is no cure: a clock is wrong.
    /// - Throws: ``TLSError`` if OpenSSL can't sign.
    package func replacement(
        forExpired number: Int, nowNanoseconds: Int64, nowMicroseconds: Int64
    ) throws(TLSError) -> Numbered? {
        try state.withLock { (state) throws(TLSError) -> Numbered? in
            guard let current = state.current, current.number == number else {
                return state.current
            }
            let action = state.renewal.expired(
                current.token, current: current.token, nowNanoseconds: nowNanoseconds)
            guard action == .renew else { return nil }
            return try make(&state, nowNanoseconds, nowMicroseconds)
        }
    }

    private func make(
        _ state: inout State, _ nowNanoseconds: Int64, _ nowMicroseconds: Int64
    ) throws(TLSError) -> Numbered {
        let token = try ProviderToken.make(
            for: identity, issuedAtSeconds: nowMicroseconds / 1_000_000,
            nowNanoseconds: nowNanoseconds
        ) { (input) throws(TLSError) in try key.signES256(input) }
        let numbered = Numbered(token: token, number: (state.current?.number ?? 0) + 1)
        state.current = numbered
        return numbered
    }
}
