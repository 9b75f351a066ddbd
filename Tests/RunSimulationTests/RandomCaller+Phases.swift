import APNSProtocol
import CampaignModel
import CampaignStore
@testable import RunSimulation

/// What workers do in a phase.
extension RandomCaller {
    private func phase() -> RunPhase { chance.below(3) == 0 ? .probe : .send }

    mutating func rest(_ run: Run) -> Answers {
        let (store, model, phase) = (store, model, phase())
        let words = { (rest: PhaseRest, counts: PhaseCounts) in
            "\(rest.slices) \(rest.parked) \(rest.nextRetryMicroseconds != nil) \(counts)"
        }
        return ask({ () throws(StoreError) in
            words(
                try store.rest(run: run, phase: phase), try store.progress(run: run, phase: phase))
        }) { () throws(StoreError) in
            words(model.rest(phase: phase), try model.progress(phase: phase))
        }
    }

    private var isFrozen: Bool { model.tables.run?.isFrozen == true }

    mutating func canary(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        let (store, model) = (store, model)
        let ordinals: [Int32] = [1, 5, 9]
        return ask({ () throws(StoreError) in
            let isFirst = try store.parkCanary(run: run, ordinals: ordinals, nowMicroseconds: 1)
            return "\(isFirst) \(try store.canaryCounts(run: run, ordinals: ordinals))"
        }) { () throws(StoreError) in
            let isFirst = try model.parkCanary(run: run, ordinals: ordinals, nowMicroseconds: 1)
            return "\(isFirst) \(model.canaryCounts(ordinals: ordinals))"
        }
    }

    mutating func tokens(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        let (store, model) = (store, model)
        let (phase, marks, undoes) = (phase(), chance.below(2) == 0, chance.below(3) == 0)
        if undoes {
            return ask({ () throws(StoreError) in try store.undoTokenStatus(run: run) }) {
                () throws(StoreError) in try model.undoTokenStatus()
            }
        }
        return ask({ () throws(StoreError) in
            try store.applyTokenStatus(run: run, phase: phase, marksInvalid: marks)
        }) { () throws(StoreError) in
            try model.applyTokenStatus(run: run, phase: phase, marksInvalid: marks)
        }
    }

    mutating func lease(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        let (store, model, phase) = (store, model, phase())
        let taken: [Int32]? = [nil, [], [0, 1]][chance.below(3)]
        let columns = RecipientColumns(fields: [])
        return ask({ () throws(StoreError) in
            let slice = try store.leaseNextSlice(run: run, phase: phase, besides: taken)
            var rows = "\(String(describing: slice))"
            guard let slice else { return rows }
            try store.streamRecipients(
                run: run, phase: phase, slice: slice, from: slice.nextOrdinal,
                through: slice.lastOrdinal, columns: columns
            ) { row, _, _ in rows += " \(row.ordinal) \(row.isActive)" }
            return rows
        }) { () throws(StoreError) in
            let slice = try model.leaseNextSlice(run: run, phase: phase, besides: taken)
            var rows = "\(String(describing: slice))"
            guard let slice else { return rows }
            model.streamRecipients(
                run: run, phase: phase, slice: slice, from: slice.nextOrdinal,
                through: slice.lastOrdinal, columns: columns
            ) { row, _, _ in rows += " \(row.ordinal) \(row.isActive)" }
            return rows
        }
    }

    mutating func claim(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        let (store, model, phase) = (store, model, phase())
        let columns = RecipientColumns(fields: [])
        let now = model.now + 1_000_000
        return ask({ () throws(StoreError) in
            let count = try store.claimRetries(
                run: run, phase: phase, nowMicroseconds: now, limit: 100)
            var rows = "\(count)"
            try store.claimedRetries(run: run, phase: phase, columns: columns) { row, _, _ in
                rows += " \(row.ordinal) \(row.attempts) \(String(describing: row.cause))"
            }
            return rows
        }) { () throws(StoreError) in
            let count = try model.claimRetries(
                run: run, phase: phase, nowMicroseconds: now, limit: 100)
            var rows = "\(count)"
            model.claimedRetries(run: run, phase: phase, columns: columns) { row, _, _ in
                rows += " \(row.ordinal) \(row.attempts) \(String(describing: row.cause))"
            }
            return rows
        }
    }

