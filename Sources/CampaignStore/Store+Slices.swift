// Leasing slices and reading recipients.

package import CampaignModel
internal import PostgreSQL

extension Store {
    /// Leases the next slice of a phase that is open. Several workers never get the same one, and
    /// none gets one while the run is not in the phase or is asked to stop.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - phase: The phase.
    ///   - taken: The numbers of the slices that this caller has been given: any other one that its
    ///     worker holds is given out again, so that the call can be repeated after a lost
    ///     connection. Nil never gives a slice out again.
    /// - Returns: The slice; nil if none is open.
    /// - Throws: ``StoreError/leaseLost(_:)`` if another worker has taken over.
    package func leaseNextSlice(
        run: Run, phase: RunPhase, besides taken: [Int32]? = nil
    ) throws(StoreError) -> Slice? {
        let result = try self.run(
            "slice_lease",
            [
                .integer(run.id), .integer(Int64(phase.rawValue)),
                .integer(Int64(run.workerID)), .integer(Int64(run.leaseEpoch)),
                taken.map { .integers($0.map(Int64.init)) } ?? .null,
            ])
        guard result.boolean(0, 0) == true else { throw Self.leaseLost(run) }
        guard let number = result.integer(0, 1) else { return nil }
        let int32 = { (column: Int) in Int32(truncatingIfNeeded: result.integer(0, column) ?? 0) }
        return Slice(
            number: Int32(truncatingIfNeeded: number), firstOrdinal: int32(2),
            lastOrdinal: int32(3), size: int32(4), sendingThrough: int32(5), recorded: int32(6))
    }

    /// Reads the recipients of a leased slice in the order of their ordinals, leaving out those
    /// that take no part in the phase and those that are recorded or parked already.
    ///
    /// - Parameters:
    ///   - run: The run held.
    ///   - phase: The phase.
    ///   - slice: The slice leased.
    ///   - from: The first ordinal wanted, not below ``Slice/nextOrdinal``.
    ///   - through: The last ordinal wanted, inclusive.
    ///   - columns: The values wanted.
    ///   - body: Gets the row, its bytes, and where in them the values are, in the order of
    ///     `columns`. The bytes are valid during the call only. It must not use this store.
    /// - Throws: Database trouble.
    package func streamRecipients(
        run: Run, phase: RunPhase, slice: Slice, from: Int32, through: Int32,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError) {
        precondition(
            from >= slice.firstOrdinal && through <= slice.lastOrdinal, "outside the slice")
        guard from <= through else { return }
        let table = Self.recipientTable(run.id)
        let part = [("recipient", table), ("from", String(from)), ("through", String(through))]
        let bounds = try self.run("recipients_bounds", replacing: part)
        guard let first = bounds.integer(0, 0), let last = bounds.integer(0, 1) else { return }
        let sql = SQLLibrary.text(
            "recipients_of_slice",
            part + [
                ("first", String(first)), ("last", String(last)),
                ("columns", try columnList(columns)),
                ("only", phase == .probe ? "AND r.probe" : ""),
                ("unrecorded", slice.wasStarted ? unrecordedCondition(run, phase) : ""),
                ("rehearsed", rehearsedCondition(run)),
            ])
        try stream(sql, "recipients_of_slice", columns, slice: slice.number, body)
    }

    /// Claims parked recipients whose time has come, the longest waiting first. Several workers
    /// never get the same one, and none gets one while the run is not in the phase (of the canary,
    /// the lead alone) or is asked to stop.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - phase: The phase.
    ///   - nowMicroseconds: The caller's time since 1970, the same clock as the batches'
    ///     ``ParkRecord/notBeforeMicroseconds``.
    ///   - limit: How many at most.
    /// - Returns: How many are claimed and not announced now. Call it only when nothing claimed
    ///   before is on its way to being announced: it can be repeated after a lost connection then.
    /// - Throws: ``StoreError/leaseLost(_:)`` if this worker was evicted.
    package func claimRetries(
        run: Run, phase: RunPhase, nowMicroseconds: Int64, limit: Int
    ) throws(StoreError) -> Int {
        let result = try self.run(
            "retry_claim",
            [
                .integer(run.id), .integer(Int64(phase.rawValue)), .integer(Int64(run.workerID)),
                .integer(nowMicroseconds), .integer(Int64(limit)),
            ])
        guard result.boolean(0, 0) == true else { throw Self.leaseLost(run) }
        return Int(result.integer(0, 1) ?? 0)
    }

    /// Reads the parked recipients that this worker has claimed and not announced, the longest
    /// waiting first.
    ///
    /// - Parameters:
    ///   - run: The run worked on.
    ///   - phase: The phase.
    ///   - columns: The values wanted.
    ///   - body: As in ``streamRecipients(run:phase:slice:from:through:columns:_:)``.
    /// - Throws: Database trouble.
    package func claimedRetries(
        run: Run, phase: RunPhase, columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError) {
        let sql = SQLLibrary.text(
            "recipients_to_retry",
            [
                ("columns", try columnList(columns)), ("recipient", Self.recipientTable(run.id)),
                ("run", String(run.id)), ("phase", String(phase.rawValue)),
                ("worker", String(run.workerID)), ("rehearsed", rehearsedCondition(run)),
            ])
        try stream(sql, "recipients_to_retry", columns, slice: -1, body)
    }

