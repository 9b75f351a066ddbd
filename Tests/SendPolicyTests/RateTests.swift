import SendPolicy
import Testing

@Suite struct RateTests {
    @Test(
        arguments: [
            (Rate.perSecond(1500), 3, 2_000_000), (.perSecond(1), 1, 1_000_000_000),
            (.perMinute(40), 1, 1_500_000_000), (.perMinute(1), 1, 60_000_000_000),
            (.perSecond(decimal: 0.5), 1, 2_000_000_000),
            (.perSecond(decimal: 7), 7, 1_000_000_000),
            (.perSecond(decimal: 1234.567), 1_234_567, 1_000_000_000_000),
            (.perSecond(1_000_000), 1, 1000),
        ] as [(Rate?, Int64, Int64)])
    func aRateIsAFractionInLowestTerms(_ rate: Rate?, _ count: Int64, _ period: Int64) throws {
        let fraction = try #require(RateFraction(count: count, periodNanoseconds: period))
        #expect(rate == .limited(fraction))
        #expect(fraction.count == count)
        #expect(fraction.periodNanoseconds == period)
    }

    @Test(arguments: [
        (0, false), (1, true), (999_999, true), (1_000_000, true), (1_000_001, false), (-1, false),
    ])
    func aRatePerSecondHasBounds(_ count: Int, _ isRate: Bool) {
        #expect((Rate.perSecond(count) != nil) == isRate)
    }

    @Test(arguments: [
        (0, false), (1, true), (60_000_000, true), (60_000_001, false), (-5, false),
    ])
    func aRatePerMinuteHasBounds(_ count: Int, _ isRate: Bool) {
        #expect((Rate.perMinute(count) != nil) == isRate)
    }

    @Test(
        arguments: [
            (0, false), (0.0004, false), (0.0005, true), (0.001, true), (0.5, true),
            (1_000_000, true),
            (1_000_001, false), (-1, false), (1e300, false), (.nan, false), (.infinity, false),
        ] as [(Double, Bool)])
    func aDecimalRateIsKeptToAThousandth(_ count: Double, _ isRate: Bool) {
        #expect((Rate.perSecond(decimal: count) != nil) == isRate)
    }

    @Test(
        arguments: [
            (1, 3_600_000_000_000, true), (1, 3_600_000_000_001, false), (1, 1000, true),
            (1, 999, false), (0, 1000, false), (1, 0, false), (1, -1, false),
            (2, 7_200_000_000_000, true), (Int64.max, Int64.max, false),
        ] as [(Int64, Int64, Bool)])
    func aFractionHasBounds(_ count: Int64, _ period: Int64, _ isRate: Bool) {
        #expect((RateFraction(count: count, periodNanoseconds: period) != nil) == isRate)
    }

    @Test func aRateCanBeShown() {
        #expect(Rate.perSecond(1500)?.perSecond == 1500)
        #expect(Rate.perMinute(30)?.perSecond == 0.5)
        #expect(Rate.unlimited.perSecond == nil)
    }
}
