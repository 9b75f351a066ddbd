import Testing

@testable import APNSSimulator

@Suite struct ArrivalWindowTests {
    static let second: Int64 = 1_000_000_000

    private static func largest(_ arrivals: [Int64]) -> Int {
        var window = ArrivalWindow()
        for arrival in arrivals { window.record(nowNanoseconds: arrival) }
        return window.largest
    }

    @Test func nothingArrived() {
        #expect(Self.largest([]) == 0)
    }

    @Test func burstThatStraddlesTwoCalendarSecondsIsOneBurst() {
        let before = (0..<100).map { Self.second - 1_000_000 + Int64($0) }
        let after = (0..<100).map { Self.second + 1_000_000 + Int64($0) }
        #expect(Self.largest(before + after) == 200)
    }

    @Test func arrivalsAFullSecondApartDoNotMeet() {
        let start: Int64 = 5_000_000_123
        #expect(Self.largest([start, start + Self.second]) == 1)
        #expect(Self.largest([start, start + Self.second - 200_000]) == 2)
    }

    @Test(arguments: [100, 1500, 100_000])
    func steadyRateIsItself(_ perSecond: Int) {
        let step = (Self.second + Int64(perSecond) - 1) / Int64(perSecond)
        let arrivals = (0..<(3 * perSecond)).map { Int64($0) * step }
        let largest = Self.largest(arrivals)
        #expect(largest <= perSecond)
        #expect(largest >= perSecond - max(1, perSecond / 10_000))
    }

    @Test func comesToTheSameAsCountingPlainly() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = RandomStream(seed: seed)
        var now: Int64 = 0
        var ticks: [Int64] = []
        var window = ArrivalWindow()
        for _ in 0..<5000 {
            now += Int64.random(
                in: 0...(Bool.random(using: &random) ? 1_000 : 2_000_000), using: &random)
            ticks.append(now / 100_000)
            window.record(nowNanoseconds: now)
        }
        let plain = ticks.indices.map { index in
            ticks[...index].count { $0 > ticks[index] - 10_000 }
        }.max()
        #expect(window.largest == plain, "seed \(seed)")
    }
}
