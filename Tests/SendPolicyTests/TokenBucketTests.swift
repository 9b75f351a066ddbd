import SendPolicy
import Testing

@Suite struct TokenBucketTests {
    private static let second: Int64 = 1_000_000_000

    private func bucket(_ rate: Rate?, burst: Int, at now: Int64 = 0) throws -> TokenBucket {
        TokenBucket(rate: try #require(rate), burst: burst, nowNanoseconds: now)
    }

    @Test(arguments: [1, 2, 100])
    func aBucketStartsWithOneToken(_ burst: Int) throws {
        var bucket = try bucket(.perSecond(100), burst: burst)
        #expect(bucket.take(nowNanoseconds: 0) == true)
        #expect(bucket.take(nowNanoseconds: 0) == false)
    }

    // A full bucket plus the refill let nearly twice the rate through after a pause:
    // celery/kombu#2652, AlaskanTuna/Rokabot#149, udoprog/leaky-bucket#30.
    @Test(arguments: [1, 2, 50, 99, 100, 101])
    func afterAnyPauseExactlyTheBurstIsThere(_ burst: Int) throws {
        var bucket = try bucket(.perSecond(100), burst: burst)
        let later = 600 * Self.second
        #expect(bucket.takeUpTo(10_000, nowNanoseconds: later) == burst)
        #expect(bucket.take(nowNanoseconds: later) == false)
    }

    @Test func afterAPauseASecondBringsTheBurstAndTheRate() throws {
        var bucket = try bucket(.perSecond(100), burst: 20)
        var taken = [Int](repeating: 0, count: 11)
        for millisecond in Int64(600_000)..<610_000 {
            let count = bucket.takeUpTo(1000, nowNanoseconds: millisecond * 1_000_000)
            taken[Int((millisecond - 600_000) / 1000)] += count
        }
        #expect(taken[0] <= 120)
        #expect(taken.reduce(0, +) <= 20 + 1000)
        #expect(taken.reduce(0, +) >= 20 + 999)
    }

    // Fractions were rounded to nothing at each check, so a slow bucket never filled:
    // firecracker-microvm/firecracker#3370, svix/diom#115, symfony/symfony#47676.
    @Test(
        arguments: [
            (Rate.perSecond(decimal: 0.5), 30), (.perSecond(7), 420), (.perSecond(1000), 60_000),
            (.perMinute(40), 40), (.perMinute(1), 1), (.perSecond(1), 60), (.perSecond(3), 180),
            (.perSecond(1500), 90_000),
        ] as [(Rate?, Int)])
    func frequentChecksLoseNothing(_ rate: Rate?, _ expected: Int) throws {
        var bucket = try bucket(rate, burst: 2)
        #expect(bucket.take(nowNanoseconds: 0) == true)
        var taken = 0
        // Every 100,003 ns: a step that divides nothing.
        for now in stride(from: Int64(0), through: 60 * Self.second, by: 100_003) {
            if bucket.take(nowNanoseconds: now) { taken += 1 }
        }
        if bucket.take(nowNanoseconds: 60 * Self.second) { taken += 1 }
        #expect(taken == expected)
    }

    // The limiter crashed or let a burst through when the clock was set:
    // BaseIntelligence/bounty-challenge#15078.
    @Test func timeRunningBackwardsEarnsAndCostsNothing() throws {
        var bucket = try bucket(.perSecond(10), burst: 5, at: 100 * Self.second)
        #expect(bucket.take(nowNanoseconds: 100 * Self.second) == true)
        #expect(bucket.take(nowNanoseconds: 0) == false)
        #expect(bucket.take(nowNanoseconds: Int64.min / 2) == false)
        #expect(bucket.take(nowNanoseconds: 100 * Self.second + 99_999_999) == false)
        #expect(bucket.take(nowNanoseconds: 100 * Self.second + 100_000_000) == true)
        #expect(bucket.take(nowNanoseconds: 100 * Self.second + 100_000_000) == false)
    }

    @Test func aLeapForwardBringsTheBurstOnly() throws {
        var bucket = try bucket(.perSecond(1_000_000), burst: 5)
        #expect(bucket.takeUpTo(100, nowNanoseconds: Int64.max / 2) == 5)
    }

    @Test func theNextMomentIsTheEarliestThatWorks() throws {
        for rate in [Rate.perSecond(3), .perSecond(7), .perMinute(40), .perSecond(999_983)] {
            var bucket = try bucket(rate, burst: 1)
            var now: Int64 = 0
            for _ in 0..<1000 {
                #expect(bucket.nextNanoseconds(nowNanoseconds: now) == now)
                #expect(bucket.take(nowNanoseconds: now) == true)
                let next = bucket.nextNanoseconds(nowNanoseconds: now)
                #expect(next > now)
                var early = bucket
                #expect(early.take(nowNanoseconds: next - 1) == false)
                now = next
            }
        }
    }

    @Test func theNextMomentIsCountedFromTheLatestTimeSeen() throws {
        var bucket = try bucket(.perSecond(1), burst: 1, at: 10 * Self.second)
        #expect(bucket.take(nowNanoseconds: 10 * Self.second) == true)
        #expect(bucket.nextNanoseconds(nowNanoseconds: 0) == 11 * Self.second)
    }

    @Test func severalAreTakenAtOnceAsOneByOne() throws {
        var bucket = try bucket(.perSecond(1000), burst: 10)
        #expect(bucket.takeUpTo(0, nowNanoseconds: Self.second) == 0)
        #expect(bucket.takeUpTo(3, nowNanoseconds: Self.second) == 3)
        #expect(bucket.takeUpTo(7, nowNanoseconds: Self.second) == 7)
        #expect(bucket.takeUpTo(1, nowNanoseconds: Self.second) == 0)
        #expect(bucket.takeUpTo(9, nowNanoseconds: Self.second + 4_000_000) == 4)
    }

    @Test func whatIsGivenBackCanBeTakenAgainAndNoMore() throws {
        var bucket = try bucket(.perSecond(1000), burst: 10)
        #expect(bucket.takeUpTo(10, nowNanoseconds: Self.second) == 10)
        bucket.giveBack(4)
        #expect(bucket.takeUpTo(10, nowNanoseconds: Self.second) == 4)
        bucket.giveBack(10)
        bucket.giveBack(10)
        #expect(bucket.takeUpTo(100, nowNanoseconds: Self.second) == 10)
    }

    @Test func whatIsUsedLateLeavesTheBucketNoFullerThanIfItWasTakenThen() throws {
        // Ten a second, up to five at once; all five are taken at ten seconds.
        var punctual = try bucket(.perSecond(10), burst: 5)
        #expect(punctual.takeUpTo(9, nowNanoseconds: 10 * Self.second) == 5)
        var late = punctual
        // Used a second later, when the bucket was full again.
        #expect(punctual.takeUpTo(9, nowNanoseconds: 11 * Self.second) == 5)
        late.used(5, nowNanoseconds: 11 * Self.second)
        #expect(late.takeUpTo(9, nowNanoseconds: 11 * Self.second) == 0)
        #expect(late.takeUpTo(9, nowNanoseconds: 11 * Self.second + 99_999_999) == 0)
        #expect(late.takeUpTo(9, nowNanoseconds: 11 * Self.second + 100_000_000) == 1)
    }

    @Test(arguments: [(2, 3), (4, 1), (0, 5)])
    func whatWasNotTakenBeforeALateUseIsStillThere(_ used: Int, _ left: Int) throws {
        var bucket = try bucket(.perSecond(10), burst: 5)
        #expect(bucket.takeUpTo(used, nowNanoseconds: 10 * Self.second) == used)
        bucket.used(used, nowNanoseconds: 11 * Self.second)
        #expect(bucket.takeUpTo(9, nowNanoseconds: 11 * Self.second) == left)
    }

    @Test func aUseWithoutDelayCostsNothing() throws {
        var bucket = try bucket(.perSecond(1000), burst: 10)
        #expect(bucket.takeUpTo(4, nowNanoseconds: Self.second) == 4)
        bucket.used(4, nowNanoseconds: Self.second)
        #expect(bucket.takeUpTo(10, nowNanoseconds: Self.second) == 6)
    }

    @Test func withoutALimitEverythingIsTaken() {
        var bucket = TokenBucket(rate: .unlimited, burst: 1, nowNanoseconds: 5)
        #expect(bucket.takeUpTo(1_000_000, nowNanoseconds: 5) == 1_000_000)
        for now in [Int64(5), 0, 6, Int64.max] {
            #expect(bucket.take(nowNanoseconds: now) == true)
            #expect(bucket.nextNanoseconds(nowNanoseconds: now) == now)
        }
    }

    @Test func theLargestNumbersStayInside64Bits() throws {
        let hourly = try #require(RateFraction(count: 1, periodNanoseconds: 3_600_000_000_000))
        var slow = try bucket(.limited(hourly), burst: TokenBucket.burstMax)
        #expect(slow.takeUpTo(2, nowNanoseconds: 0) == 1)
        #expect(slow.takeUpTo(.max, nowNanoseconds: Int64.max) == TokenBucket.burstMax)
        var fast = try bucket(.perSecond(decimal: 999_999.999), burst: TokenBucket.burstMax)
        #expect(fast.takeUpTo(.max, nowNanoseconds: Int64.max) == TokenBucket.burstMax)
    }

    // A limiter slept for ever after its first window: knadh/listmonk#960, knadh/listmonk#1496.
    @Test func everyMinuteBringsTheSameNumber() throws {
        var bucket = try bucket(.perMinute(40), burst: 1)
        var now: Int64 = 0
        var perMinute: [Int64: Int] = [:]
        while now < 10 * 60 * Self.second {
            #expect(bucket.take(nowNanoseconds: now) == true)
            perMinute[now / (60 * Self.second), default: 0] += 1
            now = bucket.nextNanoseconds(nowNanoseconds: now)
        }
        #expect(perMinute.count == 10)
        #expect(perMinute.values.allSatisfy { $0 == 40 })
    }
}
