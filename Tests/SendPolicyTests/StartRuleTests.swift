import SendPolicy
import Testing

@Suite struct StartRuleTests {
    private static let second: Int64 = 1_000_000
    private static let hour = 3600 * second
    /// 2026-12-05 09:00 UTC.
    private static let planned: Int64 = 1_796_461_200 * second

    private func decision(
        _ late: Int64, within bound: Int64? = nil, hasBegun: Bool = false, allowsLate: Bool = false
    ) -> StartRule.Decision {
        StartRule(plannedMicroseconds: Self.planned, notLaterThanSeconds: bound).decision(
            nowMicroseconds: Self.planned + late, hasBegun: hasBegun, allowsLate: allowsLate)
    }

    @Test func withoutAPlanItStartsWheneverItIsStarted() {
        for now in [0, Self.planned, Int64.max] {
            let rule = StartRule(plannedMicroseconds: nil, notLaterThanSeconds: 1)
            #expect(rule.decision(nowMicroseconds: now, hasBegun: false) == .startNow)
        }
    }

    @Test func beforeThePlannedInstantItWaits() {
        #expect(decision(-1) == .waitUntil(microseconds: Self.planned))
        #expect(decision(0) == .startNow)
        #expect(decision(1) == .startNow)
    }

    @Test func itWaitsForADayAndNoLonger() {
        let day = 24 * Self.hour
        #expect(decision(-day + 1) == .waitUntil(microseconds: Self.planned))
        #expect(decision(-day) == .waitUntil(microseconds: Self.planned))
        #expect(decision(-day - 1) == .tooEarly(bySeconds: 86_400))
        #expect(decision(-365 * day, allowsLate: true) == .tooEarly(bySeconds: 365 * 86_400))
    }

    @Test func itIsMissedAfterTheBoundAndNotAtIt() {
        let bound = 4 * Self.hour
        #expect(decision(bound - 1, within: 14_400) == .startNow)
        #expect(decision(bound, within: 14_400) == .startNow)
        #expect(decision(bound + 1, within: 14_400) == .missed(bySeconds: 14_400))
        #expect(decision(bound + Self.second, within: 14_400) == .missed(bySeconds: 14_401))
    }

    @Test func withoutABoundItIsNeverMissed() {
        #expect(decision(365 * 24 * Self.hour) == .startNow)
    }

    @Test func anOperatorMaySendLate() {
        #expect(decision(9 * Self.hour, within: 3600, allowsLate: true) == .startNow)
        #expect(decision(-1, within: 3600, allowsLate: true) != .startNow)
    }

    @Test(arguments: [-100 * 24 * hour, -1, 0, 100 * 24 * hour])
    func whatHasBegunGoesOnHoweverLate(late: Int64) {
        #expect(decision(late, within: 1, hasBegun: true) == .startNow)
    }

    // phishingclub/phishingclub#56: the time of day alone was compared, so tomorrow 10:21 was in
    // the past at 20:20.
    @Test func tomorrowMorningIsNotInThePast() {
        let midnight: Int64 = 1_796_428_800 * Self.second
        let now = midnight + 20 * Self.hour + 20 * 60 * Self.second
        let tomorrow = midnight + 34 * Self.hour + 21 * 60 * Self.second
        let before = midnight + 19 * Self.hour
        #expect(
            StartRule(plannedMicroseconds: tomorrow, notLaterThanSeconds: 3600)
                .decision(nowMicroseconds: now, hasBegun: false)
                == .waitUntil(microseconds: tomorrow))
        #expect(
            StartRule(plannedMicroseconds: before, notLaterThanSeconds: 3600)
                .decision(nowMicroseconds: now, hasBegun: false) == .missed(bySeconds: 4800))
    }
}
