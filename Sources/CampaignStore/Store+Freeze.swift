// Freezing a run's audience.

internal import APNSProtocol
internal import PostgreSQL

extension Store {
    /// Fixes who the run's recipients are: one statement numbers the active devices of the run's
    /// app and environment that the audience takes, in the order of their ids. All or nothing; a
    /// run that is frozen already is left alone.
    ///
    /// - Parameters:
    ///   - run: The run held, in the state freezing.
    ///   - plan: Whom to take.
    /// - Returns: The counts.
    /// - Throws: ``StoreError/audienceRefused(_:)`` with PostgreSQL's words if the condition is
    ///   wrong; ``StoreError/leaseLost(_:)``.
    ///
    /// *Cost:* some 2 µs per recipient, blocking.
    package func freeze(run: Run, plan: FreezePlan) throws(StoreError) -> FrozenAudience {
        if let condition = plan.whereSQL { try tryCondition(condition, run, plan) }
        return try connection.withTransaction { () throws(StoreError) in
            let state = try self.run(
                "freeze_lock", [.integer(run.id), .integer(Int64(run.leaseEpoch))])
            guard state.rowCount == 1 else { throw Self.leaseLost(run) }
            if state.boolean(0, 0) != true { try freezeNow(run, plan) }
            let counts = try self.run("freeze_counts", [.integer(run.id)])
            return FrozenAudience(
                recipients: Int(counts.integer(0, 0) ?? 0),
                probeRecipients: Int(counts.integer(0, 1) ?? 0))
        }
    }

    private func freezeNow(_ run: Run, _ plan: FreezePlan) throws(StoreError) {
        try self.run("freeze_memory")
        try self.run("freeze_begin", [.integer(run.id)])
        let names = [("recipient", Self.recipientTable(run.id)), ("where", plan.condition)]
        let recipients = try number(run, plan, names)
        try self.run("freeze_attach", [.integer(run.id)])
        if case .stale = plan.probe {
            try self.run(
                "freeze_slices", replacing: names,
                [.integer(run.id), .integer(Int64(plan.sliceSize))])
        } else {
            try self.run(
                "freeze_slices_even",
                [
                    .integer(run.id), .integer(Int64(plan.sliceSize)),
                    .integer(Int64(recipients)), .boolean(plan.probe == .all),
                ])
        }
        try self.run(
            "freeze_finish",
            [.integer(run.id), .texts(Array(plan.translations.dropFirst()))])
        try self.run("freeze_analyze", replacing: names)
    }

    /// Fills the run's table of recipients.
    ///
    /// - Returns: How many there are.
    private func number(
        _ run: Run, _ plan: FreezePlan, _ names: [(String, String)]
    ) throws(StoreError) -> Int {
        var values: [PGValue] = [
            .integer(run.id), .text(run.app), .text(run.environment.rawValue),
        ]
        let hasLocales = !plan.locales.isEmpty || plan.translations.count > 1
        if hasLocales { values.append(.texts(plan.localePrefixes)) }
        values.append(.optional(plan.registeredWithinSeconds))
        if hasLocales { values.append(.texts(Array(plan.translations.dropFirst()))) }
        values += [
            .text(plan.probeRule), .integer(plan.staleAfterSeconds), .boolean(run.isProbeOnly),
        ]
        let statement = hasLocales ? "freeze_recipients" : "freeze_recipients_plain"
        return try self.run(statement, replacing: names, values).affectedRows
    }

    /// Runs the condition alone, where it can not change anything, so that its mistakes are told
    /// apart from trouble of the database's.
    private func tryCondition(
        _ condition: String, _ run: Run, _ plan: FreezePlan
    ) throws(StoreError) {
        do throws(StoreError) {
            try connection.withTransaction(.readOnly) { () throws(StoreError) in
                try self.run(
                    "freeze_timeout", [.text(String(plan.whereTimeoutMilliseconds))])
                try self.run(
                    "freeze_try", replacing: [("where", plan.condition)],
                    [.text(run.app), .text(run.environment.rawValue)])
            }
        } catch {
            guard case .database(let cause) = error, cause.isUsersMistake else { throw error }
            throw .audienceRefused(
                "audience.where is not a condition that PostgreSQL can use: \(cause.message)"
                    + (cause.detail.map { " (\($0))" } ?? ""))
        }
    }

    static func recipientTable(_ run: Int64) -> String { "sortie.recipient_\(run)" }
    static func outcomeTable(_ run: Int64) -> String { "sortie.outcome_\(run)" }
}

extension FreezePlan {
    /// The user's condition on lines of its own, so that a comment in it ends there.
    fileprivate var condition: String { whereSQL.map { "(\n\($0)\n)" } ?? "true" }

    fileprivate var localePrefixes: [String?] {
        locales.map { locale in
            String(locale.lowercased().map { $0 == "_" ? "-" : $0 })
        }
    }

    fileprivate var probeRule: String {
        switch probe {
        case .all: "all"
        case .none: "none"
        case .stale: "stale"
        }
    }

    fileprivate var staleAfterSeconds: Int64 {
        if case .stale(let seconds) = probe { return seconds }
        return 0
    }
}

extension PGError {
    /// Errors in the text of a condition: syntax and names (class 42), data (22), features (0A),
    /// writing where only reading is allowed (25006), a missing right (in 42), time (57014), and
    /// parameters that there are none for (08P01, which poolers also use for losing the server).
    fileprivate var isUsersMistake: Bool {
        guard let sqlState, !isConnectionLost else { return false }
        return ["42", "22", "0A", "21"].contains(String(sqlState.prefix(2)))
            || sqlState == "25006" || sqlState == "57014" || sqlState == "08P01"
    }
}