    // MARK: - Recording

    /// A batch as the worker might have it: ends of what it has announced, and a new announcement.
    private mutating func batch(_ run: Run, _ phase: RunPhase) -> RecordBatch {
        batches += 1
        // Now and then the same or an older number again.
        let id = chance.below(10) == 0 ? max(1, batches - 1) : batches
        var batch = RecordBatch(phase: phase, id: id)
        batch.allowsMarking = chance.below(6) > 0
        for doubt in model.doubtful(run.workerID) where doubt.phase == phase {
            let place = ModelTables.index(phase)
            let slice = doubt.slice.map { model.tables.slices[place][$0].number } ?? -1
            switch chance.below(4) {
            case 0, 1: batch.outcomes.append(outcome(doubt.ordinal, slice))
            case 2:
                batch.parks.append(
                    ParkRecord(
                        ordinal: doubt.ordinal, slice: slice, attempts: 1,
                        cause: chance.one(of: [.transient, .released, .unconfirmed]),
                        notBeforeMicroseconds: Int64(batches) * 1000 + Int64(doubt.ordinal)))
            default: break
            }
        }
        batch.announcements = announcements(run, phase)
        return batch
    }

    private func outcome(_ ordinal: Int32, _ slice: Int32) -> OutcomeRecord {
        let kinds: [(OutcomeKind, UInt16, String)] = [
            (.accepted, 200, ""), (.rejected, 410, "Unregistered"),
            (.rejected, 400, "BadDeviceToken"), (.rejected, 400, "DeviceTokenNotForTopic"),
            (.unknown, 0, ""), (.skipped, 0, ""),
        ]
        let (kind, status, reason) = chance.one(of: kinds)
        let bytes = Array(reason.utf8)
        let code = ReasonTable.code(forWireBytes: bytes.span) ?? .none
        return OutcomeRecord(
            ordinal: ordinal, kind: kind, status: status, reason: code, attempts: 1,
            connection: 1, sentAtMicroseconds: model.now, source: slice)
    }

    private func announcements(_ run: Run, _ phase: RunPhase) -> [Announcement] {
        let place = ModelTables.index(phase)
        var list: [Announcement] = []
        for slice in model.tables.slices[place]
        where slice.workerID == run.workerID && slice.state == .leased && chance.below(2) == 0 {
            let through = min(slice.last, slice.sendingThrough + Int32(1 + chance.below(3)))
            list.append(.slice(number: slice.number, through: through))
        }
        let claimed = model.tables.parks[place].indices.filter { index in
            let park = model.tables.parks[place][index]
            return park?.workerID == run.workerID && park?.isAnnounced == false
        }
        if !claimed.isEmpty, chance.below(2) == 0 {
            list.append(.retry(ordinals: claimed.map { Int32($0) + 1 }))
        }
        return list
    }

    mutating func record(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        let batch = batch(run, phase())
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in try store.record(batch, run: run) }) {
            () throws(StoreError) in try model.record(batch, run: run)
        }
    }

    /// Answers that come after the worker's end, for anybody.
    mutating func late(_ run: Run) -> Answers {
        guard isFrozen else { return ("", "") }
        batches += 1
        var batch = RecordBatch(phase: phase(), id: batches)
        for ordinal in Int32(1)...11 where chance.below(3) == 0 {
            batch.outcomes.append(outcome(ordinal, -1))
        }
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in try store.recordLate(batch, run: run) }) {
            () throws(StoreError) in try model.recordLate(batch, run: run)
        }
    }
}
