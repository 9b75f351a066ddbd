/// Reads the sizes and times of runs. Each bound is where the setting would begin to harm: see
/// docs/configuration.md.
enum TuningReader {
    static let fields = [
        "lease", "slice", "window", "batch", "batch_age", "database_patience", "event_loops",
    ]

    /// Shorter than 4 s a lease would be lost by a slow answer of the database; longer than ten
    /// minutes nobody waits for a machine that is gone. Milliseconds.
    private static let lease: ClosedRange<Int64> = 4_000...600_000
    private static let slice = 100...1_000_000
    private static let window = 20...100_000
    private static let batch = 100...50_000
    private static let batchAge: ClosedRange<Int64> = 10...5_000
    private static let databasePatience: ClosedRange<Int64> = 1_000...3_600_000
    /// As many as a worker may have connections.
    private static let eventLoops = 1...64

    /// Reads them.
    ///
    /// - Parameter section: the fields; nil: there are none.
    /// - Returns: what is given.
    static func tuning(_ section: FieldSection?) -> Configuration.Tuning {
        var tuning = Configuration.Tuning()
        guard let section else { return tuning }
        section.checkNames()
        tuning.leaseSeconds = seconds(section["lease"], lease)
        tuning.slice = section.count("slice", slice)
        tuning.window = section.count("window", window)
        tuning.batch = section.count("batch", batch)
        tuning.batchMilliseconds = section["batch_age"]?.duration(in: batchAge).map { Int($0) }
        tuning.databasePatienceSeconds = seconds(section["database_patience"], databasePatience)
        tuning.eventLoops = section.count("event_loops", eventLoops)
        return tuning
    }

    private static func seconds(_ value: FieldValue?, _ range: ClosedRange<Int64>) -> Int? {
        value?.duration(in: range, unit: 1_000).map { Int($0 / 1_000) }
    }
}
