import SendPolicy
import Testing

@Suite struct ShareTests {
    @Test(
        arguments: [
            (-0.1, nil), (0, 0), (0.2, 200_000), (0.0000004, 0), (0.0000006, 1), (1, 1_000_000),
            (1.0000001, nil), (.nan, nil), (.infinity, nil),
        ] as [(Double, Int64?)])
    func aShareIsZeroToOne(_ fraction: Double, _ millionths: Int64?) {
        #expect(Share(fraction)?.millionths == millionths)
    }

    @Test(arguments: [
        (0.2, 9, 50, false), (0.2, 10, 50, false), (0.2, 11, 50, true), (0, 0, 50, false),
        (0, 1, 50, true), (1, 50, 50, false), (0.6, 60, 100, false), (0.6, 61, 100, true),
        (0.07, 7, 100, false), (0.07, 8, 100, true), (0.5, 0, 0, false),
        (0.2, 2_000_000, 10_000_000, false), (0.2, 2_000_001, 10_000_000, true),
    ])
    func exactlyTheShareDoesNotExceedIt(
        _ fraction: Double, _ part: Int, _ whole: Int, _ isExceeded: Bool
    ) throws {
        let share = try #require(Share(fraction))
        #expect(share.isExceeded(by: part, of: whole) == isExceeded)
    }

    @Test(
        arguments: [
            (0, 50, "0 %"), (24, 50, "48 %"), (1, 3, "33.3 %"), (2, 3, "66.7 %"), (50, 50, "100 %"),
            (1, 1000, "0.1 %"), (1, 100_000, "0 %"), (0, 0, "0 %"), (999, 1000, "99.9 %"),
        ] as [(Int64, Int64, String)])
    func percentHasAtMostOneDecimal(_ part: Int64, _ whole: Int64, _ text: String) {
        #expect(Share.percent(part, of: whole) == text)
    }

    @Test func aShareIsShownInPercent() {
        #expect(Share(0.2)?.description == "20 %")
        #expect(Share(0.005)?.description == "0.5 %")
    }
}
