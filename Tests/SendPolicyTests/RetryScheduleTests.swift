import SendPolicy
import Testing

@Suite struct RetryScheduleTests {
    private static let second: Int64 = 1_000_000_000
    private static let minute: Int64 = 60 * second
    private static let policy = RetryPolicy(attemptsMax: 4, withinNanoseconds: 45 * minute)

    private func next(
        _ kind: RetryKind, attempts: Int = 1, elapsed: Int64 = 0,
        policy: RetryPolicy = RetryScheduleTests.policy, jitter: Double = 0
    ) -> RetryDecision {
        RetrySchedule.next(
            kind, attempts: attempts, elapsedNanoseconds: elapsed, policy: policy, jitter: jitter)
    }

    @Test(
        arguments: [
            (.transient, [900, 900, 900, 900]), (.device, [60, 120, 240, 480]),
            (.soon, [1, 2, 4, 8]), (.unconfirmed, [5, 10, 20, 40]),
        ] as [(RetryKind, [Int64])])
    func everyKindHasItsPauses(_ kind: RetryKind, _ seconds: [Int64]) {
        let policy = RetryPolicy(attemptsMax: 100, withinNanoseconds: Int64.max)
        for (index, pause) in seconds.enumerated() {
            let decision = next(kind, attempts: index + 1, policy: policy)
            #expect(decision == .after(nanoseconds: pause * Self.second))
        }
    }

    @Test(arguments: [(1, false), (2, false), (3, false), (4, true), (5, true)])
    func theAttemptsAreBounded(_ attempts: Int, _ isOver: Bool) {
        #expect((next(.soon, attempts: attempts) == .giveUpAttempts) == isOver)
    }

    @Test(arguments: [
        (30 * minute - 1, false), (30 * minute, false), (30 * minute + 1, true),
        (45 * minute, true), (Int64.max, true),
    ])
    func noAttemptBeginsAfterTheTime(_ elapsed: Int64, _ isOver: Bool) {
        let decision = next(.transient, elapsed: elapsed)
        #expect((decision == .giveUpTime) == isOver)
        #expect((next(.transient, elapsed: elapsed, jitter: 0.99) == .giveUpTime) == isOver)
    }

    // Apple asks for 15 minutes before a 5xx is tried again: jitter must not shorten them.
    @Test(arguments: [(0, 900.0), (0.5, 945), (0.999999, 990)] as [(Double, Double)])
    func jitterOnlyAdds(_ jitter: Double, _ seconds: Double) {
        guard case .after(let nanoseconds) = next(.transient, jitter: jitter) else {
            Issue.record("It was given up.")
            return
        }
        #expect(nanoseconds >= 900 * Self.second)
        #expect(abs(Double(nanoseconds) / 1e9 - seconds) < 0.001)
    }

    /// What the server asks for is a minimum; it neither shortens a pause nor outlasts the
    /// campaign.
    @Test(arguments: [(30, 60), (60, 60), (120, 120)] as [(Int64, Int64)])
    func theLongerOfTheTwoPausesIsKept(askedSeconds: Int64, seconds: Int64) {
        let policy = RetryPolicy(
            attemptsMax: 3, withinNanoseconds: 300_000_000_000, delayNanoseconds: 60_000_000_000)
        let decision = RetrySchedule.next(
            .transient, attempts: 1, elapsedNanoseconds: 0, policy: policy,
            askedNanoseconds: askedSeconds * 1_000_000_000, jitter: 0)
        #expect(decision == .after(nanoseconds: seconds * 1_000_000_000))
        let tooLong = RetrySchedule.next(
            .transient, attempts: 1, elapsedNanoseconds: 0, policy: policy,
            askedNanoseconds: 301_000_000_000, jitter: 0)
        #expect(tooLong == .giveUpTime)
    }

    @Test func theTransientPauseIsTheCampaigns() {
        var policy = Self.policy
        policy.delayNanoseconds = 7
        #expect(next(.transient, policy: policy) == .after(nanoseconds: 7))
    }

    @Test(
        arguments: [
            (.device, 6, 1920), (.device, 7, 3600), (.device, 8, 3600), (.soon, 12, 2048),
            (.soon, 13, 3600), (.soon, 14, 3600), (.soon, 1_000_000, 3600),
            (.unconfirmed, 10, 2560), (.unconfirmed, 11, 3600),
        ] as [(RetryKind, Int, Int64)])
    func aDoublingPauseEndsAtAnHour(_ kind: RetryKind, _ attempts: Int, _ seconds: Int64) {
        let policy = RetryPolicy(attemptsMax: .max, withinNanoseconds: Int64.max)
        let decision = next(kind, attempts: attempts, policy: policy)
        #expect(decision == .after(nanoseconds: seconds * Self.second))
    }

    @Test func aPolicyOfOneAttemptNeverRetries() {
        let policy = RetryPolicy(attemptsMax: 1, withinNanoseconds: Int64.max)
        for kind in RetryKind.allCases {
            #expect(next(kind, policy: policy) == .giveUpAttempts)
        }
    }
}
