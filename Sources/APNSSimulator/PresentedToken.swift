internal import APNSProtocol

/// A provider token as a request presented it: what was found in it, without its text.
struct PresentedToken: Sendable, Equatable {
    /// Tells different header values apart.
    let identity: UInt64
    /// Why the token is worth nothing at any time; nil if it is genuine.
    let refusal: Refusal?
    /// Its `iat`, in seconds since 1970 UTC; 0 if it could not be read.
    let issuedAtSeconds: Int64
}

/// Who signs provider tokens, and how the simulator tells that they did.
package struct CredentialRule: Sendable {
    /// Whether a signature (64 bytes, R and S) fits a message under the provider's public key.
    package typealias SignatureCheck =
        @Sendable (_ message: [UInt8], _ signature: [UInt8]) -> Bool

    /// The key id that a token's header must name.
    package let keyID: String
    /// The team id that a token's claims must name.
    package let teamID: String
    /// How a signature is checked.
    package let isSignedByProvider: SignatureCheck

    /// Names the provider.
    ///
    /// - Parameters:
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    ///   - isSignedByProvider: Checks a signature; called once for each different token, on the
    ///     simulator's threads.
    package init(keyID: String, teamID: String, isSignedByProvider: @escaping SignatureCheck) {
        self.keyID = keyID
        self.teamID = teamID
        self.isSignedByProvider = isSignedByProvider
    }

    /// Judges what does not depend on the time: form, algorithm, key, team, signature.
    ///
    /// - Parameters:
    ///   - header: The value of `authorization`.
    ///   - identity: Tells different header values apart.
    /// - Returns: What was found.
    func examine(_ header: Span<UInt8>, identity: UInt64) -> PresentedToken {
        let issuedAt = genuineIssueTime(header)
        return PresentedToken(
            identity: identity, refusal: issuedAt == nil ? .invalidProviderToken : nil,
            issuedAtSeconds: issuedAt ?? 0)
    }

    /// The `iat` of a genuine token; nil for any other.
    private func genuineIssueTime(_ header: Span<UInt8>) -> Int64? {
        guard header.count > 7, Self.isBearer(header.extracting(first: 7)) else { return nil }
        let token = header.extracting(droppingFirst: 7)
        guard let firstDot = Self.dot(in: token, from: 0),
            let secondDot = Self.dot(in: token, from: firstDot + 1),
            let head = Base64URL.decode(token.extracting(0..<firstDot)),
            let claims = Base64URL.decode(token.extracting((firstDot + 1)..<secondDot)),
            let signature = Base64URL.decode(token.extracting(droppingFirst: secondDot + 1)),
            signature.count == 64
        else { return nil }
        var headWalk = JSONWalk(visitor: TokenVisitor(rule: self))
        var claimsWalk = JSONWalk(visitor: TokenVisitor(rule: self))
        guard headWalk.walk(head.span), headWalk.visitor.namesAlgorithm, headWalk.visitor.namesKey,
            claimsWalk.walk(claims.span), claimsWalk.visitor.namesTeam,
            let issuedAt = claimsWalk.visitor.issuedAtSeconds
        else { return nil }
        var message: [UInt8] = []
        message.append(token.extracting(0..<secondDot))
        return isSignedByProvider(message, signature) ? issuedAt : nil
    }

    /// The scheme's name has no case (RFC 9110, section 11.1).
    private static func isBearer(_ scheme: Span<UInt8>) -> Bool {
        let bearer: StaticString = "bearer "
        // Sound: `utf8Start` holds as many bytes as the scheme has.
        for index in scheme.indices where unsafe scheme[index] | 0x20 != bearer.utf8Start[index] {
            return false
        }
        return true
    }

    private static func dot(in text: Span<UInt8>, from start: Int) -> Int? {
        for index in start..<text.count where text[index] == UInt8(ascii: ".") { return index }
        return nil
    }
}

/// Looks for the members of a token's header and claims.
private struct TokenVisitor: JSONVisitor {
    let rule: CredentialRule
    var namesAlgorithm = false
    var namesKey = false
    var namesTeam = false
    var issuedAtSeconds: Int64?

    mutating func member(name: Range<Int>, value: Range<Int>, of text: Span<UInt8>) {
        let value = text.extracting(value)
        switch name.count {
        case 3:
            let key = text.extracting(name)
            if Bytes.areEqual(key, "alg") {
                namesAlgorithm = Bytes.areEqual(value, "\"ES256\"")
            } else if Bytes.areEqual(key, "kid") {
                namesKey = Self.isQuoted(value, rule.keyID)
            } else if Bytes.areEqual(key, "iss") {
                namesTeam = Self.isQuoted(value, rule.teamID)
            } else if Bytes.areEqual(key, "iat") {
                issuedAtSeconds = Self.wholeNumber(value)
            }
        default: break
        }
    }

    mutating func innerMember(
        name: Range<Int>, value: Range<Int>, outerName: Range<Int>, of text: Span<UInt8>
    ) {}

    private static func isQuoted(_ value: Span<UInt8>, _ text: String) -> Bool {
        let expected = Array("\"\(text)\"".utf8)
        return Bytes.areEqual(value, expected.span)
    }

    private static func wholeNumber(_ value: Span<UInt8>) -> Int64? {
        var digits: [UInt8] = []
        digits.append(value)
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
