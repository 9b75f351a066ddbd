internal import CampaignModel
internal import CampaignStore

/// Freezing, leasing and reading recipients, as the statements do it.
extension ModelDatabase {
    /// Numbers the active devices and cuts them into slices.
    func freeze(run: Run, plan: FreezePlan) throws(StoreError) -> FrozenAudience {
        var row = try runRow()
        guard row.leaseEpoch == run.leaseEpoch else { throw Self.leaseLost(run) }
        if !row.isFrozen {
            let active = tables.devices.indices.filter { tables.devices[$0].status == .active }
            let taken = active.filter { !row.new.isProbeOnly || isProbed($0, plan) }
            tables.recipients = taken.map {
                ModelTables.Recipient(device: $0, isProbed: isProbed($0, plan))
            }
            for phase in RunPhase.allCases {
                let place = ModelTables.index(phase)
                tables.outcomes[place] = Array(repeating: nil, count: taken.count)
                tables.parks[place] = Array(repeating: nil, count: taken.count)
                tables.slices[place] = cut(phase, isProbeOnly: row.new.isProbeOnly)
            }
            row.isFrozen = true
            row.recipients = taken.count
            row.probeRecipients = tables.recipients.count { $0.isProbed }
            tables.run = row
            didCommit(.other)
        }
        return FrozenAudience(recipients: row.recipients, probeRecipients: row.probeRecipients)
    }

    private func isProbed(_ device: Int, _ plan: FreezePlan) -> Bool {
        switch plan.probe {
        case .all: true
        case .none: false
        case .stale(let seconds):
            tables.devices[device].registeredAt < now - seconds * 1_000_000
        }
    }

    private func cut(_ phase: RunPhase, isProbeOnly: Bool) -> [ModelTables.SliceRow] {
        if phase == .send && isProbeOnly { return [] }
        let count = tables.recipients.count
        var slices: [ModelTables.SliceRow] = []
        for number in 0..<((count + sliceSize - 1) / sliceSize) {
            let first = Int32(number * sliceSize + 1)
            let last = Int32(min(count, (number + 1) * sliceSize))
            let size = (first...last).count { tables.takesPart($0, phase) }
            guard size > 0 else { continue }
            slices.append(
                ModelTables.SliceRow(
                    number: Int32(number), first: first, last: last, size: Int32(size),
                    sendingThrough: first - 1))
        }
        return slices
    }

    // MARK: - Leasing

    func leaseNextSlice(
        run: Run, phase: RunPhase, besides taken: [Int32]?
    ) throws(StoreError) -> Slice? {
        let row = try runRow()
        guard tables.worker(run.workerID)?.endedAt == nil else { throw Self.leaseLost(run) }
        let isInPhase =
            phase == .probe
            ? row.state == .preflight : row.state == .sending || row.state == .retrying
        let place = ModelTables.index(phase)
        guard row.wish == nil, isInPhase,
            let index = tables.slices[place].firstIndex(where: { slice in
                slice.state == .open
                    || (slice.state == .leased && slice.workerID == run.workerID
                        && taken?.contains(slice.number) == false)
            })
        else { return nil }
        tables.slices[place][index].state = .leased
        tables.slices[place][index].workerID = run.workerID
        didCommit(.other)
        let slice = tables.slices[place][index]
        return Slice(
            number: slice.number, firstOrdinal: slice.first, lastOrdinal: slice.last,
            size: slice.size, sendingThrough: slice.sendingThrough, recorded: slice.recorded)
    }

    func claimRetries(
        run: Run, phase: RunPhase, nowMicroseconds: Int64, limit: Int
    ) throws(StoreError) -> Int {
        let row = try runRow()
        guard tables.worker(run.workerID)?.endedAt == nil else { throw Self.leaseLost(run) }
        let isInPhase =
            phase == .probe
            ? row.state == .preflight
            : row.state == .sending || row.state == .retrying
                || (row.state == .canary && row.leadID == run.workerID)
        let place = ModelTables.index(phase)
        if row.wish == nil, isInPhase {
            let due = tables.parks[place].indices.filter { index in
                guard let park = tables.parks[place][index] else { return false }
                return park.workerID == nil && park.notBefore <= nowMicroseconds
            }.sorted { one, other in
                (tables.parks[place][one]?.notBefore ?? 0, one)
                    < (tables.parks[place][other]?.notBefore ?? 0, other)
            }
            for index in due.prefix(limit) {
                tables.parks[place][index]?.workerID = run.workerID
            }
            didCommit(.other)
        }
        return claimed(run, phase).count
    }

