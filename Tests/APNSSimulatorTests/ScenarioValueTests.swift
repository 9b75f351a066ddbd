import Testing

@testable import APNSSimulator

@Suite struct ScenarioValueTests {
    @Test(arguments: [
        (-1, false), (99, false), (100, true), (149, true), (150, false), (299, false),
        (300, true), (349, true), (350, false),
    ])
    func aMoodIsBusyAtItsTimes(age: Int64, isBusy: Bool) {
        let mood = APNSMood(
            busyAfterNanoseconds: 100, busyNanoseconds: 50, busyEveryNanoseconds: 200)
        #expect(mood.isBusy(ageNanoseconds: age) == isBusy)
    }

    @Test func aMoodWithoutBusyTimesIsNeverBusy() {
        let mood = APNSMood(busyAfterNanoseconds: 0, busyNanoseconds: 0)
        #expect(!mood.isBusy(ageNanoseconds: 1))
    }

    @Test func stepsJoinWithoutWaste() {
        let limit = ConnectionStep.streamLimit(1)
        #expect(ConnectionStep.none.then(limit) == limit)
        #expect(limit.then(.none) == limit)
        #expect(limit.then(.drop) == .all([limit, .drop]))
        #expect(limit.then(.drop).then(.closeHalf) == .all([limit, .drop, .closeHalf]))
    }

    @Test func aFloodGivesOutItsRateAndEnds() {
        var flood = RunningFlood(
            ConnectionFlood(frame: .ping, perSecond: 1_000, nanoseconds: 1_000_000_000),
            nowNanoseconds: 0)
        #expect(flood.portion(nowNanoseconds: -5) == 0)
        let portions = (1...200).map { flood.portion(nowNanoseconds: $0 * 5_000_000) }
        #expect(portions.reduce(0, +) == 1_000)
        #expect(!flood.isOver(nowNanoseconds: 999_999_999))
        #expect(flood.isOver(nowNanoseconds: 1_000_000_000))
    }

    @Test func roomIsMadeForTheTokensExpected() {
        var set = TokenSet(countMax: 5_000, countExpected: 5_000)
        for hash in 1...5_000 { set.insert(UInt64(hash) << 20) }
        #expect(set.count == 5_000)
        #expect(set.repeatedCount == 0)
    }
}
