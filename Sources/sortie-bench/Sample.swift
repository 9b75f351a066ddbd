/// What was measured of one run of one sender.
struct Sample: Sendable {
    /// What both senders have.
    var usage: ProcessUsage
    /// Processor time of the simulator, in seconds.
    var serverSeconds = 0.0
    /// What the simulator received meanwhile.
    var received = ServerCounts()
    /// What only a run with a database has.
    var record: RecordFigures?
    /// Recipients, or requests of h2load.
    let recipients: Int
}

/// What the database says of a run.
struct RecordFigures: Sendable {
    /// Requests on the wire, those of the preflight included.
    var requests: Int
    /// From the beginning of the freezing to the beginning of the first phase, in seconds.
    var freezeSeconds: Double
    /// From the beginning of the first phase to the end of the run, in seconds.
    var sendSeconds: Double
    /// Processor time of all of PostgreSQL's processes, in seconds.
    var databaseSeconds = 0.0
    /// Bytes of the write-ahead log.
    var logBytes = 0
    /// Bytes of the run's recipients and outcomes on disk, indexes included.
    var diskBytes = 0
}

/// Calls of one run that was counted and not timed.
struct CallCounts: Sendable {
    let allocations: Double
    let reads: Double
    let writes: Double
    let writtenBytes: Double

    /// Reads what the counting library wrote; nil if a count is missing.
    ///
    /// - Parameters:
    ///   - text: Its file.
    ///   - requests: Requests of the run; the counts are per 1,000 of these.
    init?(_ text: String, requests: Int) {
        var counts: [Substring: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { counts[words[0]] = Double(words[1]) }
        }
        guard requests > 0, let allocations = counts["allocations"], let reads = counts["reads"],
            let writes = counts["writes"], let written = counts["written_bytes"]
        else { return nil }
        let thousands = Double(requests) / 1_000
        self.allocations = allocations / thousands
        self.reads = reads / thousands
        self.writes = writes / thousands
        writtenBytes = written / thousands
    }
}
