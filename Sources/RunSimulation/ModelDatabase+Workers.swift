internal import CampaignStore

/// Leases, the lead, shares and evictions, as the functions of `sortie` do it.
extension ModelDatabase {
    func description(_ worker: ModelTables.WorkerRow) -> WorkerDescription {
        WorkerDescription(
            id: worker.id, facts: worker.facts,
            silentSeconds: Double(now - worker.heartbeatAt) / 1e6,
            leaseSecondsLeft: Double(worker.leaseExpiresAt - now) / 1e6)
    }

    func peers() -> [WorkerDescription] {
        tables.workers.filter { $0.endedAt == nil }.map { description($0) }
    }

    /// Renews a worker's lease in place; false if it has ended.
    func renew(_ run: Run) -> Bool {
        guard let worker = tables.worker(run.workerID), worker.endedAt == nil else { return false }
        let index = Int(worker.id) - 1
        tables.workers[index].heartbeatAt = now
        tables.workers[index].leaseExpiresAt = now + Int64(run.leaseSeconds) * 1_000_000
        return true
    }

    func heartbeat(run: Run, share: Int64) throws(StoreError) -> Heartbeat {
        let row = try runRow()
        guard renew(run) else { throw Self.leaseLost(run) }
        let index = Int(run.workerID) - 1
        tables.workers[index].rateShare = min(tables.workers[index].rateShare, share)
        let alive = tables.workers.filter { $0.endedAt == nil }
        return Heartbeat(
            state: row.state, wish: row.wish, leadID: row.leadID,
            isLead: row.leadID == run.workerID, maxRateThousandths: maxRateThousandths,
            workers: alive.count, rank: alive.count { $0.id < run.workerID })
    }

    var maxRateThousandths: Int64? {
        tables.run?.new.maxRatePerSecond.map { Int64(($0 * 1000).rounded(.toNearestOrEven)) }
    }

    func takeShare(run: Run, wanted: Int64) throws(StoreError) -> Int64 {
        guard let worker = tables.worker(run.workerID), worker.endedAt == nil else {
            throw Self.leaseLost(run)
        }
        let others = tables.workers.reduce(Int64(0)) { sum, other in
            // One that has left may have sent a moment ago.
            let counts = other.endedAt.map { $0 > now - 1_100_000 } ?? true
            return counts && other.id != worker.id ? sum + other.rateShare : sum
        }
        // Without a limit there is nothing to subtract from, and least() takes the wish.
        let free = maxRateThousandths.map { $0 - others }
        let granted = max(0, free.map { min(wanted, $0) } ?? wanted)
        tables.workers[Int(worker.id) - 1].rateShare = granted
        return granted
    }

    /// `sortie.take_lead`: the epoch; nil if another leads.
    func takeLead(workerID: Int32) throws(StoreError) -> Int32? {
        var row = try runRow()
        guard let worker = tables.worker(workerID), worker.endedAt == nil else { return nil }
        if row.leadID == workerID { return row.leaseEpoch }
        if let lead = row.leadID, tables.worker(lead)?.isLive(now) == true { return nil }
        row.leadID = workerID
        row.leaseEpoch += 1
        tables.run = row
        didCommit(.other)
        return row.leaseEpoch
    }

    func takeLead(of run: inout Run) throws(StoreError) -> Bool {
        let epoch = try takeLead(workerID: run.workerID)
        run = run.with(
            workerID: run.workerID, leaseEpoch: epoch ?? run.leaseEpoch, isLead: epoch != nil,
            leaseSeconds: run.leaseSeconds)
        return epoch != nil
    }

    // MARK: - Ends

    func evictDeadWorkers() throws(StoreError) {
        for worker in tables.workers where worker.endedAt == nil && worker.leaseExpiresAt < now {
            _ = try evict(worker: worker.id, reason: "its lease ran out", force: false)
        }
    }

    func evict(
        worker id: Int32, reason: String, force: Bool
    ) throws(StoreError) -> Int? {
        guard let worker = tables.worker(id), worker.endedAt == nil,
            force || worker.leaseExpiresAt < now
        else { return nil }
        end(id, reason)
        tables.workers[Int(id) - 1].rateShare = 0
        let doubt = breaks(.forgetsDoubt) ? [] : try settleDoubt(id)
        free(id)
        didCommit(.eviction(workerID: id, doubt: doubt))
        // The last one is gone: what it was asked for is done now.
        let isLast = tables.workers.allSatisfy { $0.endedAt != nil }
        if tables.run?.wish != nil, isLast, !breaks(.forgetsWishes) {
            _ = try grantWish()
        }
        return doubt.count
    }

    private func end(_ id: Int32, _ reason: String) {
        tables.workers[Int(id) - 1].endedAt = now
        tables.workers[Int(id) - 1].endReason = reason
    }

    /// `sortie.free_worker_leases`.
    private func free(_ id: Int32) {
        for phase in 0...1 {
            for index in tables.slices[phase].indices
            where tables.slices[phase][index].workerID == id
                && tables.slices[phase][index].state == .leased
            {
                tables.slices[phase][index].state = .open
            }
            for index in tables.parks[phase].indices
            where tables.parks[phase][index]?.workerID == id {
                if tables.parks[phase][index]?.isAnnounced == false {
                    tables.parks[phase][index]?.workerID = nil
                }
            }
        }
        if tables.run?.leadID == id { tables.run?.leadID = nil }
    }

