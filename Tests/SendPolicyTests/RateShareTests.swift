import SendPolicy
import Testing

@Suite struct RateShareTests {
    @Test(arguments: [
        // total in thousandths, workers, each one's share
        (5_000_000 as Int64, 1, [5_000_000 as Int64]),
        (5_000_000, 3, [1_666_666, 1_666_666, 1_666_666]),
        // One request a second for each is enough; less is not.
        (3_000, 3, [1_000, 1_000, 1_000]),
        (2_999, 3, [1_499, 1_499, 0]),
        (667, 2, [667, 0]),
        (1, 2, [1, 0]),
    ])
    func theFirstShareWhatIsTooLittleForAll(total: Int64, workers: Int, shares: [Int64]) {
        let fair = (0..<workers).map {
            RateShare.fair(total: total, workers: workers, rank: $0)
        }
        #expect(fair == shares)
    }

    @Test func theSumIsNeverMoreThanTheWhole() {
        for total: Int64 in [1, 999, 1_000, 1_001, 7_777, 1_234_567] {
            for workers in 1...20 {
                let sum = (0..<workers).reduce(Int64(0)) {
                    $0 + RateShare.fair(total: total, workers: workers, rank: $1)
                }
                #expect(sum <= total && sum > 0)
            }
        }
    }

    /// A worker that was there keeps a share when others come: it may have recipients in hand.
    @Test func whoHasAShareKeepsOneWhenOthersCome() {
        for total: Int64 in [500, 1_500, 4_200] {
            for workers in 1..<10 {
                for rank in 0..<workers
                where RateShare.fair(total: total, workers: workers, rank: rank) > 0 {
                    #expect(RateShare.fair(total: total, workers: workers + 1, rank: rank) > 0)
                }
            }
        }
    }
}
