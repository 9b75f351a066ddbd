/// What to do about the provider token that all processes of a key share.
package enum ProviderTokenStep: Sendable, Equatable {
    /// Go on with the one that is kept.
    case use
    /// Make a new one and keep it.
    case make
    /// Go on without: a token made because of a refusal is refused as well, so a clock is wrong.
    case giveUp
}

/// The age of a provider token that another process may have made, by the clocks there are.
///
/// Clocks of the day can be set, so each is believed only where no better one knows the token: the
/// monotonic clock of a process that has held it; that of the machine, if it was made there since
/// the last boot; the database's.
package struct ProviderTokenClocks: Sendable, Equatable {
    /// Since when this process knows it, and how old it was then, in nanoseconds; nil if it does
    /// not.
    package var heldNanoseconds: Int64?
    /// Since it was made, by this machine's monotonic clock; nil if it was made elsewhere or
    /// before the last boot.
    package var bootNanoseconds: Int64?
    /// Since it was made, by the database's clock. Below zero that clock has been set back.
    package var databaseNanoseconds: Int64

    /// Names the clocks.
    ///
    /// - Parameters:
    ///   - heldNanoseconds: The age this process knows.
    ///   - bootNanoseconds: The age this machine knows.
    ///   - databaseNanoseconds: The age by the database's clock.
    package init(
        heldNanoseconds: Int64? = nil, bootNanoseconds: Int64? = nil, databaseNanoseconds: Int64
    ) {
        self.heldNanoseconds = heldNanoseconds
        self.bootNanoseconds = bootNanoseconds
        self.databaseNanoseconds = databaseNanoseconds
    }

    /// The age in nanoseconds; nil if no clock can tell.
    package var ageNanoseconds: Int64? {
        [heldNanoseconds, bootNanoseconds, databaseNanoseconds].lazy
            .compactMap { $0 }.first.flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// The rules by which processes and machines share one provider token per key.
///
/// All of them ask one place, one after the other, so that two tokens are never made for one need.
package enum ProviderTokenSharing {
    /// Decides about a token that is kept.
    ///
    /// - Parameters:
    ///   - ageNanoseconds: Its age; nil if no clock can tell: it is used until APNs refuses it.
    ///   - isRefused: Whether APNs called this very token expired.
    ///   - isAfterRefusal: Whether it was made because the one before had been refused. Such a
    ///     token may come early, so the next one may not.
    /// - Returns: What to do.
    package static func step(
        ageNanoseconds: Int64?, isRefused: Bool, isAfterRefusal: Bool
    ) -> ProviderTokenStep {
        guard isRefused else {
            return ageNanoseconds ?? 0 >= ProviderTokenAge.renewNanoseconds ? .make : .use
        }
        let age = ageNanoseconds ?? .max
        return isAfterRefusal && age < ProviderTokenAge.leastNanoseconds ? .giveUp : .make
    }
}
