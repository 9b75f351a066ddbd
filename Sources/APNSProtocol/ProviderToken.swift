/// A signed provider token (a JWT), one for all connections, processes and machines of a key.
///
/// *Source:* Apple, "Establishing a token-based connection to APNs"; RFC 7515; RFC 7518, section
/// 3.4 (the signature is R and S, 32 bytes each, end to end).
package struct ProviderToken: Sendable, Equatable {
    /// The token itself, ASCII. It is a secret for as long as it is valid.
    package let jwt: [UInt8]

    /// Its `iat`: when it was made, in seconds since 1970 UTC, by the wall clock.
    package let issuedAtSeconds: Int64

    /// When it was made, in nanoseconds of the monotonic clock. Its age is told by this one, so
    /// that setting the wall clock neither keeps an old token in use nor renews a young one.
    package let issuedAtNanoseconds: Int64

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - identity: Key and team.
    ///   - issuedAtSeconds: The wall clock's time, in seconds since 1970 UTC.
    ///   - nowNanoseconds: The monotonic clock's time.
    ///   - sign: Signs bytes with ES256 and returns the 64 bytes R and S.
    /// - Returns: The token.
    /// - Throws: What `sign` throws.
    package static func make<Failure: Error>(
        for identity: ProviderIdentity, issuedAtSeconds: Int64, nowNanoseconds: Int64,
        sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> ProviderToken {
        var jwt = signingInput(for: identity, issuedAtSeconds: issuedAtSeconds)
        let signature = try sign(jwt)
        precondition(signature.count == 64, "An ES256 signature has 64 bytes.")
        jwt.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &jwt)
        return ProviderToken(
            jwt: jwt, issuedAtSeconds: issuedAtSeconds, issuedAtNanoseconds: nowNanoseconds)
    }

    /// A token that another process made.
    ///
    /// - Parameters:
    ///   - jwt: The token.
    ///   - issuedAtSeconds: Its `iat`.
    ///   - issuedAtNanoseconds: When it was made on this machine's monotonic clock: now minus its
    ///     age. May be negative.
    package init(jwt: [UInt8], issuedAtSeconds: Int64, issuedAtNanoseconds: Int64) {
        self.jwt = jwt
        self.issuedAtSeconds = issuedAtSeconds
        self.issuedAtNanoseconds = issuedAtNanoseconds
    }

    /// The value of the `authorization` header.
    package var headerValue: [UInt8] { [UInt8]("bearer ".utf8) + jwt }

    /// Header and claims, encoded and joined: the bytes that are signed.
    ///
    /// - Parameters:
    ///   - identity: Key and team.
    ///   - issuedAtSeconds: The `iat` claim, in seconds since 1970 UTC.
    /// - Returns: ASCII.
    package static func signingInput(
        for identity: ProviderIdentity, issuedAtSeconds: Int64
    ) -> [UInt8] {
        var header = [UInt8](#"{"alg":"ES256","kid":"#.utf8)
        JSONText.appendString(identity.keyID, to: &header)
        header.append(UInt8(ascii: "}"))
        var claims = [UInt8](#"{"iss":"#.utf8)
        JSONText.appendString(identity.teamID, to: &claims)
        claims.append(contentsOf: #","iat":"#.utf8)
        JSONText.appendNumber(issuedAtSeconds, to: &claims)
        claims.append(UInt8(ascii: "}"))
        var input: [UInt8] = []
        Base64URL.append(header, to: &input)
        input.append(UInt8(ascii: "."))
        Base64URL.append(claims, to: &input)
        return input
    }
}

/// Whose provider token it is.
package struct ProviderIdentity: Sendable, Hashable {
    /// The key's identifier, 10 characters: `kid`.
    package let keyID: String
    /// The developer team's identifier, 10 characters: `iss`.
    package let teamID: String

    /// Names key and team.
    ///
    /// - Parameters:
    ///   - keyID: The key's identifier.
    ///   - teamID: The team's identifier.
    package init(keyID: String, teamID: String) {
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Whether a text has the form of a key or team identifier: ten upper-case letters and digits.
    ///
    /// - Parameter text: The text as configured.
    /// - Returns: Whether it may be one.
    package static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == APNSLimits.keyIDLength
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
}
