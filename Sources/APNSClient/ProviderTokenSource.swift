package import APNSProtocol
package import TLS

/// Where the one provider token of a key is kept for all processes and machines.
package protocol ProviderTokenSource {
    /// Why it can't be asked.
    associatedtype Failure: Error

    /// Gives the token that is in use, or makes one by the rules of ``ProviderTokenSharing`` and
    /// keeps it. Blocks.
    ///
    /// - Parameter request: For whom, and what the caller knows.
    /// - Returns: The token to use; nil if a new one would be no cure.
    /// - Throws: If the place can't be reached or nothing can be signed.
    func exchange(_ request: ProviderTokenRequest) throws(Failure) -> SharedProviderToken?
}

/// What a process asks a ``ProviderTokenSource``.
package struct ProviderTokenRequest {
    /// Key and team.
    package let identity: ProviderIdentity
    /// SHA-256 of the public key in hex: another key under the same ids makes other tokens.
    package var keyDigest: String {
        Digest.sha256(key.publicKeyPEM).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
    /// The token the caller uses now.
    package let held: ProviderToken?
    /// Whether APNs called that one expired.
    package let isRefused: Bool
    let key: SigningKey

    /// Makes a token; keeping it is the source's business.
    ///
    /// - Parameter issuedAtSeconds: its `iat`, in seconds since 1970 UTC.
    /// - Returns: the token, ASCII.
    /// - Throws: ``TLSError`` if OpenSSL can't sign.
    package func make(issuedAtSeconds: Int64) throws(TLSError) -> [UInt8] {
        try ProviderToken.make(
            for: identity, issuedAtSeconds: issuedAtSeconds, nowNanoseconds: 0
        ) { (input) throws(TLSError) in try key.signES256(input) }.jwt
    }
}

/// A token as a ``ProviderTokenSource`` gives it.
package struct SharedProviderToken: Sendable, Equatable {
    /// The token, ASCII.
    package let jwt: [UInt8]
    /// Its `iat`, in seconds since 1970 UTC.
    package let issuedAtSeconds: Int64
    /// When it was made, in nanoseconds of this machine's monotonic clock; may be negative.
    package let issuedAtNanoseconds: Int64

    /// A token of these parts.
    package init(jwt: [UInt8], issuedAtSeconds: Int64, issuedAtNanoseconds: Int64) {
        self.jwt = jwt
        self.issuedAtSeconds = issuedAtSeconds
        self.issuedAtNanoseconds = issuedAtNanoseconds
    }
}
