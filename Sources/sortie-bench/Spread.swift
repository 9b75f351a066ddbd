/// What several measurements of one thing gave.
struct Spread: Sendable, Equatable {
    let median: Double
    let least: Double
    let greatest: Double

    /// Nil if nothing was measured.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let least = sorted.first, let greatest = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        self.least = least
        self.greatest = greatest
    }
}
