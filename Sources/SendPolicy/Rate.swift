/// How many events may happen in how much time: an exact fraction, or no limit.
package enum Rate: Sendable, Hashable {
    /// No limit.
    case unlimited
    /// So many events in so many nanoseconds.
    case limited(RateFraction)

    /// A whole number of events per second, 1 to 1,000,000.
    ///
    /// - Parameter count: Events per second.
    /// - Returns: The rate, or nil if it is out of range.
    package static func perSecond(_ count: Int) -> Rate? {
        RateFraction(count: Int64(count), periodNanoseconds: 1_000_000_000).map(Rate.limited)
    }

    /// A whole number of events per minute, 1 to 60,000,000.
    ///
    /// - Parameter count: Events per minute.
    /// - Returns: The rate, or nil if it is out of range.
    package static func perMinute(_ count: Int) -> Rate? {
        RateFraction(count: Int64(count), periodNanoseconds: 60_000_000_000).map(Rate.limited)
    }

    /// A number of events per second that need not be whole, such as 0.5; kept to a thousandth.
    ///
    /// - Parameter count: Events per second.
    /// - Returns: The rate, or nil if it is out of range or no number.
    package static func perSecond(decimal count: Double) -> Rate? {
        // Adding a half rounds, as `rounded()` does; that one would link the C mathematics library.
        let thousandths = count * 1000 + 0.5
        guard thousandths >= 1, thousandths <= 1e12 else { return nil }
        let fraction = RateFraction(
            count: Int64(thousandths), periodNanoseconds: 1_000_000_000_000)
        return fraction.map(Rate.limited)
    }

    /// Events per second, for showing and estimating; nil without a limit.
    package var perSecond: Double? {
        switch self {
        case .unlimited: nil
        case .limited(let fraction):
            Double(fraction.count) * 1e9 / Double(fraction.periodNanoseconds)
        }
    }
}

/// An exact rate: `count` events in `periodNanoseconds`, in lowest terms.
package struct RateFraction: Sendable, Hashable {
    /// Events.
    package let count: Int64
    /// Nanoseconds.
    package let periodNanoseconds: Int64

    /// The longest period: the slowest rate is one event in an hour.
    package static let periodMax: Int64 = 3600 * 1_000_000_000

    /// A rate in lowest terms; nil if it is out of bounds.
    ///
    /// The bounds keep the bucket's arithmetic inside 64 bits: one event in an hour to a million
    /// in a second.
    ///
    /// - Parameters:
    ///   - count: Events, at least 1.
    ///   - periodNanoseconds: In so many nanoseconds, at least 1.
    package init?(count: Int64, periodNanoseconds: Int64) {
        guard count > 0, periodNanoseconds > 0 else { return nil }
        var (divisor, rest) = (count, periodNanoseconds)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        self.count = count / divisor
        self.periodNanoseconds = periodNanoseconds / divisor
        guard self.periodNanoseconds / self.count >= 1000,
            self.periodNanoseconds <= Self.periodMax
        else { return nil }
    }
}
