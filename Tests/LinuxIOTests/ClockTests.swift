import LinuxIO
import Testing

@Suite struct ClockTests {
    @Test func monotonicTimeNeverGoesBack() {
        var last = MonotonicClock.nanoseconds()
        for _ in 0..<10_000 {
            let now = MonotonicClock.nanoseconds()
            #expect(now >= last)
            last = now
        }
    }

    @Test func wallTimeIsInMicrosecondsOfThisCentury() {
        // 2020-01-01 and 2100-01-01, 00:00 UTC.
        let century: Range<Int64> = 1_577_836_800_000_000..<4_102_444_800_000_000
        #expect(century.contains(WallClock.microseconds()))
    }
}
