internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore

/// Opening, joining and changing the run, as `Store` does it.
extension ModelDatabase {
    func openRun(
        _ new: NewRun, worker: WorkerFacts, leaseSeconds: Int, resumesRequested: Bool,
        isAlive: (Int32, UInt64) -> Bool
    ) throws(StoreError) -> OpenedRun {
        try transaction { () throws(StoreError) in
            guard tables.run != nil else {
                create(new)
                return .created(try enter(worker, leaseSeconds))
            }
            var run = try view()
            if run.state.isFinal, !(run.state == .failed && !run.isFrozen) { return .finished(run) }
            if run.recordProtocol != Store.recordProtocol, run.isFrozen {
                return .otherProtocol(run)
            }
            var doubt = 0
            for peer in peers() {
                let isLive =
                    peer.leaseSecondsLeft > 0
                    && (!peer.facts.isNeighbour(of: worker)
                        || isAlive(peer.facts.pid, peer.facts.pidStartedTicks))
                if isLive { return .held(by: peer) }
                doubt += try evict(worker: peer.id, reason: "its process is gone", force: true) ?? 0
            }
            run = try view()
            if run.state.isFinal, !(run.state == .failed && !run.isFrozen) { return .finished(run) }
            if run.pauseCause == .request || run.wish?.kind == .pause, !resumesRequested {
                return .pausedByRequest(run)
            }
            if run.definitionHash != new.definitionHash, try !redefine(new) {
                return .definitionChanged(run)
            }
            if run.state == .failed {
                try setState(run: run, to: .freezing, reason: nil, cause: nil)
            } else {
                _ = try resume()
            }
            return .resumed(try enter(worker, leaseSeconds), doubt: doubt)
        }
    }

    func joinRun(worker: WorkerFacts, leaseSeconds: Int) throws(StoreError) -> JoinedRun {
        try transaction { () throws(StoreError) in
            guard tables.run != nil else { return .missing }
            let run = try view()
            if run.state.isClosed || run.wish != nil { return .closed(run) }
            if run.recordProtocol != Store.recordProtocol { return .otherProtocol(run) }
            return .joined(try enter(worker, leaseSeconds))
        }
    }

    private func create(_ new: NewRun) {
        var row = ModelTables.RunRow(id: 1, new: new)
        row.collapseID = new.collapseID(1)
        row.expiresAtSeconds = expiry(new)
        tables.run = row
        didCommit(.other)
    }

    private func expiry(_ new: NewRun) -> Int64? {
        new.expiresAfterSeconds.map { $0 == 0 ? 0 : now / 1_000_000 + $0 }
    }

    private func redefine(_ new: NewRun) throws(StoreError) -> Bool {
        guard var row = tables.run else { return false }
        if row.isFrozen {
            guard mayRestart else { return false }
            row.isFrozen = false
            row.recipients = 0
            row.probeRecipients = 0
            tables.recipients = []
            tables.slices = [[], []]
            tables.outcomes = [[], []]
            tables.parks = [[], []]
            tables.tallies = []
        }
        row.new = new
        row.collapseID = new.collapseID(row.id)
        row.expiresAtSeconds = expiry(new)
        tables.run = row
        return true
    }

    /// Whether nothing of the run can have reached anybody: `sortie.restart_run`.
    private var mayRestart: Bool {
        let main = tables.mainPhase
        if tables.tallied(main, .accepted) + tables.tallied(main, .unknown) > 0 { return false }
        let index = ModelTables.index(main)
        if tables.parks[index].contains(where: {
            $0?.isAnnounced == true || $0?.cause == .unconfirmed
        }) {
            return false
        }
        return !tables.slices[index].contains { slice in
            slice.state != .done && slice.first <= slice.sendingThrough
                && (slice.first...slice.sendingThrough).contains {
                    !tables.isRecorded(main, $0)
                }
        }
    }

    private func enter(_ worker: WorkerFacts, _ leaseSeconds: Int) throws(StoreError) -> Run {
        let id = Int32(tables.workers.count + 1)
        tables.workers.append(
            ModelTables.WorkerRow(
                id: id, facts: worker, heartbeatAt: now,
                leaseExpiresAt: now + Int64(leaseSeconds) * 1_000_000))
        let epoch = try takeLead(workerID: id)
        return try view(workerID: id, leaseSeconds: leaseSeconds, epoch: epoch)
    }

    // MARK: - Looking