    /// What is left of a phase, of all workers.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - phase: The phase.
    /// - Returns: The counts.
    /// - Throws: Database trouble.
    package func rest(run: Run, phase: RunPhase) throws(StoreError) -> PhaseRest {
        let result = try self.run(
            "phase_rest", [.integer(run.id), .integer(Int64(phase.rawValue))])
        return PhaseRest(
            slices: Int(result.integer(0, 0) ?? 0), parked: Int(result.integer(0, 1) ?? 0),
            nextRetryMicroseconds: result.integer(0, 2))
    }

    /// How far a phase is: recipients in it, recorded, parked.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - phase: The phase.
    /// - Returns: The counts.
    /// - Throws: Database trouble.
    package func progress(run: Run, phase: RunPhase) throws(StoreError) -> PhaseCounts {
        let result = try self.run(
            "phase_counts", [.integer(run.id), .integer(Int64(phase.rawValue))])
        let count = { (column: Int) in Int(result.integer(0, column) ?? 0) }
        return PhaseCounts(
            total: count(0), accepted: count(1), rejected: count(2), unknown: count(3),
            skipped: count(4), parked: count(5))
    }

    // MARK: - Rows

    /// The extra columns. Names of attributes are data from a file, so they are quoted.
    private func columnList(_ columns: RecipientColumns) throws(StoreError) -> String {
        var list = ""
        for field in columns.fields {
            switch field {
            case .userID: list += ", d.user_id"
            case .locale: list += ", d.locale"
            case .attribute(let name):
                let literal = try Self.mapping { () throws(PGError) in
                    try connection.literal(name)
                }
                list += ", d.attributes->>\(literal)"
            }
        }
        return list
    }

    private func unrecordedCondition(_ run: Run, _ phase: RunPhase) -> String {
        SQLLibrary.text(
            "recipients_unrecorded",
            [
                ("outcome", Self.outcomeTable(run.id)), ("run", String(run.id)),
                ("phase", String(phase.rawValue)),
            ])
    }

    private func rehearsedCondition(_ run: Run) -> String {
        guard run.isRehearsal else { return "" }
        return SQLLibrary.text("recipients_rehearsed", [("outcome", Self.outcomeTable(run.id))])
    }

    private func stream(
        _ sql: String, _ name: String, _ columns: RecipientColumns, slice: Int32,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) throws(StoreError) {
        let isRetry = slice < 0
        let fixed = isRetry ? 6 : 3
        var reader = BinaryCopyReader(fieldCount: fixed + columns.fields.count, name: name)
        var values = [FieldRange](repeating: .none, count: columns.fields.count)
        try connection.copyOut(sql, name: name) { (message: RawSpan) throws(StoreError) in
            try reader.read(message) { (bytes, fields) throws(StoreError) in
                for index in values.indices {
                    let field = fields[fixed + index]
                    values[index] = FieldRange(offset: field.offset, length: field.count)
                }
                let row = RecipientRow(bytes, fields, slice: slice, isRetry: isRetry)
                let utf8 = Span<UInt8>(_bytes: bytes)
                body(row, utf8, values.span)
            }
        }
    }
}

/// What is left of a phase.
package struct PhaseRest: Sendable, Equatable {
    /// Slices that are not done, whoever has them.
    package let slices: Int
    /// Parked recipients, claimed ones included.
    package let parked: Int
    /// When the next of those that nobody has claimed is due, since 1970; nil if there is none.
    package let nextRetryMicroseconds: Int64?

    /// A rest of these parts.
    package init(slices: Int, parked: Int, nextRetryMicroseconds: Int64?) {
        self.slices = slices
        self.parked = parked
        self.nextRetryMicroseconds = nextRetryMicroseconds
    }

    /// Whether everybody in the phase has an outcome.
    package var isNothing: Bool { slices == 0 && parked == 0 }
}

/// How far a phase is.
package struct PhaseCounts: Sendable, Equatable {
    /// Recipients that take part.
    package let total: Int
    /// Accepted by APNs.
    package let accepted: Int
    /// Refused for good.
    package let rejected: Int
    /// Sent, no answer.
    package let unknown: Int
    /// Not sent on purpose.
    package let skipped: Int
    /// Waiting in the retry list.
    package let parked: Int

    /// Counts of these parts.
    package init(
        total: Int, accepted: Int, rejected: Int, unknown: Int, skipped: Int, parked: Int
    ) {
        self.total = total
        self.accepted = accepted
        self.rejected = rejected
        self.unknown = unknown
        self.skipped = skipped
        self.parked = parked
    }

    /// Recipients with an outcome.
    package var done: Int { accepted + rejected + unknown + skipped }
}

extension RecipientRow {
    /// Reads the fixed columns of recipients_of_slice or recipients_to_retry.
    fileprivate init(
        _ bytes: RawSpan, _ fields: Span<PGFieldRange>, slice: Int32, isRetry: Bool
    ) {
        ordinal = bytes.bigEndian(Int32.self, at: Int(fields[0].offset))
        let translation = Int(bytes.bigEndian(Int16.self, at: Int(fields[1].offset)))
        isActive = translation >= 0
        self.translation = max(0, translation)
        tokenOffset = Int(fields[2].offset)
        tokenCount = Int(fields[2].count)
        self.slice = slice
        guard isRetry else { return }
        attempts = UInt8(clamping: bytes.bigEndian(Int16.self, at: Int(fields[3].offset)))
        cause = ParkCause(
            rawValue: UInt8(clamping: bytes.bigEndian(Int16.self, at: Int(fields[4].offset))))
        parkedAtMicroseconds = bytes.bigEndian(Int64.self, at: Int(fields[5].offset))
    }
}