    func leave(
        run: Run, reason: String, pause: PauseCause?
    ) throws(StoreError) -> RunState? {
        try transaction { () throws(StoreError) in
            let row = try runRow()
            guard let worker = tables.worker(run.workerID), worker.endedAt == nil else {
                return nil
            }
            end(worker.id, reason)
            let doubt = breaks(.leavesDoubt) ? [] : try settleDoubt(worker.id)
            free(worker.id)
            didCommit(.leave(workerID: worker.id, doubt: doubt))
            if row.state.isClosed || tables.liveWorkers(now) > 0 { return row.state }
            if row.wish != nil { return try grantWish() }
            guard let pause else { return row.state }
            var paused = try runRow()
            paused.stopReason = reason
            paused.pauseCause = pause
            let before = paused.state
            try change(&paused, to: .paused)
            tables.run = paused
            didCommit(.state(.paused, from: before))
            return .paused
        }
    }

    // MARK: - Doubt

    /// A recipient of whom nobody knows whether it was sent to.
    struct Doubt {
        let phase: RunPhase
        let ordinal: Int32
        /// The place of its slice; nil: it is in the retry list.
        let slice: Int?
        let attempts: UInt8
    }

    /// Whom a worker has announced and not recorded.
    func doubtful(_ id: Int32) -> [Doubt] {
        guard tables.run?.isFrozen == true else { return [] }
        var doubt: [Doubt] = []
        for phase in RunPhase.allCases {
            let place = ModelTables.index(phase)
            for (index, slice) in tables.slices[place].enumerated()
            where slice.workerID == id && slice.state == .leased
                && slice.first <= slice.sendingThrough
            {
                for ordinal in slice.first...slice.sendingThrough
                where tables.takesPart(ordinal, phase) && !tables.isRecorded(phase, ordinal) {
                    doubt.append(
                        Doubt(phase: phase, ordinal: ordinal, slice: index, attempts: 0))
                }
            }
            for (index, park) in tables.parks[place].enumerated() {
                guard let park, park.workerID == id, park.isAnnounced else { continue }
                doubt.append(
                    Doubt(
                        phase: phase, ordinal: Int32(index) + 1, slice: nil,
                        attempts: park.attempts))
            }
        }
        return doubt
    }

    /// `sortie.settle_doubt`: who was in doubt.
    private func settleDoubt(_ id: Int32) throws(StoreError) -> [Doubt] {
        let rule = try runRow().new.unconfirmed
        let doubt = doubtful(id)
        for one in doubt {
            let resends = one.phase == .send && (rule == .resend || breaks(.resendsAlways))
            settle(one.ordinal, of: id, one.phase, attempts: one.attempts, resends)
            guard let index = one.slice else { continue }
            let place = ModelTables.index(one.phase)
            tables.slices[place][index].recorded += 1
            if tables.slices[place][index].recorded == tables.slices[place][index].size {
                tables.slices[place][index].state = .done
            }
        }
        return doubt
    }

    private func settle(
        _ ordinal: Int32, of id: Int32, _ phase: RunPhase, attempts: UInt8, _ resends: Bool
    ) {
        let place = ModelTables.index(phase)
        let index = Int(ordinal) - 1
        if resends {
            tables.parks[place][index] = ModelTables.ParkRow(
                attempts: attempts + 1, cause: .unconfirmed, reason: nil, notBefore: now,
                parkedAt: tables.parks[place][index]?.parkedAt ?? now)
        } else {
            tables.parks[place][index] = nil
            tables.outcomes[place][index] = ModelTables.OutcomeRow(
                kind: .unknown, status: 0, reason: ModelTables.lostWorkerReason,
                attempts: attempts + 1, workerID: id, sentAt: 0, apnsTimestamp: 0)
            tables.count(phase, id, .unknown, ModelTables.lostWorkerReason, 1)
        }
    }
}

extension Run {
    /// This view of a run, with a worker's own part.
    func with(workerID: Int32, leaseEpoch: Int32, isLead: Bool, leaseSeconds: Int) -> Run {
        Run(
            id: id, campaign: campaign, occurrence: occurrence, app: app, environment: environment,
            state: state, stopReason: stopReason, definition: definition,
            definitionHash: definitionHash, collapseID: collapseID,
            expiresAtSeconds: expiresAtSeconds, isFrozen: isFrozen, recipients: recipients,
            probeRecipients: probeRecipients, isProbeOnly: isProbeOnly, isRehearsal: isRehearsal,
            wish: wish, pauseCause: pauseCause, recordProtocol: recordProtocol,
            unconfirmed: unconfirmed, maxRatePerSecond: maxRatePerSecond,
            startsAtMicroseconds: startsAtMicroseconds, liveWorkers: liveWorkers,
            workerID: workerID, leaseEpoch: leaseEpoch, isLead: isLead,
            leaseSeconds: leaseSeconds)
    }
}
