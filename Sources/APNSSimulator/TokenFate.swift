/// What the simulator knows about one device token.
package enum TokenFate: Sendable, Equatable {
    /// The token is registered: requests to it are accepted.
    case good
    /// The app is gone since the time given, in milliseconds since 1970 UTC: 410 `Unregistered`.
    case dead(timestampMilliseconds: Int64)
    /// The token belongs to the other environment: 400 `BadDeviceToken`.
    case otherEnvironment
    /// The token belongs to another app: 400 `DeviceTokenNotForTopic`.
    case wrongTopic
    /// Requests to it are never answered.
    case ignored
}

/// The shares of tokens that do not simply work, each from 0 to 1; what is left is good.
package struct TokenShares: Sendable, Equatable {
    /// Tokens that answer 410 with a timestamp.
    package var dead: Double
    /// Tokens of the other environment.
    package var otherEnvironment: Double
    /// Tokens of another app.
    package var wrongTopic: Double
    /// Tokens whose requests are never answered.
    package var ignored: Double

    /// Names the shares; by default every token is good.
    ///
    /// - Parameters:
    ///   - dead: Share of dead tokens.
    ///   - otherEnvironment: Share of tokens of the other environment.
    ///   - wrongTopic: Share of tokens of another app.
    ///   - ignored: Share of tokens that are never answered.
    package init(
        dead: Double = 0, otherEnvironment: Double = 0, wrongTopic: Double = 0, ignored: Double = 0
    ) {
        self.dead = dead
        self.otherEnvironment = otherEnvironment
        self.wrongTopic = wrongTopic
        self.ignored = ignored
    }
}

/// Tells the fate of any token: a pure function of the token's digits, a seed and the shares.
///
/// Whoever makes device tables for a simulator computes the same fates beforehand with the same
/// values. Costs one hash of the token, allocates nothing.
package struct TokenFates: Sendable, Equatable {
    /// The shares the fates are drawn by.
    package let shares: TokenShares
    /// Tokens fall differently under each seed.
    package let seed: UInt64
    /// The moment that dead tokens died before, in milliseconds since 1970 UTC.
    package let referenceMilliseconds: Int64

    // Upper bounds of the hash for each fate, in the order of the cases.
    private let deadBelow: UInt64
    private let otherEnvironmentBelow: UInt64
    private let wrongTopicBelow: UInt64
    private let ignoredBelow: UInt64

    private static let dayMilliseconds: UInt64 = 86_400_000
    /// A dead token died at least this many days before the reference time.
    package static let deadDaysMin: Int64 = 1
    /// A dead token died less than this many days before the reference time.
    package static let deadDaysMax: Int64 = 31

    /// Fixes the shares, the seed and the reference time.
    ///
    /// - Parameters:
    ///   - shares: Shares from 0 to 1; where their sum is over 1 the later ones get what is left.
    ///   - seed: Any number.
    ///   - referenceMilliseconds: Milliseconds since 1970 UTC.
    package init(shares: TokenShares, seed: UInt64, referenceMilliseconds: Int64) {
        self.shares = shares
        self.seed = seed
        self.referenceMilliseconds = referenceMilliseconds
        var sum = shares.dead
        deadBelow = UnitShare.bound(sum)
        sum += shares.otherEnvironment
        otherEnvironmentBelow = UnitShare.bound(sum)
        sum += shares.wrongTopic
        wrongTopicBelow = UnitShare.bound(sum)
        sum += shares.ignored
        ignoredBelow = UnitShare.bound(sum)
    }

    /// The fate of a token.
    ///
    /// - Parameter token: The token's hex digits, either case.
    /// - Returns: Always the same for the same token, seed, shares and reference time.
    package func fate(of token: String) -> TokenFate {
        var token = token
        return token.withUTF8 { bytes in
            // Sound: the span is used within the closure that lends the bytes.
            unsafe fate(ofHash: TokenHash.value(of: Span(_unsafeElements: bytes), seed: seed))
        }
    }

    /// The fate of a token whose hash under this seed is known.
    ///
    /// - Parameter hash: `TokenHash.value(of:seed:)` with this `seed`.
    /// - Returns: The token's fate.
    package func fate(ofHash hash: UInt64) -> TokenFate {
        if hash >= ignoredBelow { return .good }
        if hash < deadBelow {
            return .dead(timestampMilliseconds: deathMilliseconds(ofHash: hash))
        }
        if hash < otherEnvironmentBelow { return .otherEnvironment }
        return hash < wrongTopicBelow ? .wrongTopic : .ignored
    }

    private func deathMilliseconds(ofHash hash: UInt64) -> Int64 {
        let spread = UInt64(Self.deadDaysMax - Self.deadDaysMin) * Self.dayMilliseconds
        let within = TokenHash.derived(from: hash, question: 1) % spread
        let before = UInt64(Self.deadDaysMin) * Self.dayMilliseconds + within
        return referenceMilliseconds - Int64(before)
    }
}

/// Turns shares into bounds of a 64-bit value that is evenly spread.
enum UnitShare {
    /// The bound below which that share of all values lies.
    ///
    /// - Parameter share: From 0 to 1.
    /// - Returns: 0 for none, the largest value for all (which leaves out that one value).
    static func bound(_ share: Double) -> UInt64 {
        if !(share > 0) { return 0 }
        let scaled = share * 0x1p64
        return scaled < 0x1p64 ? UInt64(scaled) : UInt64.max
    }
}
