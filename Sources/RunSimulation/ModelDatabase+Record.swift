internal import APNSProtocol
internal import CampaignStore

/// Recording, as record_batch, record_late and canary_park do it.
extension ModelDatabase {
    func record(_ batch: RecordBatch, run: Run) throws(StoreError) -> RecordResult {
        try transaction { () throws(StoreError) in
            guard let worker = tables.worker(run.workerID) else { throw Self.leaseLost(run) }
            let isOld =
                breaks(.comparesBatches)
                ? worker.lastBatch == batch.id : worker.lastBatch >= batch.id
            if isOld { return .alreadyRecorded }
            guard renew(run) || breaks(.forgetsFence) else { throw Self.leaseLost(run) }
            tables.workers[Int(worker.id) - 1].lastBatch = batch.id
            tables.workers[Int(worker.id) - 1].allowsMarking = batch.allowsMarking
            for outcome in batch.outcomes where outcome.source < 0 {
                if breaks(.keepsSkipped), outcome.kind == .skipped { continue }
                unpark(outcome.ordinal, batch.phase)
            }
            for park in batch.parks { try insert(park, batch) }
            for outcome in batch.outcomes { try insert(outcome, batch, run) }
            for announcement in batch.announcements where !breaks(.forgetsMarks) {
                try announce(announcement, batch.phase, run)
            }
            didCommit(.batch(batch, workerID: run.workerID))
            return .recorded
        }
    }

    private func unpark(_ ordinal: Int32, _ phase: RunPhase) {
        tables.parks[ModelTables.index(phase)][Int(ordinal) - 1] = nil
    }

    /// Counts a recipient of a slice as recorded.
    private func advance(_ number: Int32, _ phase: RunPhase) throws(StoreError) {
        let place = ModelTables.index(phase)
        guard let index = tables.slices[place].firstIndex(where: { $0.number == number }) else {
            return
        }
        tables.slices[place][index].recorded += 1
        let slice = tables.slices[place][index]
        if slice.recorded > slice.size { throw Self.violation("slice_recorded_check") }
        if slice.recorded == slice.size { tables.slices[place][index].state = .done }
    }

    private func insert(_ park: ParkRecord, _ batch: RecordBatch) throws(StoreError) {
        let place = ModelTables.index(batch.phase)
        let index = Int(park.ordinal) - 1
        tables.parks[place][index] = ModelTables.ParkRow(
            attempts: park.attempts, cause: park.cause, reason: Self.text(park.reason, batch),
            notBefore: park.notBeforeMicroseconds,
            parkedAt: tables.parks[place][index]?.parkedAt ?? now)
        if park.slice >= 0 { try advance(park.slice, batch.phase) }
    }

    private func insert(
        _ outcome: OutcomeRecord, _ batch: RecordBatch, _ run: Run
    ) throws(StoreError) {
        let place = ModelTables.index(batch.phase)
        let index = Int(outcome.ordinal) - 1
        guard tables.outcomes[place][index] == nil else {
            throw Self.violation("outcome_\(run.id)_pkey")
        }
        let row = Self.row(outcome, batch, run)
        tables.outcomes[place][index] = row
        tables.count(batch.phase, run.workerID, row.kind, row.reason ?? "", 1)
        if outcome.source >= 0 { try advance(outcome.source, batch.phase) }
    }

    private static func row(
        _ outcome: OutcomeRecord, _ batch: RecordBatch, _ run: Run
    ) -> ModelTables.OutcomeRow {
        ModelTables.OutcomeRow(
            kind: outcome.kind, status: outcome.status, reason: text(outcome.reason, batch),
            attempts: outcome.attempts, workerID: run.workerID,
            sentAt: outcome.sentAtMicroseconds,
            apnsTimestamp: outcome.apnsTimestampMilliseconds * 1000)
    }

    private static func text(_ code: ReasonCode, _ batch: RecordBatch) -> String? {
        if code == .none { return nil }
        return batch.reasonTexts[code] ?? ReasonTable.row(code)?.wire ?? "reason \(code.rawValue)"
    }

    private func announce(
        _ announcement: Announcement, _ phase: RunPhase, _ run: Run
    ) throws(StoreError) {
        let place = ModelTables.index(phase)
        switch announcement {
        case .slice(let number, let through):
            guard let index = tables.slices[place].firstIndex(where: { $0.number == number })
            else { return }
            let slice = tables.slices[place][index]
            if through > slice.last { throw Self.violation("slice_mark_check") }
            tables.slices[place][index].sendingThrough = max(slice.sendingThrough, through)
        case .retry(let ordinals):
            // One that this same batch takes out of the list is gone or parked anew.
            for ordinal in ordinals where tables.park(phase, ordinal) != nil {
                if tables.park(phase, ordinal)?.workerID == nil {
                    throw Self.violation("retry_announced_check")
                }
                tables.parks[place][Int(ordinal) - 1]?.isAnnounced = true
            }
        }
    }

    // MARK: - Late answers

    func recordLate(_ batch: RecordBatch, run: Run) throws(StoreError) -> LateResult {
        let answers = batch.outcomes.filter { $0.kind == .accepted || $0.kind == .rejected }
        guard tables.worker(run.workerID)?.endedAt != nil else {
            return LateResult(replaced: 0, unparked: 0)
        }
        let place = ModelTables.index(batch.phase)
        var replaced = 0
        var unparked = 0
        for answer in answers {
            let index = Int(answer.ordinal) - 1
            let row = Self.row(answer, batch, run)
            if let old = tables.outcomes[place][index] {
                guard old.workerID == run.workerID, old.kind == .unknown,
                    old.reason == ModelTables.lostWorkerReason
                else { continue }
                tables.outcomes[place][index] = row
                tables.count(batch.phase, run.workerID, .unknown, old.reason ?? "", -1)
                replaced += 1
            } else if let park = tables.parks[place][index], park.workerID == nil {
                tables.parks[place][index] = nil
                tables.outcomes[place][index] = row
                unparked += 1
            } else {
                continue
            }
            tables.count(batch.phase, run.workerID, row.kind, row.reason ?? "", 1)
        }
        didCommit(.late(batch, workerID: run.workerID))
        return LateResult(replaced: replaced, unparked: unparked)
    }

    // MARK: - Canary

    func parkCanary(
        run: Run, ordinals: [Int32], nowMicroseconds: Int64
    ) throws(StoreError) -> Bool {
        guard renew(run) else { throw Self.leaseLost(run) }
        if tables.slices[1].contains(where: { $0.sendingThrough >= $0.first }) { return false }
        for ordinal in ordinals where !tables.isRecorded(.send, ordinal) {
            guard
                let slice = tables.slices[1].first(where: {
                    ($0.first...$0.last).contains(ordinal)
                })
            else { continue }
            tables.parks[1][Int(ordinal) - 1] = ModelTables.ParkRow(
                attempts: 0, cause: .canary, reason: nil, notBefore: nowMicroseconds,
                parkedAt: now)
            try advance(slice.number, .send)
        }
        didCommit(.other)
        return true
    }

    func canaryCounts(ordinals: [Int32]) -> CanaryCounts {
        let ended = ordinals.compactMap { tables.outcome(.send, $0) }
        return CanaryCounts(
            ended: ended.count, sent: ended.count { $0.kind != .skipped },
            rejected: ended.count { $0.kind == .rejected && $0.status != 410 })
    }
}
