import APNSProtocol
import Testing

@Suite struct ProviderTokenTests {
    private static let identity = ProviderIdentity(keyID: "K1K1K1K1K1", teamID: "T2T2T2T2T2")

    private struct SigningFailed: Error, Equatable {}

    @Test func theTokenIsHeaderClaimsAndSignature() throws {
        var signed: [UInt8] = []
        let token = try ProviderToken.make(
            for: Self.identity, issuedAtSeconds: 1_794_268_800, nowNanoseconds: 77
        ) { (input: [UInt8]) throws(SigningFailed) in
            signed = input
            return [UInt8](repeating: 0xFB, count: 64)
        }
        let parts = token.jwt.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(decoded(parts[0]) == #"{"alg":"ES256","kid":"K1K1K1K1K1"}"#)
        #expect(decoded(parts[1]) == #"{"iss":"T2T2T2T2T2","iat":1794268800}"#)
        let signature = [UInt8](parts[2])
        #expect(Base64URL.decode(signature.span) == [UInt8](repeating: 0xFB, count: 64))
        #expect(signed == [UInt8](parts[0]) + [UInt8(ascii: ".")] + [UInt8](parts[1]))
        #expect(token.issuedAtSeconds == 1_794_268_800)
        #expect(token.issuedAtNanoseconds == 77)
    }

    @Test func theTokenFitsAHeader() {
        let token = ProviderToken.make(
            for: Self.identity, issuedAtSeconds: 1_794_268_800, nowNanoseconds: 0
        ) { _ in [UInt8](repeating: 0xFF, count: 64) }
        let value = String(decoding: token.headerValue, as: UTF8.self)
        #expect(value.hasPrefix("bearer "))
        #expect(!value.contains("="))
        #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test func aFailureToSignIsPassedOn() {
        #expect(throws: SigningFailed.self) {
            try ProviderToken.make(for: Self.identity, issuedAtSeconds: 0, nowNanoseconds: 0) {
                (_: [UInt8]) throws(SigningFailed) in throw SigningFailed()
            }
        }
    }

    @Test func anOddIdentifierCannotBreakTheJSON() {
        let identity = ProviderIdentity(keyID: "a\"b", teamID: "c\\d")
        let input = ProviderToken.signingInput(for: identity, issuedAtSeconds: -1)
        let parts = input.split(separator: UInt8(ascii: "."))
        #expect(decoded(parts[0]) == #"{"alg":"ES256","kid":"a\"b"}"#)
        #expect(decoded(parts[1]) == #"{"iss":"c\\d","iat":-1}"#)
    }

    @Test(arguments: [
        ("ABC123DEFG", true), ("ABC123DEF", false), ("ABC123DEFGH", false), ("abc123defg", false),
        ("ABC 23DEFG", false), ("ABC123DEÉ", false), ("", false),
    ])
    func anIdentifierHasTenCharacters(_ text: String, _ isIdentifier: Bool) {
        #expect(ProviderIdentity.isIdentifier(text) == isIdentifier)
    }

    private func decoded(_ part: ArraySlice<UInt8>) -> String? {
        let bytes = [UInt8](part)
        return Base64URL.decode(bytes.span).map { String(decoding: $0, as: UTF8.self) }
    }
}
