internal import CampaignStore

/// What must be true of the tables after every transaction.
extension Checks {
    /// SUM, and the three sets of record-protocol.md: every recipient is recorded, or beyond every
    /// mark, or in doubt with a worker that answers for it.
    func checkTables() {
        let tables = world.database.tables
        guard let run = tables.run, run.isFrozen else { return }
        for phase in RunPhase.allCases { check(phase, tables) }
        let done = tables.tallied(tables.mainPhase)
        if done > run.recipients {
            broken("SUM", "\(done) of \(run.recipients) recipients have an outcome")
        }
    }

    private func broken(_ rule: String, _ text: String) { world.scheduler.fail("\(rule): \(text)") }

    private func check(_ phase: RunPhase, _ tables: ModelTables) {
        let place = ModelTables.index(phase)
        var outcomes: Int64 = 0
        for index in tables.outcomes[place].indices {
            let park = tables.parks[place][index]
            if tables.outcomes[place][index] != nil {
                outcomes += 1
                if park != nil { broken("SUM", "\(phase) \(index + 1) has an outcome and waits") }
            }
            if let park { check(park, Int32(index) + 1, phase, tables) }
        }
        if outcomes != tables.tallied(phase) {
            broken("SUM", "\(outcomes) outcomes of \(phase), \(tables.tallied(phase)) counted")
        }
        if tables.tallies.contains(where: { $0.count < 0 }) { broken("SUM", "a negative tally") }
        for slice in tables.slices[place] { check(slice, phase, tables) }
    }

    private func check(
        _ park: ModelTables.ParkRow, _ ordinal: Int32, _ phase: RunPhase, _ tables: ModelTables
    ) {
        guard let worker = park.workerID else {
            if park.isAnnounced { broken("LOST", "\(phase) \(ordinal) is announced by nobody") }
            return
        }
        if tables.worker(worker)?.endedAt != nil {
            broken("LOST", "\(phase) \(ordinal) waits for worker \(worker), which has ended")
        }
    }

    private func check(_ slice: ModelTables.SliceRow, _ phase: RunPhase, _ tables: ModelTables) {
        var recorded: Int32 = 0
        var doubt: Int32 = 0
        for ordinal in slice.first...slice.last where tables.takesPart(ordinal, phase) {
            if tables.isRecorded(phase, ordinal) {
                recorded += 1
            } else if ordinal <= slice.sendingThrough {
                doubt += 1
            }
        }
        if recorded != slice.recorded || (recorded == slice.size) != (slice.state == .done) {
            broken(
                "SUM",
                "slice \(slice.number) of \(phase) says \(slice.recorded) of \(slice.size), "
                    + "\(slice.state); \(recorded) are recorded")
        }
        let isAtWork = slice.workerID.map { tables.worker($0)?.endedAt == nil } ?? false
        let isHeld = slice.state == .leased && isAtWork
        if slice.state == .leased, !isHeld {
            broken("LOST", "slice \(slice.number) of \(phase) is leased to a worker that has ended")
        }
        if doubt > 0, !isHeld {
            broken("LOST", "\(doubt) of slice \(slice.number) (\(phase)) are announced by nobody")
        }
    }
}
