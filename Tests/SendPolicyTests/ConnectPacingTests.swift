import SendPolicy
import Testing

@Suite struct ConnectPacingTests {
    private static let second: Int64 = 1_000_000_000

    @Test func openingsAreAtLeastTheSpacingApart() {
        var pacing = ConnectPacing(pace: ConnectPace(spacingNanoseconds: 5))
        #expect(pacing.next(nowNanoseconds: 100) == .open)
        #expect(pacing.next(nowNanoseconds: 100) == .wait(untilNanoseconds: 105))
        #expect(pacing.next(nowNanoseconds: 104) == .wait(untilNanoseconds: 105))
        #expect(pacing.next(nowNanoseconds: 105) == .open)
        #expect(pacing.next(nowNanoseconds: 111) == .open)
    }

    // Frequent reconnecting may be taken for an attack, so the pauses grow.
    @Test func pausesDoubleUpToTheLongest() {
        var pacing = ConnectPacing(
            pace: ConnectPace(spacingNanoseconds: 0, openingsPerMinuteMax: 1000, failuresMax: 100))
        var now: Int64 = 0
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64] {
            #expect(pacing.next(nowNanoseconds: now) == .open)
            pacing.failed(nowNanoseconds: now, jitter: 0.999_999_999)
            guard case .wait(let until) = pacing.next(nowNanoseconds: now) else {
                Issue.record("No pause after a failure.")
                return
            }
            #expect(abs(Double(until - now) / 1e9 - Double(seconds)) < 0.001)
            now = until
        }
    }

    @Test(arguments: [(0, 0.5), (0.5, 0.75), (0.999_999_999, 1)] as [(Double, Double)])
    func aPauseLastsBetweenHalfAndAllOfItsLength(_ jitter: Double, _ seconds: Double) {
        var pacing = ConnectPacing(pace: ConnectPace(spacingNanoseconds: 0))
        #expect(pacing.next(nowNanoseconds: 0) == .open)
        pacing.failed(nowNanoseconds: 0, jitter: jitter)
        guard case .wait(let until) = pacing.next(nowNanoseconds: 0) else {
            Issue.record("No pause after a failure.")
            return
        }
        #expect(abs(Double(until) / 1e9 - seconds) < 0.001)
    }

    @Test(arguments: [(7, false), (8, true), (9, true)])
    func tooManyFailuresInARowEndIt(_ failures: Int, _ isOver: Bool) {
        var pacing = ConnectPacing()
        for _ in 0..<failures { pacing.failed(nowNanoseconds: 0, jitter: 0) }
        let decision = pacing.next(nowNanoseconds: 3600 * Self.second)
        #expect(decision == (isOver ? .giveUp(failures: failures) : .open))
    }

    @Test func aConnectionThatProvedItselfClearsTheFailures() {
        var pacing = ConnectPacing(pace: ConnectPace(spacingNanoseconds: 1))
        for _ in 0..<7 { pacing.failed(nowNanoseconds: 0, jitter: 0) }
        pacing.proved()
        #expect(pacing.failures == 0)
        #expect(pacing.next(nowNanoseconds: 0) == .open)
        pacing.failed(nowNanoseconds: 0, jitter: 0)
        #expect(pacing.next(nowNanoseconds: 1) == .wait(untilNanoseconds: Self.second / 2))
    }

    @Test func aMinuteHasAtMostSoManyOpenings() {
        var pacing = ConnectPacing(
            pace: ConnectPace(spacingNanoseconds: Self.second, openingsPerMinuteMax: 3))
        for number in 0..<3 {
            #expect(pacing.next(nowNanoseconds: Int64(number) * Self.second) == .open)
        }
        let wait = ConnectDecision.wait(untilNanoseconds: 60 * Self.second)
        #expect(pacing.next(nowNanoseconds: 3 * Self.second) == wait)
        #expect(pacing.next(nowNanoseconds: 60 * Self.second - 1) == wait)
        #expect(pacing.next(nowNanoseconds: 60 * Self.second) == .open)
        let next = ConnectDecision.wait(untilNanoseconds: 61 * Self.second)
        #expect(pacing.next(nowNanoseconds: 60 * Self.second) == next)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func noMinuteAndNoSpacingIsEverBroken(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let spacing = Int64.random(in: 0...Self.second, using: &generator)
        let most = Int.random(in: 1...20, using: &generator)
        var pacing = ConnectPacing(
            pace: ConnectPace(
                spacingNanoseconds: spacing, openingsPerMinuteMax: most, failuresMax: .max))
        var now: Int64 = 0
        var openings: [Int64] = []
        for _ in 0..<5000 {
            switch pacing.next(nowNanoseconds: now) {
            case .open: openings.append(now)
            case .wait(let until):
                #expect(until > now, "seed \(seed)")
                now = Bool.random(using: &generator) ? until : now + spacing / 2
            case .giveUp: Issue.record("Given up, seed \(seed).")
            }
            let chance = Int.random(in: 0..<10, using: &generator)
            if chance == 0 {
                let jitter = Double.random(in: 0..<1, using: &generator)
                pacing.failed(nowNanoseconds: now, jitter: jitter)
            } else if chance < 4 {
                pacing.proved()
            }
        }
        for (earlier, later) in zip(openings, openings.dropFirst()) {
            #expect(later - earlier >= spacing, "seed \(seed)")
        }
        for (earlier, later) in zip(openings, openings.dropFirst(most)) {
            #expect(later - earlier >= 60 * Self.second, "seed \(seed)")
        }
    }

    @Test func hugeNumbersOfFailuresDoNotOverflow() {
        var pacing = ConnectPacing(
            pace: ConnectPace(pauseNanoseconds: 60 * Self.second, failuresMax: .max))
        for _ in 0..<200 { pacing.failed(nowNanoseconds: 0, jitter: 0) }
        #expect(pacing.next(nowNanoseconds: 0) == .wait(untilNanoseconds: 30 * Self.second))
    }
}
