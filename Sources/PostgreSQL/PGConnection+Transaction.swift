// Transactions.

/// What a transaction may do and how it sees others.
package enum PGTransactionMode: Sendable {
    /// READ COMMITTED, the default of PostgreSQL.
    case readWrite
    /// READ ONLY: whatever the statements inside try, they can't write.
    case readOnly
    /// REPEATABLE READ: every statement inside sees the same moment.
    case snapshot

    var begin: String {
        switch self {
        case .readWrite: "BEGIN"
        case .readOnly: "BEGIN READ ONLY"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ"
        }
    }
}

extension PGConnection {
    /// Runs `body` inside a transaction: COMMIT if it returns, ROLLBACK if it throws.
    ///
    /// - Parameters:
    ///   - mode: What the transaction may do.
    ///   - body: The work; it must not begin or end transactions.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or the failure of BEGIN or COMMIT. An error with
    ///   ``PGError/isCommitInDoubt`` means that nobody knows whether the work was committed.
    package func withTransaction<R, E: PGErrorWrapping>(
        _ mode: PGTransactionMode = .readWrite, _ body: () throws(E) -> R
    ) throws(E) -> R {
        do throws(PGError) {
            let begin = isPooled ? mode.begin + "; SET LOCAL jit = off" : mode.begin
            try executeScript(begin, name: "BEGIN")
        } catch {
            throw E(error)
        }
        let value: R
        do throws(E) {
            value = try body()
        } catch {
            rollBack()
            throw error
        }
        do throws(PGError) {
            let result = try executeScript("COMMIT", name: "COMMIT")
            // A COMMIT of a failed transaction is answered by "ROLLBACK", without an error.
            precondition(result.commandTag != "ROLLBACK", "an error inside was swallowed")
        } catch {
            var error = error
            error.isCommitInDoubt = error.isConnectionLost
            if !error.isConnectionLost { rollBack() }
            throw E(error)
        }
        return value
    }

    /// Ends a failed transaction. If even that fails the connection is lost and the server rolls
    /// back by itself, so the first error is the one worth reporting.
    private func rollBack() {
        guard isUsable else { return }
        do { try executeScript("ROLLBACK", name: "ROLLBACK") } catch { return }
    }
}
