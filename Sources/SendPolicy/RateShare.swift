/// How a rate for a whole run is divided among its workers.
///
/// Everybody gets the same; but a share below one request a second is of little use to a worker
/// that has hundreds of recipients in hand, so when there are more workers than whole requests,
/// those that came first share the rate and the others get nothing.
package enum RateShare {
    private static let wholeThousandths: Int64 = 1000

    /// A worker's fair share.
    ///
    /// - Parameters:
    ///   - total: For all workers, in thousandths of a request per second; above 0.
    ///   - workers: How many there are, at least 1.
    ///   - rank: How many of them came before this one.
    /// - Returns: In thousandths; over all ranks never more than `total`. 0: it sends nothing.
    package static func fair(total: Int64, workers: Int, rank: Int) -> Int64 {
        let sharers = max(1, min(Int64(workers), total / wholeThousandths))
        return rank < sharers ? total / sharers : 0
    }
}
