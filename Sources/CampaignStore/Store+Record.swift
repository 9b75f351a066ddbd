// Recording outcomes: the write-ahead mark, the outcomes and the progress in one transaction.
//
// 1. A recipient may go on the wire only after a committed announcement covers it: its slice's
//    sending_through, or its retry row's flag.
// 2. An outcome, its slice's progress, the roll-ups and the removal from the retry list are
//    committed together or not at all, so SUM holds at every moment.
// 3. The transaction begins by updating the worker's own row. Whoever takes the run over ends that
//    row first, so a worker that lost its lease updates nothing and writes nothing.
// 4. The same update stores the batch's id. If COMMIT was sent and the connection broke, recording
//    the same batch again finds the id there, or does not, and so is right either way.

internal import APNSProtocol
internal import PostgreSQL

/// Whether a batch was recorded by this call.
package enum RecordResult: Sendable, Equatable {
    /// Now.
    case recorded
    /// Before: the commit that seemed to fail had succeeded. Nothing was changed now.
    case alreadyRecorded
}

extension Store {
    /// Records a batch and renews the worker's lease, durably and in one transaction.
    ///
    /// If it throws an error that is retryable, call again with the same batch, after
    /// ``reconnect()`` if the connection is lost. Recording another batch before that one is
    /// settled would lose it or count it twice.
    ///
    /// - Parameters:
    ///   - batch: What to record.
    ///   - run: The run held.
    /// - Returns: Whether it was recorded now or before.
    /// - Throws: ``StoreError/leaseLost(_:)`` if another worker has taken over; nothing was
    ///   recorded then.
    ///
    /// *Cost:* one round trip without outcomes, five with.
    @discardableResult
    package func record(_ batch: RecordBatch, run: Run) throws(StoreError) -> RecordResult {
        let totals = BatchTotals(batch)
        if batch.outcomes.isEmpty { return try recordProgress(batch, totals, run) }
        // Whoever evicts this worker must not have to wait for a process that stands still.
        let limits = PGTransactionLimits(
            idleMilliseconds: run.leaseSeconds * 500,
            statementMilliseconds: run.leaseSeconds * 2000,
            applicationName: "sortie worker \(run.workerID)")
        return try connection.withTransaction(limits: limits) { () throws(StoreError) in
            let result = try recordProgress(batch, totals, run)
            if result == .recorded { try copyOutcomes(batch, run) }
            return result
        }
    }

    private func recordProgress(
        _ batch: RecordBatch, _ totals: BatchTotals, _ run: Run
    ) throws(StoreError) -> RecordResult {
        let parks = batch.parks
        let texts = { (code: ReasonCode) in Self.text(of: code, in: batch) }
        let result = try self.run(
            "record_batch",
            [
                .integer(run.id), .integer(Int64(batch.phase.rawValue)),
                .integer(Int64(run.workerID)), .integer(batch.id),
                .integer(Int64(run.leaseSeconds)),
                .integers(totals.progress.map { Int64($0.slice) }),
                .integers(totals.progress.map(\.recorded)),
                .integers(totals.progress.map { Int64($0.through) }),
                .integers(totals.unparked), .integers(totals.announced),
                .integers(parks.map { Int64($0.ordinal) }),
                .integers(parks.map { Int64($0.attempts) }),
                .integers(parks.map { Int64($0.cause.rawValue) }),
                .texts(parks.map { texts($0.reason) }),
                .integers(parks.map(\.notBeforeMicroseconds)),
                .integers(totals.tallies.map { Int64($0.kind.rawValue) }),
                .texts(totals.tallies.map { texts($0.reason) ?? "" }),
                .integers(totals.tallies.map(\.count)), .boolean(batch.allowsMarking),
            ])
        switch result.text(0, 0) {
        case "recorded": return .recorded
        case "repeated": return .alreadyRecorded
        default: throw Self.leaseLost(run)
        }
    }

    private func copyOutcomes(_ batch: RecordBatch, _ run: Run) throws(StoreError) {
        // In the order of the index the insertion stays in one leaf page after another.
        let outcomes = batch.outcomes.sorted { $0.ordinal < $1.ordinal }
        let reasons = ReasonTexts(batch)
        let sql = SQLLibrary.text("outcome_copy", [("outcome", Self.outcomeTable(run.id))])
        let encoder = OutcomeEncoder(run: run, phase: batch.phase)
        try connection.copyIn(sql, name: "outcome_copy") {
            (writer, flushIfFull) throws(StoreError) in
            for index in outcomes.indices {
                encoder.append(outcomes[index], reasons, to: writer)
                // Looking at the buffer's fill every row would cost more than the row.
                if index & 0xFF == 0 { try flushIfFull() }
            }
        }
    }

    /// A reason's text for the database: nil for none.
    static func text(of code: ReasonCode, in batch: RecordBatch) -> String? {
        if code == .none { return nil }
        return batch.reasonTexts[code] ?? ReasonTable.row(code)?.wire
            ?? "reason \(code.rawValue)"
    }
}

/// The texts of a batch's reasons, looked up once per reason and not once per recipient.
private final class ReasonTexts {
    private let batch: RecordBatch
    private var code = ReasonCode.none
    private var text: String?

    init(_ batch: RecordBatch) { self.batch = batch }

    /// The text of a reason; consecutive recipients often share it.
    func text(of code: ReasonCode) -> String? {
        if code == self.code { return text }
        self.code = code
        text = Store.text(of: code, in: batch)
        return text
    }
}

/// Writes ``OutcomeRecord``s in the column order of outcome_copy.
private struct OutcomeEncoder {
    private static let fieldCount = 13
    /// All fixed columns, and a reason of at most 256 bytes.
    private static let fixedBytes = 70
    let run: Run
    let phase: RunPhase

    func append(_ outcome: OutcomeRecord, _ reasons: ReasonTexts, to writer: BinaryCopyWriter) {
        let reason = outcome.reason == .none ? nil : reasons.text(of: outcome.reason)
        writer.beginRow(
            fieldCount: Self.fieldCount, bytesMax: Self.fixedBytes + (reason?.utf8.count ?? 0))
        writer.int64(run.id)
        if outcome.sentAtMicroseconds == 0 {
            writer.null()
        } else {
            writer.timestamp(outcome.sentAtMicroseconds)
        }
        writer.int32(outcome.ordinal)
        writer.int32(Int32(truncatingIfNeeded: min(outcome.latencyMicroseconds, 0x7FFF_FFFF)))
        writer.int32(run.workerID)
        writer.int16(phase.rawValue)
        writer.int16(Int16(outcome.kind.rawValue))
        writer.int16(Int16(clamping: outcome.status))
        writer.int16(Int16(outcome.attempts))
        writer.int16(Int16(outcome.connection))
        if outcome.apnsIDHigh == 0 && outcome.apnsIDLow == 0 {
            writer.null()
        } else {
            writer.uuid(outcome.apnsIDHigh, outcome.apnsIDLow)
        }
        if let reason { writer.text(reason) } else { writer.null() }
        if outcome.apnsTimestampMilliseconds == 0 {
            writer.null()
        } else {
            writer.timestamp(Self.clamped(outcome.apnsTimestampMilliseconds) * 1000)
        }
    }

    /// A timestamp as PostgreSQL can hold it: a server may write any number.
    private static func clamped(_ milliseconds: Int64) -> Int64 {
        // The year 9999, far above any real one and far below PostgreSQL's limit.
        min(max(milliseconds, -62_000_000_000_000), 253_402_300_799_000)
    }
}
