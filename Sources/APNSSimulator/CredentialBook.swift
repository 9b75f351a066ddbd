// A sender shows the same token with every request, so a token is examined once for each different
// header value and then recognised by its bytes: in the usual case by one comparison with the last
// one seen. What depends on the time (the token's age) and on the connection (renewals) is asked
// anew each time from the numbers kept.

/// The provider tokens seen lately, each examined once.
///
/// Owned by one worker, used on its thread.
struct CredentialBook {
    /// Tokens held; the oldest makes room. A sender has one, and a new one every 20 minutes.
    private static let entriesMax = 64

    private struct Entry {
        let header: [UInt8]
        let token: PresentedToken

        func holds(_ other: Span<UInt8>) -> Bool { Bytes.areEqual(header.span, other) }
    }

    private let rule: CredentialRule?
    private var entries: [Entry] = []
    private var oldest = 0
    private var last = 0

    init(rule: CredentialRule?) {
        self.rule = rule
    }

    /// What is in the value of an `authorization` field.
    ///
    /// - Parameters:
    ///   - header: The field's value.
    ///   - foundNew: Called with the token's identity when it was not held yet.
    /// - Returns: What was found in it, now or the first time it came.
    mutating func presented(
        _ header: Span<UInt8>, foundNew: (_ identity: UInt64) -> Void
    ) -> PresentedToken {
        if last < entries.count, entries[last].holds(header) {
            return entries[last].token
        }
        for index in entries.indices where entries[index].holds(header) {
            last = index
            return entries[index].token
        }
        var copy: [UInt8] = []
        copy.append(header)
        var hasher = Hasher()
        hasher.combine(copy)
        let identity = UInt64(bitPattern: Int64(hasher.finalize()))
        let token =
            rule?.examine(header, identity: identity)
            ?? PresentedToken(identity: identity, refusal: nil, issuedAtSeconds: 0)
        keep(Entry(header: copy, token: token))
        foundNew(identity)
        return token
    }

    private mutating func keep(_ entry: Entry) {
        if entries.count < Self.entriesMax {
            last = entries.count
            entries.append(entry)
        } else {
            last = oldest
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.entriesMax
        }
    }
}

/// Judges provider tokens over the life of one connection.
///
/// Source: Apple, "Establishing a token-based connection to APNs".
struct CredentialJudge: Sendable {
    /// A token is refused when it is older than this.
    static let ageSecondsMax: Int64 = 3600
    /// A connection may not see tokens issued closer together than this.
    static let renewalSecondsMin: Int64 = 1200

    private var current: PresentedToken?

    /// Judges the token of one request.
    ///
    /// A token issued more than an hour in the future is called invalid (chosen: Apple only says
    /// that `iat` lies within an hour of the present).
    ///
    /// - Parameters:
    ///   - token: What the request presented; nil if nothing.
    ///   - wallSeconds: The present time, in seconds since 1970 UTC.
    /// - Returns: Whether the request may go on.
    mutating func ruling(on token: PresentedToken?, wallSeconds: Int64) -> CredentialRuling {
        guard let token else { return .refused(.missingProviderToken) }
        if let refusal = token.refusal { return .refused(refusal) }
        let age = wallSeconds - token.issuedAtSeconds
        if age > Self.ageSecondsMax { return .refused(.expiredProviderToken) }
        if age < -Self.ageSecondsMax { return .refused(.invalidProviderToken) }
        if let current, current.identity != token.identity,
            abs(token.issuedAtSeconds - current.issuedAtSeconds) < Self.renewalSecondsMin
        {
            return .refused(.tooManyProviderTokenUpdates)
        }
        current = token
        return .accepted
    }
}
