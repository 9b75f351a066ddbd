// What a worker learns after it was evicted.

internal import APNSProtocol
internal import PostgreSQL

/// How much of a late batch was of use.
package struct LateResult: Sendable, Equatable {
    /// Outcomes that stood for no answer and have one now.
    package let replaced: Int
    /// Parked recipients that need not be sent to again.
    package let unparked: Int

    /// Counts of these parts.
    package init(
        replaced: Int, unparked: Int
    ) {
        self.replaced = replaced
        self.unparked = unparked
    }
}

extension Store {
    /// Records the answers of a worker that was evicted, as far as they say more than what its
    /// eviction settled: an answer takes the place of an outcome that stands for no answer, or of a
    /// place in the retry list that nobody has claimed. The rest of the batch is dropped: its
    /// recipients have been given another way on. Doing it again changes nothing.
    ///
    /// - Parameters:
    ///   - batch: What was learnt.
    ///   - run: The run, with the evicted worker's id.
    /// - Returns: How much was of use.
    /// - Throws: Database trouble.
    @discardableResult
    package func recordLate(_ batch: RecordBatch, run: Run) throws(StoreError) -> LateResult {
        let answers = batch.outcomes.filter { $0.kind == .accepted || $0.kind == .rejected }
        guard !answers.isEmpty else { return LateResult(replaced: 0, unparked: 0) }
        let integers = { (value: (OutcomeRecord) -> Int64) in PGValue.integers(answers.map(value)) }
        let result = try retryingTransaction { () throws(StoreError) in
            try self.run(
                "record_late", replacing: [("outcome", Self.outcomeTable(run.id))],
                [
                    .integer(run.id), .integer(Int64(batch.phase.rawValue)),
                    .integer(Int64(run.workerID)), integers { Int64($0.ordinal) },
                    integers { Int64($0.kind.rawValue) }, integers { Int64($0.status) },
                    .texts(answers.map { Self.text(of: $0.reason, in: batch) }),
                    integers { Int64($0.attempts) }, integers { Int64($0.connection) },
                    integers { Int64($0.latencyMicroseconds) }, integers(\.sentAtMicroseconds),
                    integers { $0.apnsTimestampMilliseconds * 1000 },
                    .texts(answers.map(\.apnsIDText)),
                ])
        }
        return LateResult(
            replaced: Int(result.integer(0, 0) ?? 0), unparked: Int(result.integer(0, 1) ?? 0))
    }
}

extension OutcomeRecord {
    /// The id as PostgreSQL reads a uuid; nil for none.
    fileprivate var apnsIDText: String? {
        if apnsIDHigh == 0 && apnsIDLow == 0 { return nil }
        return [apnsIDHigh, apnsIDLow].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
