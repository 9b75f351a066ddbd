import SendPolicy
import Testing

@Suite struct WindowBrakeTests {
    private let second: Int64 = 1_000_000_000

    private func brake(_ threshold: Double = 0.5, minimumSample: Int = 100) throws -> WindowBrake {
        WindowBrake(
            Brake(
                name: .errors, counted: "were errors", threshold: try #require(Share(threshold)),
                minimumSample: minimumSample))
    }

    private func evidence(_ brake: WindowBrake) -> BrakeEvidence? {
        if case .tripped(let evidence) = brake.state { return evidence }
        return nil
    }

    @Test(arguments: [(99, 99, false), (100, 50, false), (100, 51, true), (1000, 501, true)])
    func moreThanTheShareOfAMinuteTrips(total: Int, bad: Int, trips: Bool) throws {
        var brake = try brake()
        brake.record(bad: bad, of: total, nowNanoseconds: 7 * second)
        #expect((evidence(brake) != nil) == trips)
        if trips {
            #expect(evidence(brake)?.bad == bad)
            #expect(evidence(brake)?.total == total)
        }
    }

    /// Trouble that begins after an hour of good answers is seen within a minute.
    @Test func anHourOfGoodAnswersHidesNothing() throws {
        var brake = try brake()
        for minute in 0..<60 {
            brake.record(bad: 0, of: 60_000, nowNanoseconds: Int64(minute) * 60 * second)
        }
        #expect(brake.state == .holding)
        brake.record(bad: 100, of: 100, nowNanoseconds: 3600 * second)
        #expect(evidence(brake)?.total == 100)
    }

    @Test(arguments: [(54, true), (55, true), (60, false), (65, false), (600, false)])
    func anAnswerCountsForAboutAMinute(later: Int64, counts: Bool) throws {
        var brake = try brake()
        brake.record(bad: 60, of: 60, nowNanoseconds: 0)
        brake.record(bad: 40, of: 40, nowNanoseconds: later * second)
        #expect((evidence(brake) != nil) == counts)
        if !counts { #expect(brake.state == .undecided) }
    }

    @Test func aFewErrorsAMinuteNeverAddUp() throws {
        var brake = try brake()
        for minute in 0..<500 {
            brake.record(bad: 40, of: 100, nowNanoseconds: Int64(minute) * 61 * second)
        }
        #expect(brake.state == .holding)
    }

    @Test func aTrippedWindowStaysTripped() throws {
        var brake = try brake()
        brake.record(bad: 100, of: 100, nowNanoseconds: second)
        let tripped = brake.state
        brake.record(bad: 0, of: 1_000_000, nowNanoseconds: 2 * second)
        brake.record(bad: 0, of: 1_000_000, nowNanoseconds: 600 * second)
        #expect(brake.state == tripped)
        #expect(evidence(brake) != nil)
    }

    @Test func answersOfOneMomentAndOneByOneAreTheSame() throws {
        var (bulk, single) = (try brake(), try brake())
        bulk.record(bad: 30, of: 120, nowNanoseconds: 90 * second)
        for number in 0..<120 {
            single.record(
                bad: number < 30 ? 1 : 0, of: 1,
                nowNanoseconds: 30 * second + Int64(number) * second / 2)
        }
        #expect(bulk.state == single.state)
    }
}
