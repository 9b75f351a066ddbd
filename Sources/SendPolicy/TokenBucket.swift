/// A token bucket: at most `burst` at once, and `rate` in the long run.
///
/// The bucket holds credit. One nanosecond earns `count` of it and one token costs
/// `periodNanoseconds`, for a rate of `count` events in `periodNanoseconds`; so everything is whole
/// numbers, and what is left over stays for the next token: no rate drifts, however long the run.
///
/// Invariants:
/// 1. The credit never exceeds `burst` tokens and what one nanosecond may earn on top, so that
///    rounding a wait up to the next nanosecond loses nothing.
/// 2. So in any interval of t nanoseconds, its end excluded, at most `burst + rate * t` tokens are
///    taken. An idle bucket does not save up: there is no catching up beyond the burst.
/// 3. Whoever takes each token at the moment `nextNanoseconds` names has taken at least
///    `rate * t` of them t nanoseconds after the start.
/// 4. Time that stands still or runs backwards earns nothing and costs nothing.
///
/// A bucket starts with one token, not full: a connection begins gently, then earns its burst.
///
/// Example: 3 per second with burst 2. A token costs 1,000,000,000 and a nanosecond earns 3. At 0
/// the first token is taken; the next is there at 333,333,334, when 2 of credit are left over.
package struct TokenBucket: Sendable {
    /// What one nanosecond earns; 0 stands for no limit.
    @usableFromInline package let earned: Int64
    /// What one token costs.
    @usableFromInline package let cost: Int64
    /// The most credit there can be.
    @usableFromInline package let creditMax: Int64
    /// The time in which an empty bucket fills, in nanoseconds, rounded up.
    @usableFromInline package let fillNanoseconds: Int64
    /// The credit at `lastNanoseconds`.
    @usableFromInline package var credit: Int64
    /// The latest time seen.
    @usableFromInline package var lastNanoseconds: Int64

    /// The largest burst; more is no burst but another rate.
    package static let burstMax = 100_000

    /// A bucket with one token in it.
    ///
    /// - Parameters:
    ///   - rate: The rate.
    ///   - burst: How many tokens it can hold, 1 to `burstMax`; 1 spaces the events evenly. It
    ///     means nothing without a limit.
    ///   - nowNanoseconds: The monotonic clock's time.
    package init(rate: Rate, burst: Int, nowNanoseconds: Int64) {
        precondition((1...Self.burstMax).contains(burst), "The burst is out of range.")
        lastNanoseconds = nowNanoseconds
        switch rate {
        case .unlimited:
            (earned, cost, credit, creditMax, fillNanoseconds) = (0, 0, 0, 0, 0)
        case .limited(let fraction):
            earned = fraction.count
            cost = fraction.periodNanoseconds
            credit = cost
            // At most 1e5 * 3.6e12 = 3.6e17: far from the end of 64 bits.
            creditMax = Int64(burst) * cost + earned - 1
            fillNanoseconds = creditMax / earned + 1
        }
    }

    /// Takes one token if there is one.
    ///
    /// - Parameter nowNanoseconds: The monotonic clock's time.
    /// - Returns: Whether it was taken.
    @inlinable
    package mutating func take(nowNanoseconds: Int64) -> Bool {
        earn(until: nowNanoseconds)
        guard credit >= cost else { return false }
        credit -= cost
        return true
    }

    /// Takes as many tokens as there are, up to a number.
    ///
    /// - Parameters:
    ///   - wanted: How many are wanted, 0 or more.
    ///   - nowNanoseconds: The monotonic clock's time.
    /// - Returns: How many were taken.
    @inlinable
    package mutating func takeUpTo(_ wanted: Int, nowNanoseconds: Int64) -> Int {
        guard earned > 0 else { return wanted }
        earn(until: nowNanoseconds)
        let taken = min(Int64(wanted), credit / cost)
        credit -= taken * cost
        return Int(taken)
    }

    /// Gives back tokens that were taken and not used, within the same turn of the loop.
    ///
    /// - Parameter count: How many, at most as many as the last call took.
    @inlinable
    package mutating func giveBack(_ count: Int) {
        credit = min(creditMax, credit + Int64(count) * cost)
    }

    /// Says when tokens that were taken before have been used, if that was later: from then on the
    /// bucket is as if they had been taken at that moment. What was earned meanwhile has found it
    /// full but for them, so a late use and a full bucket never come together.
    ///
    /// - Parameters:
    ///   - count: How many, at most as many as were taken since the last such call.
    ///   - nowNanoseconds: The monotonic clock's time, after the use.
    package mutating func used(_ count: Int, nowNanoseconds: Int64) {
        guard earned > 0 else { return }
        earn(until: nowNanoseconds)
        credit = min(credit, max(0, creditMax - Int64(count) * cost))
    }

    /// When the next token is there.
    ///
    /// - Parameter nowNanoseconds: The monotonic clock's time.
    /// - Returns: `nowNanoseconds` if one is there already, else a moment later than that.
    package func nextNanoseconds(nowNanoseconds: Int64) -> Int64 {
        var bucket = self
        bucket.earn(until: nowNanoseconds)
        let missing = bucket.cost - bucket.credit
        guard missing > 0 else { return nowNanoseconds }
        return bucket.lastNanoseconds + (missing + earned - 1) / earned
    }

    /// Adds what the time since the last call has earned.
    ///
    /// - Parameter nowNanoseconds: The monotonic clock's time.
    @inlinable
    package mutating func earn(until nowNanoseconds: Int64) {
        let elapsed = nowNanoseconds - lastNanoseconds
        guard elapsed > 0 else { return }
        lastNanoseconds = nowNanoseconds
        // Past the time of filling the product could overflow, and does not matter.
        credit =
            elapsed < fillNanoseconds ? min(creditMax, credit + elapsed * earned) : creditMax
    }
}
