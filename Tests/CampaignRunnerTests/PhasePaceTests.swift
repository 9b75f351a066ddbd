import CampaignStore
import SendPolicy
import Testing

@testable import CampaignRunner

@Suite struct PhasePaceTests {
    @Test(arguments: [
        // rate per second of one connection, connections, window, batch
        (1500, 4, 1500, 375),
        (200, 1, 50, 12),
        (79, 1, 20, 5),
        (80, 1, 20, 5),
        (84, 1, 21, 5),
        (100_000, 4, 20_000, 5000),
    ])
    func theWindowIsAQuarterOfASecondWithinItsBounds(
        rate: Int, connections: Int, window: Int, batch: Int
    ) throws {
        let pace = PhasePace(
            rate: try #require(Rate.perSecond(rate)), connections: connections, maxInFlight: 500)
        #expect(pace.window == window)
        #expect(pace.batch == batch)
    }

    @Test func withoutALimitTheWindowIsTheLargest() {
        let pace = PhasePace(rate: .unlimited, connections: 4, maxInFlight: 500)
        #expect(pace.window == RunTuning().windowMax)
        #expect(pace.chunk == 10_000)
        #expect(pace.unrecordedMax == 20_000 + 4 * 500 + PhasePace.backlogMax)
    }

    @Test func aSlowPaceReadsNotFarAhead() throws {
        let pace = PhasePace(
            rate: try #require(Rate.perMinute(40)), connections: 1, maxInFlight: 1)
        #expect(pace.window == PhasePace.windowMin)
        #expect(pace.chunk == 160)
    }
}

@Suite struct ProgressMeterTests {
    private let second: Int64 = 1_000_000_000

    @Test func speedAndTimeLeftComeFromTheLastSeconds() {
        var meter = ProgressMeter(nowNanoseconds: 0)
        var progress = RunProgress(phase: .send, total: 1000)
        _ = meter.measured(progress, nowNanoseconds: 0)
        progress.accepted = 100
        progress.skipped = 100
        let measured = meter.measured(progress, nowNanoseconds: 2 * second)
        #expect(measured.perSecond == 100)
        #expect(measured.secondsLeft == 8)
        #expect(measured.seconds == 2)
    }

    @Test func nothingDoneMeansNobodyKnowsHowLong() {
        var meter = ProgressMeter(nowNanoseconds: 0)
        let progress = RunProgress(phase: .send, total: 1000)
        _ = meter.measured(progress, nowNanoseconds: 0)
        let measured = meter.measured(progress, nowNanoseconds: second)
        #expect(measured.perSecond == 0)
        #expect(measured.secondsLeft == nil)
    }

    @Test func anEmptyAudienceDividesByNothing() {
        var meter = ProgressMeter(nowNanoseconds: 0)
        let progress = RunProgress(phase: .send, total: 0)
        #expect(meter.measured(progress, nowNanoseconds: 0).secondsLeft == nil)
    }
}
