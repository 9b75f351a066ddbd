package import APNSProtocol
internal import LinuxIO
package import TLS

/// The one provider token of a key, shared by all connections of the process.
///
/// APNs answers 429 TooManyProviderTokenUpdates to senders that mint a token per connection or per
/// request, so there is a single current token here. Its age is judged by ``ProviderTokenAge``.
///
/// A credential of its own (`isShared` false) makes tokens itself, whenever one is due. A shared
/// one never does so on the loop: ``refresh(from:)`` comes first, on a thread that may block, and
/// again every minute or so; after a refusal the loop marks the token and goes on when
/// ``refresh(from:)`` has brought another.
///
/// *Thread*: any, where not said otherwise.
package final class ProviderCredential: Sendable {
    /// A token in use, and its number: a later one has a higher number.
    package struct Numbered: Sendable {
        /// The token.
        package let token: ProviderToken
        /// 1 for the first token used here, 2 for the next.
        package let number: Int
    }

    /// What there is in place of a token that APNs called expired.
    package enum Replacement: Sendable {
        /// Go on with this one.
        case token(Numbered)
        /// It is being fetched: send nothing until it is there.
        case pending
        /// Renewing is no cure: a clock is wrong.
        case none
    }

    private struct State {
        var current: Numbered?
        var renewal = ProviderTokenRenewal()
        /// The number of a shared token that APNs refused, until another is there.
        var refused: Int?
        /// The number of a refused token that is not replaced.
        var givenUp: Int?
    }

    /// Key and team, for messages.
    package let identity: ProviderIdentity
    /// Whether the token is one for all processes and machines.
    package let isShared: Bool

    private let key: SigningKey
    private let state = Monitor(State())

    /// A credential that signs with `key`; nothing is signed yet.
    ///
    /// - Parameters:
    ///   - key: the signing key.
    ///   - identity: its id and its team's.
    ///   - isShared: whether tokens come from a ``ProviderTokenSource``.
    package init(key: SigningKey, identity: ProviderIdentity, isShared: Bool = false) {
        self.key = key
        self.identity = identity
        self.isShared = isShared
    }

    /// The current token. Unless it is shared, makes one if there is none, or if it has reached
    /// the age of renewal.
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
                isShared
                    || !ProviderTokenAge.isRenewalDue(
                        current.token, nowNanoseconds: nowNanoseconds)
            {
                return current
            }
            precondition(!isShared, "a shared token is fetched before it is used")
            return try make(&state, nowNanoseconds, nowMicroseconds)
        }
    }

    /// APNs called the token of this number expired. May be asked again while it is pending.
    ///
    /// - Parameters:
    ///   - number: the number of the token that was refused.
    ///   - nowNanoseconds: monotonic time, for the token's age.
    ///   - nowMicroseconds: wall time, for `iat`.
    /// - Returns: what to go on with.
    /// - Throws: ``TLSError`` if OpenSSL can't sign.
    package func replacement(
        forExpired number: Int, nowNanoseconds: Int64, nowMicroseconds: Int64
    ) throws(TLSError) -> Replacement {
        defer { state.signal() }
        return try state.withLock { (state) throws(TLSError) -> Replacement in
            guard let current = state.current else { return .none }
            guard current.number == number else { return .token(current) }
            if isShared {
                if state.givenUp == number { return .none }
                state.refused = number
                return .pending
            }
            let action = state.renewal.expired(
                current.token, current: current.token, nowNanoseconds: nowNanoseconds)
            guard action == .renew else { return .none }
            return .token(try make(&state, nowNanoseconds, nowMicroseconds))
        }
    }

    private func make(
        _ state: inout State, _ nowNanoseconds: Int64, _ nowMicroseconds: Int64
    ) throws(TLSError) -> Numbered {
        let token = try ProviderToken.make(
            for: identity, issuedAtSeconds: nowMicroseconds / 1_000_000,
            nowNanoseconds: nowNanoseconds
        ) { (input) throws(TLSError) in try key.signES256(input) }
        return put(token, into: &state)
    }

    private func put(_ token: ProviderToken, into state: inout State) -> Numbered {
        let numbered = Numbered(token: token, number: (state.current?.number ?? 0) + 1)
        state.current = numbered
        return numbered
    }

    // MARK: - Sharing

    /// Brings the shared token up to date: fetches it, has a new one made if it is due, or has a
    /// refused one replaced.
    ///
    /// *Thread*: one at a time, and one that may block.
    ///
    /// - Parameter source: where the token is kept.
    /// - Throws: what the source throws; the present token stays in use.
    package func refresh<Source: ProviderTokenSource>(
        from source: Source
    ) throws(Source.Failure) {
        let (held, refused) = state.withLock { ($0.current, $0.refused) }
        let request = ProviderTokenRequest(
            identity: identity, held: held?.token,
            isRefused: refused != nil && refused == held?.number, key: key)
        let answer = try source.exchange(request)
        state.withLock { state in
            if let answer {
                take(answer, into: &state)
            } else {
                state.givenUp = refused
            }
            // A refusal that came meanwhile counts on, if it is about the token still in use.
            if state.refused == refused || state.refused != state.current?.number {
                state.refused = nil
            }
        }
        state.signal()
    }

    private func take(_ answer: SharedProviderToken, into state: inout State) {
        if state.current?.token.jwt == answer.jwt { return }
        let token = ProviderToken(
            jwt: answer.jwt, issuedAtSeconds: answer.issuedAtSeconds,
            issuedAtNanoseconds: answer.issuedAtNanoseconds)
        _ = put(token, into: &state)
    }

    /// Waits until APNs has refused the shared token.
    ///
    /// - Parameters:
    ///   - untilNanoseconds: when to give up waiting, monotonic.
    ///   - isOver: looked at after ``wakeWaiters()``: true ends the wait.
    /// - Returns: whether the token is refused.
    package func waitForRefusal(untilNanoseconds: Int64, isOver: () -> Bool) -> Bool {
        _ = state.wait(untilNanoseconds: untilNanoseconds) { $0.refused != nil || isOver() }
        return state.withLock { $0.refused != nil }
    }

    /// Lets waiters look at what they wait for.
    package func wakeWaiters() {
        // A waiter holds the lock from its look at `isOver` until it sleeps: with the lock taken
        // once, it has either seen the change or is asleep and hears the signal.
        state.withLock { _ in }
        state.signal()
    }
}
