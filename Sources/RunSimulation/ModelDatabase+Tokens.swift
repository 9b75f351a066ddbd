internal import CampaignStore

/// What outcomes mean for devices, as token_status_apply and token_status_undo do it.
extension ModelDatabase {
    func applyTokenStatus(
        run: Run, phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary {
        let row = try runRow()
        guard !row.new.isRehearsal, row.wish?.kind != .brake, row.wish?.kind != .cancel else {
            return PruneSummary(unregistered: 0, invalid: 0, wrongTopic: 0, kept: 0)
        }
        let allowed = tables.workers.allSatisfy { $0.id < run.workerID || $0.allowsMarking }
        let marks = marksInvalid && allowed
        var counts = (unregistered: 0, invalid: 0, wrongTopic: 0, kept: 0)
        var changed: [Int] = []
        for (index, outcome) in tables.outcomes[ModelTables.index(phase)].enumerated() {
            guard let outcome, outcome.kind == .rejected else { continue }
            let isGone = outcome.status == 410
            let isInvalid =
                marks && outcome.workerID >= run.workerID && Self.isInvalid(outcome.reason)
            guard isGone || isInvalid else { continue }
            let device = tables.recipients[index].device
            let causeAt =
                isGone && outcome.apnsTimestamp != 0 ? outcome.apnsTimestamp : outcome.sentAt
            guard tables.devices[device].status == .active,
                tables.devices[device].registeredAt < causeAt
            else {
                counts.kept += 1
                continue
            }
            set(device, to: isGone ? .unregistered : .invalid, outcome.reason)
            changed.append(device)
            if isGone {
                counts.unregistered += 1
            } else if outcome.reason == "DeviceTokenNotForTopic" {
                counts.wrongTopic += 1
            } else {
                counts.invalid += 1
            }
        }
        didCommit(.devices(changed, phase: phase))
        return PruneSummary(
            unregistered: counts.unregistered, invalid: counts.invalid,
            wrongTopic: counts.wrongTopic, kept: counts.kept)
    }

    private func set(_ device: Int, to status: ModelTables.DeviceRow.Status, _ reason: String?) {
        let (before, moment) = (tables.devices[device], now)
        tables.devices[device].status = status
        tables.devices[device].statusReason = reason
        tables.devices[device].statusAt = moment
        tables.deviceEvents.append(
            ModelTables.DeviceEvent(
                device: device, at: moment, before: before.status, after: status, reason: reason,
                reasonBefore: before.statusReason))
    }

    func undoTokenStatus() throws(StoreError) -> Int {
        var last: [ModelTables.DeviceEvent?] = Array(repeating: nil, count: tables.devices.count)
        for event in tables.deviceEvents { last[event.device] = event }
        var undone = 0
        let moment = now
        for case let event? in last where event.reason != "undone" {
            let device = tables.devices[event.device]
            guard device.status == event.after, device.statusAt == event.at else { continue }
            tables.devices[event.device].status = event.before
            tables.devices[event.device].statusReason = event.reasonBefore
            tables.devices[event.device].statusAt = moment
            tables.deviceEvents.append(
                ModelTables.DeviceEvent(
                    device: event.device, at: moment, before: event.after, after: event.before,
                    reason: "undone", reasonBefore: device.statusReason))
            undone += 1
        }
        didCommit(.undone)
        return undone
    }
}
