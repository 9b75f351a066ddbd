internal import APNSProtocol
internal import CampaignStore
internal import PostgreSQL

/// The database in memory: what each statement of `SQL/` does to the tables, whole or not at all.
///
/// It means the same as the statements, written a second time: a test compares the two. It knows
/// neither connections nor faults, which are ``ModelStore``'s.
///
/// *Ownership and thread*: the running fiber's.
final class ModelDatabase {
    /// What the tables hold now.
    var tables = ModelTables()
    /// The server's clock, microseconds since 1970.
    let clock: () -> Int64
    /// Recipients in a slice, whatever the plan says.
    let sliceSize: Int
    private let fault: ModelFault?
    /// Told about every change that was committed.
    var didCommit: (Change) -> Void = { _ in }

    /// A change of the tables, for those who check it.
    enum Change {
        case batch(RecordBatch, workerID: Int32)
        case late(RecordBatch, workerID: Int32)
        case eviction(workerID: Int32, doubt: [Doubt])
        case leave(workerID: Int32, doubt: [Doubt])
        case wish(RunWish)
        case state(RunState, from: RunState)
        case devices([Int], phase: RunPhase)
        case undone
        case other
    }

    /// - Parameters:
    ///   - sliceSize: recipients in a slice.
    ///   - fault: a rule to break; nil for none.
    ///   - clock: microseconds since 1970.
    init(sliceSize: Int, fault: ModelFault? = nil, clock: @escaping () -> Int64) {
        self.sliceSize = sliceSize
        self.fault = fault
        self.clock = clock
    }

    var now: Int64 { clock() }

    func breaks(_ rule: ModelFault) -> Bool { fault == rule }

    /// Runs a transaction: if it throws, nothing has changed.
    func transaction<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let before = tables
        do throws(StoreError) {
            return try body()
        } catch {
            tables = before
            throw error
        }
    }

    /// A constraint of the tables would not hold.
    static func violation(_ constraint: String) -> StoreError {
        .database(
            PGError(
                attempted: "change", sqlState: "23514", message: "violates \(constraint)",
                constraint: constraint))
    }

    static func leaseLost(_ run: Run) -> StoreError {
        .leaseLost("worker \(run.workerID) no longer works on run \(run.id)")
    }

    /// The run's row, which every call but the first needs.
    func runRow() throws(StoreError) -> ModelTables.RunRow {
        guard let row = tables.run else { throw .schemaMismatch("there is no such run") }
        return row
    }

    // MARK: - States

    /// Which states may follow which, as `sortie.state_may_follow` has it.
    static func mayFollow(_ before: RunState, _ after: RunState) -> Bool {
        let ends: [RunState] = [.paused, .failed, .cancelled]
        return switch before {
        case .planned: after == .freezing || ends.contains(after)
        case .freezing:
            [.preflight, .canary, .sending, .finished].contains(after) || ends.contains(after)
        case .preflight: [.canary, .sending, .finished].contains(after) || ends.contains(after)
        case .canary: after == .sending || ends.contains(after)
        case .sending: [.canary, .retrying, .finished].contains(after) || ends.contains(after)
        case .retrying: [.sending, .finished].contains(after) || ends.contains(after)
        case .paused:
            [
                .planned, .freezing, .preflight, .canary, .sending, .retrying, .failed, .cancelled,
            ].contains(after)
        case .failed: after == .freezing
        case .finished, .cancelled: false
        }
    }

    /// Changes the state as the trigger does, which runs whenever the column is written with
    /// another value.
    func change(_ row: inout ModelTables.RunRow, to state: RunState) throws(StoreError) {
        guard state != row.state else { return }
        guard Self.mayFollow(row.state, state), !(row.state == .failed && row.isFrozen) else {
            throw .stateChangeRefused("run \(row.id) is \(row.state) and can not become \(state)")
        }
        if state == .finished {
            let unsent = Int64(row.recipients) - tables.tallied(tables.mainPhase)
            guard row.isFrozen, unsent == 0 else {
                throw .stateChangeRefused(
                    "run \(row.id) can not be finished: \(unsent) have no outcome yet")
            }
        }
        if state == .paused { row.pausedFrom = row.state } else { row.pauseCause = nil }
        if state.isClosed {
            row.wish = nil
            row.wishAt = nil
        }
        row.state = state
    }
}
