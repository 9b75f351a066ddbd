import Testing

@testable import APNSSimulator

@Suite struct TokenFateTests {
    static let reference: Int64 = 1_800_000_000_000
    static let day: Int64 = 86_400_000

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    static func fates(_ shares: TokenShares, seed: UInt64 = 7) -> TokenFates {
        TokenFates(shares: shares, seed: seed, referenceMilliseconds: reference)
    }

    @Test func fateIsStable() {
        let shares = TokenShares(dead: 0.3, otherEnvironment: 0.1, wrongTopic: 0.1, ignored: 0.1)
        for number in 0..<1000 {
            let token = Self.token(number)
            #expect(Self.fates(shares).fate(of: token) == Self.fates(shares).fate(of: token))
        }
    }

    @Test func hashNeverChanges() {
        // Device tables made by one version are judged by another.
        let token = Array(String(repeating: "c0ffee01", count: 8).utf8)
        let hash = TokenHash.value(of: token.span, seed: 1)
        #expect(hash == 1_201_502_668_899_804_232)
    }

    @Test func bothCasesOfAHexDigitAreTheSameToken() {
        let shares = TokenShares(dead: 0.5)
        for number in 0..<200 {
            let token = "abcdef\(number)" + Self.token(number).dropFirst(10)
            #expect(
                Self.fates(shares).fate(of: token)
                    == Self.fates(shares).fate(of: token.uppercased()))
        }
    }

    @Test func sharesAreKept() {
        let shares = TokenShares(dead: 0.3, otherEnvironment: 0.1, wrongTopic: 0.05, ignored: 0.02)
        let fates = Self.fates(shares)
        var counts = [0, 0, 0, 0, 0]
        let total = 100_000
        for number in 0..<total {
            switch fates.fate(of: Self.token(number)) {
            case .good: counts[0] += 1
            case .dead: counts[1] += 1
            case .otherEnvironment: counts[2] += 1
            case .wrongTopic: counts[3] += 1
            case .ignored: counts[4] += 1
            }
        }
        let expected = [0.53, 0.3, 0.1, 0.05, 0.02]
        for (count, share) in zip(counts, expected) {
            // Five standard deviations of a binomial count.
            let deviation = (Double(total) * share * (1 - share)).squareRoot()
            #expect(abs(Double(count) - Double(total) * share) < 5 * deviation)
        }
    }

    @Test func deadTokensDiedOneToThirtyOneDaysBefore() {
        let fates = Self.fates(TokenShares(dead: 1))
        var earliest = Int64.max
        var latest = Int64.min
        for number in 0..<10_000 {
            guard case .dead(let time) = fates.fate(of: Self.token(number)) else {
                Issue.record("token \(number) is not dead")
                return
            }
            earliest = min(earliest, time)
            latest = max(latest, time)
        }
        #expect(latest <= Self.reference - Self.day)
        #expect(earliest > Self.reference - 31 * Self.day)
        #expect(latest - earliest > 29 * Self.day)
    }

    @Test func anotherSeedIsAnotherWorld() {
        let shares = TokenShares(dead: 0.5)
        let differing = (0..<1000).count { number in
            let token = Self.token(number)
            return Self.fates(shares, seed: 1).fate(of: token)
                != Self.fates(shares, seed: 2).fate(of: token)
        }
        #expect(differing > 400)
    }

    @Test func noShareMeansNoToken() {
        let fates = Self.fates(TokenShares())
        #expect((0..<1000).allSatisfy { fates.fate(of: Self.token($0)) == .good })
    }

    @Test func lengthBelongsToTheToken() {
        let short = Array(String(repeating: "0", count: 64).utf8)
        let long = Array(String(repeating: "0", count: 72).utf8)
        let hashes = [
            TokenHash.value(of: short.span, seed: 1), TokenHash.value(of: long.span, seed: 1),
        ]
        #expect(hashes[0] != hashes[1])
    }
}