    /// The places of the parked recipients that a worker has claimed and not announced.
    private func claimed(_ run: Run, _ phase: RunPhase) -> [Int] {
        let parks = tables.parks[ModelTables.index(phase)]
        return parks.indices.filter { index in
            parks[index]?.workerID == run.workerID && parks[index]?.isAnnounced == false
        }.sorted { one, other in
            (parks[one]?.notBefore ?? 0, one) < (parks[other]?.notBefore ?? 0, other)
        }
    }

    func progress(phase: RunPhase) throws(StoreError) -> PhaseCounts {
        let row = try runRow()
        let count = { (kind: OutcomeKind) in Int(self.tables.tallied(phase, kind)) }
        return PhaseCounts(
            total: phase == .probe ? row.probeRecipients : row.recipients,
            accepted: count(.accepted), rejected: count(.rejected), unknown: count(.unknown),
            skipped: count(.skipped),
            parked: tables.parks[ModelTables.index(phase)].count { $0 != nil })
    }

    func rest(phase: RunPhase) -> PhaseRest {
        let place = ModelTables.index(phase)
        let waiting = tables.parks[place].compactMap { $0 }
        return PhaseRest(
            slices: tables.slices[place].count { $0.state != .done }, parked: waiting.count,
            nextRetryMicroseconds: waiting.filter { $0.workerID == nil }.map(\.notBefore).min())
    }

    // MARK: - Reading

    func streamRecipients(
        run: Run, phase: RunPhase, slice: Slice, from: Int32, through: Int32,
        columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) {
        guard from <= through else { return }
        for ordinal in from...through
        where tables.takesPart(ordinal, phase)
            && !(slice.wasStarted && tables.isRecorded(phase, ordinal))
        {
            read(ordinal, slice: slice.number, park: nil, run, columns, body)
        }
    }

    func claimedRetries(
        run: Run, phase: RunPhase, columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) {
        for index in claimed(run, phase) {
            let ordinal = Int32(index) + 1
            read(ordinal, slice: -1, park: tables.park(phase, ordinal), run, columns, body)
        }
    }

    private func read(
        _ ordinal: Int32, slice: Int32, park: ModelTables.ParkRow?, _ run: Run,
        _ columns: RecipientColumns,
        _ body: (RecipientRow, Span<UInt8>, Span<FieldRange>) -> Void
    ) {
        let device = tables.recipients[Int(ordinal) - 1].device
        let bytes = Array(tables.devices[device].token.utf8)
        let values = [FieldRange](repeating: .none, count: columns.fields.count)
        let isActive =
            tables.devices[device].status == .active && !(run.isRehearsal && isPrunable(ordinal))
        let row = RecipientRow(
            ordinal: ordinal, slice: slice, isActive: isActive, translation: 0, tokenOffset: 0,
            tokenCount: bytes.count, attempts: park?.attempts ?? 0, cause: park?.cause,
            parkedAtMicroseconds: park?.parkedAt ?? 0)
        body(row, bytes.span, values.span)
    }

    /// Whether a rehearsal's preflight would have pruned the recipient.
    private func isPrunable(_ ordinal: Int32) -> Bool {
        guard let outcome = tables.outcome(.probe, ordinal), outcome.kind == .rejected else {
            return false
        }
        return outcome.status == 410 || Self.isInvalid(outcome.reason)
    }

    static func isInvalid(_ reason: String?) -> Bool {
        reason == "BadDeviceToken" || reason == "DeviceTokenNotForTopic"
    }
}
