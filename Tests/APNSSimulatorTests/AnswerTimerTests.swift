import Testing

@testable import APNSSimulator

@Suite struct AnswerTimerTests {
    private static func answer(_ due: Int64) -> DelayedAnswer {
        DelayedAnswer(
            dueNanoseconds: due, connection: 0, connectionNumber: 1, slot: 0, generation: 0)
    }

    @Test func answersComeInTheOrderTheyAreDue() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = RandomStream(seed: seed)
        let dues = (0..<1000).map { _ in Int64.random(in: 0..<500, using: &random) }
        var timer = AnswerTimer()
        for due in dues { timer.add(Self.answer(due)) }
        var taken: [Int64] = []
        while let answer = timer.take(nowNanoseconds: 1000) { taken.append(answer.dueNanoseconds) }
        #expect(taken == dues.sorted(), "seed \(seed)")
        #expect(timer.nextNanoseconds == nil)
    }

    @Test func nothingIsTakenBeforeItsTime() {
        var timer = AnswerTimer()
        timer.add(Self.answer(20))
        timer.add(Self.answer(10))
        #expect(timer.take(nowNanoseconds: 9) == nil)
        #expect(timer.nextNanoseconds == 10)
        #expect(timer.take(nowNanoseconds: 10) == Self.answer(10))
        #expect(timer.take(nowNanoseconds: 10) == nil)
        #expect(timer.nextNanoseconds == 20)
    }

    @Test func busyServerAnswersOneAfterTheOther() {
        var pace = AnswerPace(answersPerSecond: 1000)
        #expect(
            (0..<4).map { _ in pace.turn(nowNanoseconds: 0) } == [
                0, 1_000_000, 2_000_000, 3_000_000,
            ])
        #expect(pace.turn(nowNanoseconds: 10_000_000) == 10_000_000)
    }
}
