// What outcomes mean for devices, and taking it back.

internal import PostgreSQL

/// What a phase's answers changed.
package struct PruneSummary: Sendable, Equatable {
    /// Devices whose token APNs says is gone (410).
    package let unregistered: Int
    /// Devices whose token APNs calls bad.
    package let invalid: Int
    /// Devices whose token is of another app.
    package let wrongTopic: Int
    /// Rejections that changed nothing, because the app has registered the token since, or the
    /// device was no longer active.
    package let kept: Int

    /// Counts of these parts.
    package init(
        unregistered: Int, invalid: Int, wrongTopic: Int, kept: Int
    ) {
        self.unregistered = unregistered
        self.invalid = invalid
        self.wrongTopic = wrongTopic
        self.kept = kept
    }

    /// Devices changed.
    package var changed: Int { unregistered + invalid + wrongTopic }
}

extension Store {
    /// Sets the status of devices from a phase's outcomes, in one statement together with its
    /// device events: 410 makes a device unregistered, BadDeviceToken and DeviceTokenNotForTopic
    /// make it invalid, each only if the device is active and its app has not registered the token
    /// after the moment that the answer speaks of (a 410's timestamp, else when it was sent).
    ///
    /// Doing it again changes nothing more, and a rehearsal changes nothing at all.
    ///
    /// - Parameters:
    ///   - run: The run led.
    ///   - phase: The phase whose outcomes count.
    ///   - marksInvalid: Whether the answers that this worker saw are evidence that the set-up is
    ///     right; if not, or if a worker that joined after it says otherwise, only 410 changes a
    ///     device. They say nothing about answers to earlier workers, whose set-up may have been
    ///     wrong, so those never mark a device invalid.
    /// - Returns: The counts.
    /// - Throws: Database trouble.
    package func applyTokenStatus(
        run: Run, phase: RunPhase, marksInvalid: Bool
    ) throws(StoreError) -> PruneSummary {
        let result = try changingDevices { () throws(StoreError) in
            try self.run(
                "token_status_apply",
                replacing: [
                    ("outcome", Self.outcomeTable(run.id)),
                    ("recipient", Self.recipientTable(run.id)),
                ],
                [
                    .integer(run.id), .integer(Int64(phase.rawValue)),
                    marksInvalid ? .integer(Int64(run.workerID)) : .null,
                ])
        }
        let count = { (column: Int) in Int(result.integer(0, column) ?? 0) }
        return PruneSummary(
            unregistered: count(0), invalid: count(1), wrongTopic: count(2), kept: count(3))
    }

    /// Takes back every status that the run set, where the device is still as the run left it, and
    /// writes an event for each.
    ///
    /// - Parameter run: The run held.
    /// - Returns: Devices restored.
    /// - Throws: Database trouble.
    package func undoTokenStatus(run: Run) throws(StoreError) -> Int {
        let result = try changingDevices { () throws(StoreError) in
            try self.run("token_status_undo", [.integer(run.id)])
        }
        return Int(result.integer(0, 0) ?? 0)
    }

    /// A transaction that changes many devices. One that met a deadlock with an app's registrations
    /// is done again with the table to itself: once more is then enough.
    private func changingDevices<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        var isRepeated = false
        return try retryingTransaction { () throws(StoreError) in
            try run("device_bulk_lock")
            if isRepeated { try run("device_table_lock") }
            isRepeated = true
            return try body()
        }
    }
}
