import SendPolicy
import Testing

/// What holds for every rate, burst and pattern of use; the seed stands in every failure.
@Suite struct TokenBucketPropertyTests {
    private static let seeds: [UInt64] = (1...20).map { $0 * 7919 }

    /// A rate between one in an hour and a million in a second, spread over the magnitudes.
    private static func randomRate(_ generator: inout SeededGenerator) -> RateFraction {
        while true {
            let count = Int64.random(
                in: 1...(1 << Int64.random(in: 0...30, using: &generator)), using: &generator)
            let period = Int64.random(
                in: 1...(1 << Int64.random(in: 10...41, using: &generator)), using: &generator)
            if let rate = RateFraction(count: count, periodNanoseconds: period) { return rate }
        }
    }

    /// In any interval from take i to take j, both included, there are j - i + 1 takes in
    /// t(j) - t(i) + 1 nanoseconds, at most `burst + rate * t`. With
    /// X(k) = k * period - t(k) * count this is X(j) - X(i) <= (burst - 1) * period + count.
    @Test(arguments: seeds)
    func noIntervalHasMoreThanBurstAndRate(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let rate = Self.randomRate(&generator)
            let burst = Int.random(in: 1...200, using: &generator)
            let allowed = Int64(burst - 1) * rate.periodNanoseconds + rate.count
            var bucket = TokenBucket(rate: .limited(rate), burst: burst, nowNanoseconds: 0)
            let pace = rate.periodNanoseconds / rate.count
            var (now, seen, taken) = (Int64(0), Int64(0), Int64(0))
            var (least, most) = (Int64.max, Int64(0))
            for _ in 0..<3000 {
                now += Self.randomStep(pace: pace, &generator)
                // Now and then the clock runs back; the latest time seen is what counts.
                let isBack = Int.random(in: 0..<10, using: &generator) == 0
                let back = isBack ? Int64.random(in: 0...(3 * pace), using: &generator) : 0
                seen = max(seen, now - back)
                let wanted = Int.random(in: 1...3, using: &generator)
                for _ in 0..<bucket.takeUpTo(wanted, nowNanoseconds: now - back) {
                    let position = taken * rate.periodNanoseconds - seen * rate.count
                    least = min(least, position)
                    most = max(most, position - least)
                    taken += 1
                }
            }
            #expect(most <= allowed, "seed \(seed), \(rate), burst \(burst)")
            #expect(taken > 100, "seed \(seed), \(rate), burst \(burst)")
        }
    }

    private static func randomStep(pace: Int64, _ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<50, using: &generator) {
        case 0: Int64.random(in: 0...(500 * pace), using: &generator)
        case 1..<10: 0
        default: Int64.random(in: 0...(2 * pace), using: &generator)
        }
    }

    /// The k-th token after the first is there at exactly k periods, rounded up: no drift.
    @Test(arguments: seeds)
    func aGreedyTakerGetsEveryTokenOnTime(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let rate = Self.randomRate(&generator)
            let burst = Int.random(in: 1...3, using: &generator)
            let start = Int64.random(in: -1_000_000...1_000_000_000_000, using: &generator)
            var bucket = TokenBucket(rate: .limited(rate), burst: burst, nowNanoseconds: start)
            var now = start
            for taken in Int64(0)..<2000 {
                let due = (taken * rate.periodNanoseconds + rate.count - 1) / rate.count
                #expect(now - start == due, "seed \(seed), \(rate), burst \(burst)")
                let isTaken = bucket.take(nowNanoseconds: now)
                #expect(isTaken, "seed \(seed), \(rate), burst \(burst)")
                now = bucket.nextNanoseconds(nowNanoseconds: now)
            }
        }
    }

    /// A taker that comes late by less than the burst covers loses nothing.
    @Test(arguments: seeds)
    func aLateTakerCatchesUpWithinTheBurst(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rate = Self.randomRate(&generator)
        let pace = max(1, rate.periodNanoseconds / rate.count)
        var bucket = TokenBucket(rate: .limited(rate), burst: 8, nowNanoseconds: 0)
        var (now, taken) = (Int64(0), Int64(0))
        for _ in 0..<5000 {
            now += Int64.random(in: 0...(6 * pace), using: &generator)
            taken += Int64(bucket.takeUpTo(100, nowNanoseconds: now))
            #expect(taken - 1 == now * rate.count / rate.periodNanoseconds, "seed \(seed), \(rate)")
        }
    }

    @Test func aMillionTokensAreOnTimeToTheNanosecond() throws {
        let rate = try #require(Rate.perSecond(7))
        var bucket = TokenBucket(rate: rate, burst: 1, nowNanoseconds: 0)
        var now: Int64 = 0
        for _ in 0..<1_000_000 {
            guard bucket.take(nowNanoseconds: now) else {
                Issue.record("No token at \(now).")
                return
            }
            now = bucket.nextNanoseconds(nowNanoseconds: now)
        }
        #expect(now == (1_000_000 * 1_000_000_000 + 6) / 7)
    }
}
