internal import APNSProtocol
internal import LinuxIO

/// What the loop does about provider tokens. It never waits for one: a token that APNs calls
/// expired is replaced at once if the credential can, and otherwise by another thread, while
/// nothing is submitted.
extension PushLoop {
    /// The token for a connection that just opened; nil where none is used or can be made.
    func currentToken() -> ProviderCredential.Numbered? {
        do {
            return try configuration.credential?.current(
                nowNanoseconds: nowNanoseconds, nowMicroseconds: WallClock.microseconds())
        } catch {
            fail(.credentials("the provider token can't be signed: \(error)"))
            return nil
        }
    }

    /// APNs calls the token expired: true if there is a newer one, or will be.
    func renew(expired number: Int, on connection: PushConnection) -> Bool {
        guard let replacement = replacement(forExpired: number) else { return false }
        // What APNs called expired once, it does not take under another token either: every
        // connection that used it is given up, not only the one that was told.
        for other in connections where other.tokenNumber == number {
            other.drain(because: "its provider token expired", nowNanoseconds: nowNanoseconds)
        }
        switch replacement {
        case .token: noteRenewal(connection)
        case .pending: awaited = (number, connection)
        case .none: return false
        }
        return true
    }

    /// Goes on if another thread has brought the token that is waited for, or none.
    func lookForAwaitedToken() {
        guard let (number, connection) = awaited, !isStopping else { return }
        switch replacement(forExpired: number) {
        case .pending: return
        case .token:
            noteRenewal(connection)
            renewDueToken()
        case .none?: fail(.credentials(Self.expiredAgain))
        case nil: break
        }
        awaited = nil
    }

    /// A token that reached its age is renewed on all connections.
    func renewDueToken() {
        guard let token = currentToken() else { return }
        for connection in connections where connection.tokenNumber != token.number {
            connection.adopt(token)
        }
    }

    private func replacement(forExpired number: Int) -> ProviderCredential.Replacement? {
        do {
            return try configuration.credential?.replacement(
                forExpired: number, nowNanoseconds: nowNanoseconds,
                nowMicroseconds: WallClock.microseconds())
        } catch {
            fail(.credentials("the provider token can't be signed: \(error)"))
            return nil
        }
    }

    private func noteRenewal(_ connection: PushConnection) {
        note(.tokenRenewed, connection, "APNs called the old one expired")
    }

    private static let expiredAgain = """
        APNs answered 403 ExpiredProviderToken to a token that was itself made because the one \
        before was called expired. A clock is wrong.
        """
}