    /// The run as a caller sees it.
    func view(
        workerID: Int32 = 0, leaseSeconds: Int = Store.leaseSeconds, epoch: Int32? = nil
    ) throws(StoreError) -> Run {
        let row = try runRow()
        let new = row.new
        return Run(
            id: row.id, campaign: new.campaign, occurrence: new.occurrence, app: new.app,
            environment: new.environment, state: row.state, stopReason: row.stopReason,
            definition: new.definition, definitionHash: new.definitionHash,
            collapseID: row.collapseID, expiresAtSeconds: row.expiresAtSeconds,
            isFrozen: row.isFrozen, recipients: row.recipients,
            probeRecipients: row.probeRecipients, isProbeOnly: new.isProbeOnly,
            isRehearsal: new.isRehearsal, wish: row.wish, pauseCause: row.pauseCause,
            recordProtocol: Store.recordProtocol, unconfirmed: new.unconfirmed,
            maxRatePerSecond: new.maxRatePerSecond,
            startsAtMicroseconds: new.startsAtMicroseconds,
            liveWorkers: tables.liveWorkers(now), workerID: workerID, leaseEpoch: epoch ?? 0,
            isLead: epoch != nil, leaseSeconds: leaseSeconds)
    }

    func look(at run: Run) throws(StoreError) -> (run: Run, lead: WorkerDescription?) {
        let row = try runRow()
        let lead = row.leadID.flatMap { tables.worker($0) }.flatMap { worker in
            worker.endedAt == nil ? description(worker) : nil
        }
        let now = try view()
        let leads = run.workerID != 0 && lead?.id == run.workerID
        return (
            now.with(
                workerID: run.workerID, leaseEpoch: run.leaseEpoch, isLead: leads,
                leaseSeconds: run.leaseSeconds), lead
        )
    }

    // MARK: - Changing

    func setState(
        run: Run, to state: RunState, reason: String?, cause: PauseCause?
    ) throws(StoreError) {
        var row = try runRow()
        guard run.leaseEpoch == 0 || row.leaseEpoch == run.leaseEpoch else {
            throw Self.leaseLost(run)
        }
        // A pause is lifted by resume only.
        guard row.state != .paused || [.paused, .failed, .cancelled].contains(state) else {
            throw Self.leaseLost(run)
        }
        let before = row.state
        row.stopReason = state.isClosed && state != .finished ? reason : nil
        row.pauseCause = cause
        try change(&row, to: state)
        tables.run = row
        didCommit(.state(state, from: before))
    }

    func ask(_ wish: RunWish) throws(StoreError) -> RunState? {
        try transaction { () throws(StoreError) in
            let asked = try runRow()
            if asked.state.isFinal {
                throw .stateChangeRefused("run \(asked.id) is \(asked.state) already")
            }
            try evictDeadWorkers()
            var row = try runRow()
            if row.state == .cancelled { return .cancelled }
            if row.state == .paused, wish.kind != .cancel {
                if wish.kind == .pause {
                    row.pauseCause = .request
                    row.stopReason = wish.text
                    tables.run = row
                }
                return .paused
            }
            if row.wish?.kind == .brake, wish.kind == .cancel {
                _ = try undoTokenStatus()
                row = try runRow()
            }
            let isKept =
                row.wish?.kind == .cancel || (row.wish?.kind == .brake && wish.kind == .pause)
            if !isKept {
                row.wish = wish
                row.wishAt = now
                tables.run = row
            }
            didCommit(.wish(wish))
            return tables.liveWorkers(now) > 0 ? nil : try grantWish()
        }
    }

    /// Does what a run was asked for, when no worker is at it any more: `sortie.grant_wish`.
    func grantWish() throws(StoreError) -> RunState {
        var row = try runRow()
        let before = row.state
        let wish = row.wish
        if wish?.kind == .brake { _ = try undoTokenStatus() }
        row.stopReason = wish?.text
        if wish?.kind == .cancel {
            try change(&row, to: .cancelled)
        } else {
            try change(&row, to: .paused)
            row.pauseCause = wish?.kind == .brake ? .brake : .request
        }
        tables.run = row
        didCommit(.state(row.state, from: before))
        return row.state
    }

    func resumeRun() throws(StoreError) -> RunState? {
        try transaction { () throws(StoreError) in try resume() }
    }

    /// `sortie.resume_run`.
    private func resume() throws(StoreError) -> RunState {
        let asked = try runRow()
        if asked.state.isFinal || asked.wish?.kind == .cancel {
            throw .stateChangeRefused("run \(asked.id) is \(asked.state) and can not go on")
        }
        try evictDeadWorkers()
        var row = try runRow()
        if row.state == .cancelled { return .cancelled }
        if row.wish?.kind == .brake { _ = try undoTokenStatus() }
        let before = row.state
        row.wish = nil
        row.wishAt = nil
        row.stopReason = nil
        // A run that starts afresh was interrupted in a state that it can't be in any more.
        let needsAudience: [RunState] = [.preflight, .canary, .sending, .retrying]
        if !row.isFrozen, needsAudience.contains(row.state) { try change(&row, to: .paused) }
        if row.state == .paused {
            let state: RunState =
                if row.isFrozen {
                    row.pausedFrom ?? .preflight
                } else {
                    row.pausedFrom == .planned ? .planned : .freezing
                }
            try change(&row, to: state)
        }
        tables.run = row
        didCommit(.state(row.state, from: before))
        return row.state
    }
}
