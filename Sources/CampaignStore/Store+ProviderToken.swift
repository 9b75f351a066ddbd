// The provider token that all processes and machines of a key share.

package import APNSProtocol
internal import PostgreSQL

/// What a process brings along when it asks for a key's provider token.
package struct ProviderTokenQuestion {
    /// Key and team.
    package var identity: ProviderIdentity
    /// SHA-256 of the public key, in hex.
    package var keyDigest: String
    /// The token the process uses now, if it has one.
    package var held: ProviderToken?
    /// Whether APNs called that one expired.
    package var isRefused: Bool
    /// Names this boot of this machine; two that share a monotonic clock share it.
    package var bootID: String
    /// The machine's monotonic clock, in nanoseconds.
    package var monotonicNanoseconds: () -> Int64
    /// Signs a token for an `iat` in seconds since 1970 UTC.
    package var make: (Int64) throws(StoreError) -> [UInt8]

    /// A question of these parts.
    package init(
        identity: ProviderIdentity, keyDigest: String, held: ProviderToken? = nil,
        isRefused: Bool = false, bootID: String, monotonicNanoseconds: @escaping () -> Int64,
        make: @escaping (Int64) throws(StoreError) -> [UInt8]
    ) {
        self.identity = identity
        self.keyDigest = keyDigest
        self.held = held
        self.isRefused = isRefused
        self.bootID = bootID
        self.monotonicNanoseconds = monotonicNanoseconds
        self.make = make
    }

    fileprivate var key: [PGValue] {
        [.text(identity.keyID), .text(identity.teamID), .text(keyDigest)]
    }
}

extension Store {
    /// Gives a key's provider token, or has one made and keeps it, by the rules of
    /// ``ProviderTokenSharing``. Of any number of processes that ask at once, one makes it.
    ///
    /// The token is dated by the database's clock: one clock for all machines.
    ///
    /// - Parameter question: For whom, and what the process knows.
    /// - Returns: The token; nil if APNs refuses it and a new one would be no cure.
    /// - Throws: Database trouble; ``StoreError/schemaMismatch(_:)`` if the role may not use the
    ///   table; what `make` throws.
    package func providerToken(
        _ question: ProviderTokenQuestion
    ) throws(StoreError) -> ProviderToken? {
        do throws(StoreError) {
            let row = try find(question)
            if let kept = row.kept, kept.step(question) == .use {
                return kept.token(question)
            }
            return try retryingTransaction { () throws(StoreError) in
                try self.run("provider_token_lock")
                return try decide(try find(question), question)
            }
        } catch {
            guard case .database(let cause) = error, cause.sqlState == "42501" else { throw error }
            throw .schemaMismatch(
                "this database role may not use sortie.provider_token, which is for the owner of "
                    + "the tables: run as the role that ran \"sortie database migrate\"")
        }
    }

    /// The database's clock.
    ///
    /// - Returns: Microseconds since 1970 UTC.
    /// - Throws: Database trouble.
    package func clockMicroseconds() throws(StoreError) -> Int64 {
        try run("clock_now").integer(0, 0) ?? 0
    }

    private func find(
        _ question: ProviderTokenQuestion
    ) throws(StoreError) -> (databaseSeconds: Int64, kept: KeptProviderToken?) {
        let result = try run("provider_token_find", question.key)
        return (result.integer(0, 0) ?? 0, KeptProviderToken(result))
    }

    /// Decides under the lock.
    private func decide(
        _ row: (databaseSeconds: Int64, kept: KeptProviderToken?),
        _ question: ProviderTokenQuestion
    ) throws(StoreError) -> ProviderToken? {
        let now = question.monotonicNanoseconds()
        if let kept = row.kept {
            switch kept.step(question) {
            case .use: return kept.token(question)
            case .giveUp: return nil
            case .make: break
            }
        } else if let held = question.held, !question.isRefused,
            !ProviderTokenAge.isRenewalDue(held, nowNanoseconds: now)
        {
            // Somebody emptied the table. The token that is in use is put back: another one now
            // might be one too many.
            try keep(held, question, isAfterRefusal: false, nowNanoseconds: now)
            return held
        }
        let token = ProviderToken(
            jwt: try question.make(row.databaseSeconds), issuedAtSeconds: row.databaseSeconds,
            issuedAtNanoseconds: now)
        let isAfterRefusal = question.isRefused && row.kept?.isRefused(question) ?? true
        try keep(token, question, isAfterRefusal: isAfterRefusal, nowNanoseconds: now)
        return token
    }

    private func keep(
        _ token: ProviderToken, _ question: ProviderTokenQuestion, isAfterRefusal: Bool,
        nowNanoseconds: Int64
    ) throws(StoreError) {
        try run(
            "provider_token_keep",
            question.key + [
                .text(String(decoding: token.jwt, as: UTF8.self)),
                .integer(token.issuedAtSeconds),
                .integer(nowNanoseconds - token.issuedAtNanoseconds), .boolean(isAfterRefusal),
                .text(question.bootID), .integer(token.issuedAtNanoseconds),
            ])
    }
}

/// A row of the table, as provider_token_find reads it.
private struct KeptProviderToken {
    private let jwt: [UInt8]
    private let issuedAtSeconds: Int64
    private let databaseAgeMicroseconds: Int64
    private let isAfterRefusal: Bool
    private let bootID: String
    private let bootNanoseconds: Int64

    /// The row; nil if there is none.
    init?(_ result: PGResult) {
        guard let jwt = result.text(0, 1) else { return nil }
        self.jwt = Array(jwt.utf8)
        issuedAtSeconds = result.integer(0, 2) ?? 0
        databaseAgeMicroseconds = result.integer(0, 3) ?? 0
        isAfterRefusal = result.boolean(0, 4) ?? false
        bootID = result.text(0, 5) ?? ""
        bootNanoseconds = result.integer(0, 6) ?? 0
    }

    /// Whether this is the token that the process says is refused.
    func isRefused(_ question: ProviderTokenQuestion) -> Bool {
        question.isRefused && question.held?.jwt == jwt
    }

    func step(_ question: ProviderTokenQuestion) -> ProviderTokenStep {
        ProviderTokenSharing.step(
            ageNanoseconds: ageNanoseconds(question), isRefused: isRefused(question),
            isAfterRefusal: isAfterRefusal)
    }

    func token(_ question: ProviderTokenQuestion) -> ProviderToken {
        let age = ageNanoseconds(question) ?? 0
        return ProviderToken(
            jwt: jwt, issuedAtSeconds: issuedAtSeconds,
            issuedAtNanoseconds: question.monotonicNanoseconds() - age)
    }

    private func ageNanoseconds(_ question: ProviderTokenQuestion) -> Int64? {
        let now = question.monotonicNanoseconds()
        var clocks = ProviderTokenClocks(databaseNanoseconds: databaseAgeMicroseconds * 1_000)
        if let held = question.held, held.jwt == jwt {
            clocks.heldNanoseconds = now - held.issuedAtNanoseconds
        }
        if !bootID.isEmpty, bootID == question.bootID {
            clocks.bootNanoseconds = now - bootNanoseconds
        }
        return clocks.ageNanoseconds
    }
}
