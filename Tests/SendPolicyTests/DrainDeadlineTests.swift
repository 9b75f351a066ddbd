import SendPolicy
import Testing

@Suite struct DrainDeadlineTests {
    @Test(
        arguments: [
            (0, 0, DrainDecision.drained), (1, 0, .wait(untilNanoseconds: 50)),
            (1, 49, .wait(untilNanoseconds: 50)), (1, 50, .expired), (1, 51, .expired),
            (0, 51, .drained), (900, 10, .wait(untilNanoseconds: 50)),
        ] as [(Int, Int64, DrainDecision)])
    func openRequestsAreWaitedForUntilTheEnd(
        _ open: Int, _ now: Int64, _ expected: DrainDecision
    ) {
        let deadline = DrainDeadline(nowNanoseconds: 20, graceNanoseconds: 30)
        #expect(deadline.decision(open: open, nowNanoseconds: now) == expected)
    }

    @Test(arguments: [(10, 40), (20, 50), (30, 50)] as [(Int64, Int64)])
    func askingAgainOnlyShortens(_ grace: Int64, _ end: Int64) {
        var deadline = DrainDeadline(nowNanoseconds: 20, graceNanoseconds: 30)
        deadline.shorten(nowNanoseconds: 30, graceNanoseconds: grace)
        let decision = deadline.decision(open: 1, nowNanoseconds: 30)
        #expect(decision == .wait(untilNanoseconds: end))
    }
}
