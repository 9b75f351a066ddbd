import APNSProtocol
import Testing

@testable import APNSSimulator

@Suite struct CredentialRuleTests {
    static let keyID = "K1K1K1K1K1"
    static let teamID = "T2T2T2T2T2"
    static let signature = [UInt8](repeating: 7, count: 64)

    /// Takes exactly the one signature, whatever was signed.
    static let rule = CredentialRule(keyID: keyID, teamID: teamID) { _, signature in
        signature == Self.signature
    }

    static func header(
        head: String = #"{"alg":"ES256","kid":"\#(keyID)"}"#,
        claims: String = #"{"iss":"\#(teamID)","iat":1800000000}"#,
        signature: [UInt8] = signature, scheme: String = "bearer "
    ) -> String {
        var text: [UInt8] = Array(scheme.utf8)
        Base64URL.append(Array(head.utf8), to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(Array(claims.utf8), to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static func examine(_ header: String) -> PresentedToken {
        rule.examine(Array(header.utf8).span, identity: 1)
    }

    @Test(arguments: [
        header(), header(scheme: "Bearer "), header(scheme: "BEARER "),
        header(head: #"{"kid":"\#(keyID)","typ":"JWT","alg":"ES256"}"#),
        header(claims: #"{ "iat" : 1800000000, "iss" : "\#(teamID)", "kid": 1 }"#),
    ])
    func genuineTokenIsTaken(_ header: String) {
        let token = Self.examine(header)
        #expect(token.refusal == nil)
        #expect(token.issuedAtSeconds == 1_800_000_000)
    }

    @Test(arguments: [
        "", "bearer", "bearer ", "bearer a", "bearer a.b", "bearer a.b.c", "basic abc",
        String(header().dropFirst(7)), header(scheme: "bearer"), header(scheme: "bearer  "),
        header() + "=", header() + ".x", String(header().dropLast(4)),
        header(head: #"{"alg":"none","kid":"\#(keyID)"}"#), header(head: #"{"alg":"ES256"}"#),
        header(head: #"{"alg":"ES256","kid":"K1K1K1K1K2"}"#),
        // sideshow/apns2#102: key id and team id swapped.
        header(
            head: #"{"alg":"ES256","kid":"\#(teamID)"}"#,
            claims: #"{"iss":"\#(keyID)","iat":1800000000}"#),
        header(claims: #"{"iss":"\#(teamID)"}"#), header(claims: #"{"iat":1800000000}"#),
        header(claims: #"{"iss":"\#(teamID)","iat":"1800000000"}"#),
        header(claims: #"{"iss":"\#(teamID)","iat":1800000000.5}"#),
        header(claims: #"{"iss":"\#(teamID)","iat":1800000000"#), header(claims: ""),
        header(signature: [UInt8](repeating: 8, count: 64)),
        header(signature: [UInt8](repeating: 7, count: 63)),
        // A signature in DER form, as OpenSSL makes them, is not what JWTs have.
        header(signature: [0x30, 0x44] + [UInt8](repeating: 7, count: 68)),
    ])
    func anythingElseIsInvalid(_ header: String) {
        #expect(Self.examine(header).refusal == .invalidProviderToken)
    }

    @Test func whatIsSignedIsTheTextBeforeTheLastDot() {
        let rule = CredentialRule(keyID: Self.keyID, teamID: Self.teamID) { message, _ in
            "bearer " + String(decoding: message, as: UTF8.self)
                == Self.header().split(separator: ".").dropLast().joined(separator: ".")
        }
        let token = rule.examine(Array(Self.header().utf8).span, identity: 1)
        #expect(token.refusal == nil)
    }
}

@Suite struct CredentialJudgeTests {
    static let now: Int64 = 1_800_000_000

    static func token(age: Int64, identity: UInt64 = 1) -> PresentedToken {
        PresentedToken(identity: identity, refusal: nil, issuedAtSeconds: now - age)
    }

    @Test(
        arguments: [
            (3599, nil), (3600, nil), (3601, .expiredProviderToken), (0, nil), (-3599, nil),
            (-3600, nil), (-3601, .invalidProviderToken),
        ] as [(Int64, Refusal?)])
    func tokenLivesAnHour(_ age: Int64, _ refusal: Refusal?) {
        var judge = CredentialJudge()
        let ruling = judge.ruling(on: Self.token(age: age), wallSeconds: Self.now)
        #expect(ruling == refusal.map { .refused($0) } ?? .accepted)
    }

    @Test func noTokenIsMissing() {
        var judge = CredentialJudge()
        #expect(
            judge.ruling(on: nil, wallSeconds: Self.now) == .refused(.missingProviderToken))
    }

    @Test(arguments: [(1199, true), (1200, false), (1201, false)] as [(Int64, Bool)])
    func renewalTakesTwentyMinutes(_ apart: Int64, _ isTooSoon: Bool) {
        // Pr0Ger/PyAPNs2#76: a new token per worker or per request meets this refusal.
        var judge = CredentialJudge()
        let old = Self.token(age: 1500)
        let new = Self.token(age: 1500 - apart, identity: 2)
        #expect(judge.ruling(on: old, wallSeconds: Self.now) == .accepted)
        let expected: CredentialRuling =
            isTooSoon ? .refused(.tooManyProviderTokenUpdates) : .accepted
        #expect(judge.ruling(on: new, wallSeconds: Self.now) == expected)
        // The old one is as good as before.
        #expect(judge.ruling(on: old, wallSeconds: Self.now) == .accepted)
    }

    @Test func refusedTokenDoesNotCountAsAnUpdate() {
        var judge = CredentialJudge()
        let wrong = PresentedToken(
            identity: 2, refusal: .invalidProviderToken, issuedAtSeconds: Self.now)
        #expect(
            judge.ruling(on: wrong, wallSeconds: Self.now) == .refused(.invalidProviderToken))
        #expect(judge.ruling(on: Self.token(age: 0), wallSeconds: Self.now) == .accepted)
        #expect(
            judge.ruling(on: wrong, wallSeconds: Self.now) == .refused(.invalidProviderToken))
        #expect(judge.ruling(on: Self.token(age: 0), wallSeconds: Self.now) == .accepted)
    }
}

@Suite struct CredentialBookTests {
    @Test func eachTokenIsExaminedOnce() {
        let examined = Counter()
        let rule = CredentialRule(
            keyID: CredentialRuleTests.keyID, teamID: CredentialRuleTests.teamID
        ) { _, _ in
            examined.count += 1
            return true
        }
        var book = CredentialBook(rule: rule)
        var found: [UInt64] = []
        let headers = (0..<3).map { CredentialRuleTests.header(signature: signature($0)) }
        for _ in 0..<10 {
            for header in headers {
                let token = book.presented(Array(header.utf8).span) { found.append($0) }
                #expect(token.refusal == nil)
            }
        }
        #expect(examined.count == 3)
        #expect(Set(found).count == 3)
    }

    @Test func oldestMakesRoom() {
        var book = CredentialBook(rule: nil)
        var found = 0
        for round in 0..<2 {
            for number in 0..<65 {
                _ = book.presented(Array("bearer \(number)".utf8).span) { _ in found += 1 }
            }
            #expect(found >= 65 * (round + 1) - 64)
        }
        let last = book.presented(Array("bearer 64".utf8).span) { _ in found = -1 }
        #expect(found > 0)
        #expect(last.refusal == nil)
    }

    private func signature(_ byte: Int) -> [UInt8] { [UInt8](repeating: UInt8(byte), count: 64) }

    /// Counted on one thread: the test's.
    private final class Counter: @unchecked Sendable {
        var count = 0
    }
}
