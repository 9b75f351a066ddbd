// The columns of run_find, run_newest and run_lock.

internal import APNSProtocol
internal import PostgreSQL

/// Reads a ``Run`` and its holder from a result.
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
            isRehearsal: result.boolean(row, 22) ?? false)
    }

    /// The worker that holds the run; nil if it is free.
    static func holder(_ result: PGResult, row: Int) -> WorkerDescription? {
        guard let id = result.integer(row, 14) else { return nil }
        return WorkerDescription(
            id: Int32(truncatingIfNeeded: id),
            facts: WorkerFacts(
                host: result.text(row, 15) ?? "",
                pid: Int32(truncatingIfNeeded: result.integer(row, 16) ?? 0),
                pidStartedTicks: result.integer(row, 17).map(UInt64.init(clamping:)) ?? 0,
                version: result.text(row, 18) ?? ""),
            silentSeconds: result.text(row, 19).flatMap { Double($0) } ?? 0,
            leaseSecondsLeft: result.text(row, 20).flatMap { Double($0) } ?? 0)
    }
}
