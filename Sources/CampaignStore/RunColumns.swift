// The columns of run_find, run_newest and run_lock.

internal import APNSProtocol
internal import PostgreSQL

/// Reads a ``Run`` and its lead from a result.
enum RunColumns {
    static func run(_ result: PGResult, row: Int) throws(StoreError) -> Run {
        guard row < result.rowCount, let id = result.integer(row, 0),
            let environment = APNSEnvironment(rawValue: result.text(row, 4) ?? ""),
            let state = RunState(rawValue: result.text(row, 5) ?? "")
        else {
            throw .schemaMismatch("the run in the database is not as this program knows runs")
        }
        return Run(
            id: id, campaign: result.text(row, 1) ?? "", occurrence: result.text(row, 2) ?? "",
            app: result.text(row, 3) ?? "", environment: environment, state: state,
            stopReason: result.text(row, 6), definition: result.text(row, 7) ?? "",
            definitionHash: result.text(row, 8) ?? "", collapseID: result.text(row, 9),
            expiresAtSeconds: result.integer(row, 10),
            isFrozen: result.boolean(row, 11) ?? false,
            recipients: Int(result.integer(row, 12) ?? 0),
            probeRecipients: Int(result.integer(row, 13) ?? 0),
            isProbeOnly: result.boolean(row, 21) ?? false,
            isRehearsal: result.boolean(row, 22) ?? false, wish: wish(result, row, from: 23),
            pauseCause: result.text(row, 26).flatMap(PauseCause.init),
            recordProtocol: Int(result.integer(row, 27) ?? 0),
            unconfirmed: result.text(row, 28) == "resend" ? .resend : .keep,
            maxRatePerSecond: result.text(row, 29).flatMap { Double($0) },
            startsAtMicroseconds: result.integer(row, 30),
            liveWorkers: Int(result.integer(row, 31) ?? 0))
    }

    /// The wish in three columns; nil for none.
    static func wish(_ result: PGResult, _ row: Int, from column: Int) -> RunWish? {
        guard let kind = result.text(row, column).flatMap(RunWish.Kind.init) else { return nil }
        return RunWish(
            kind: kind, by: result.text(row, column + 1) ?? "",
            text: result.text(row, column + 2) ?? "")
    }

    /// The worker that leads the run; nil if nobody does.
    static func lead(_ result: PGResult, row: Int) -> WorkerDescription? {
        worker(result, row: row, from: 14, pidSpace: 32)
    }

    /// The worker in seven columns, and one elsewhere; nil for none.
    static func worker(
        _ result: PGResult, row: Int, from first: Int, pidSpace: Int
    ) -> WorkerDescription? {
        guard let id = result.integer(row, first) else { return nil }
        return WorkerDescription(
            id: Int32(truncatingIfNeeded: id),
            facts: WorkerFacts(
                host: result.text(row, first + 1) ?? "",
                pid: Int32(truncatingIfNeeded: result.integer(row, first + 2) ?? 0),
                pidStartedTicks: result.integer(row, first + 3).map(UInt64.init(clamping:)) ?? 0,
                pidSpace: result.text(row, pidSpace) ?? "",
                version: result.text(row, first + 4) ?? ""),
            silentSeconds: result.text(row, first + 5).flatMap { Double($0) } ?? 0,
            leaseSecondsLeft: result.text(row, first + 6).flatMap { Double($0) } ?? 0)
    }
}
