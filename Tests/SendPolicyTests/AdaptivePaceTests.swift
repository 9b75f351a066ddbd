import SendPolicy
import Testing

private let second: Int64 = 1_000_000_000

@Suite struct AdaptivePaceTests {
    @Test func aSignHalvesThePaceAtMostOnceASecond() {
        var pace = AdaptivePace()
        #expect(pace.parts == AdaptivePace.whole)
        var fell = pace.saw(.serverError, nowNanoseconds: 10 * second)
        #expect(fell && pace.parts == 20)
        fell = pace.saw(.refusedStream, nowNanoseconds: 11 * second - 1)
        #expect(!fell && pace.parts == 20)
        fell = pace.saw(.fewerStreams, nowNanoseconds: 11 * second)
        #expect(fell && pace.parts == 10)
    }

    @Test func itNeverFallsBelowAnEighth() {
        var pace = AdaptivePace()
        for step in 0..<20 {
            _ = pace.saw(.serverError, nowNanoseconds: Int64(step) * second)
            #expect(pace.parts >= AdaptivePace.least)
        }
        #expect(pace.parts == AdaptivePace.least)
    }

    @Test func quietSecondsGiveItBackStepByStep() {
        var pace = AdaptivePace()
        _ = pace.saw(.serverError, nowNanoseconds: 0)
        var rose = pace.recover(nowNanoseconds: second - 1)
        #expect(!rose && pace.parts == 20)
        for step in 1...10 {
            rose = pace.recover(nowNanoseconds: Int64(step) * second)
            #expect(rose && pace.parts == 20 + 2 * step)
        }
        rose = pace.recover(nowNanoseconds: 99 * second)
        #expect(!rose && pace.parts == AdaptivePace.whole)
    }

    /// jchambers/pushy#399, #704: latency climbs when one connection gets too much.
    @Test func risingLatencyIsASign() {
        var pace = AdaptivePace()
        var now: Int64 = 0
        var fell = false
        for _ in 0..<200 {
            now += 1_000_000
            fell = pace.answered(latencyMicroseconds: 60_000, nowNanoseconds: now) || fell
        }
        #expect(!fell)
        for _ in 0..<200 {
            now += 1_000_000
            fell = pace.answered(latencyMicroseconds: 3_000_000, nowNanoseconds: now) || fell
        }
        #expect(fell && pace.parts < AdaptivePace.whole)
    }

    @Test func aSteadyDistanceIsNone() {
        var pace = AdaptivePace()
        for answer in 0..<10_000 {
            let fell = pace.answered(
                latencyMicroseconds: 900_000 + Int64(answer % 7) * 20_000,
                nowNanoseconds: Int64(answer) * 1_000_000)
            #expect(!fell)
        }
    }

    @Test(arguments: [(1500, 20, 750.0), (1500, 5, 187.5), (1, 5, 0.125)])
    func theShareOfARateIsExact(perSecond: Int, parts: Int, expected: Double) throws {
        var pace = AdaptivePace()
        var now: Int64 = 0
        while pace.parts > parts {
            _ = pace.saw(.serverError, nowNanoseconds: now)
            now += second
        }
        let rate = try #require(Rate.perSecond(perSecond))
        #expect(pace.applied(to: rate).perSecond == expected)
        #expect(pace.applied(to: .unlimited) == .unlimited)
    }

    @Test func theShareOfACountIsAtLeastOne() {
        var pace = AdaptivePace()
        #expect(pace.applied(to: 500) == 500)
        _ = pace.saw(.serverError, nowNanoseconds: 0)
        #expect(pace.applied(to: 500) == 250)
        #expect(pace.applied(to: 1) == 1)
    }
}
