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

/// How long the server lets a transaction stand still before it ends it, so that a client that is
/// frozen, or whose machine is gone, does not keep its locks. It is the server that counts.
package struct PGTransactionLimits: Sendable {
    /// The longest silence between two statements, in milliseconds.
    package var idleMilliseconds: Int
    /// The longest statement, in milliseconds, unless the administrator has set another limit. The
    /// server does not look at it while a COPY waits for its client.
    package var statementMilliseconds: Int
    /// What the session is called meanwhile, so that others find it; letters, digits and blanks.
    package var applicationName: String

    /// Limits of these times.
    package init(idleMilliseconds: Int, statementMilliseconds: Int, applicationName: String) {
        self.idleMilliseconds = idleMilliseconds
        self.statementMilliseconds = statementMilliseconds
        self.applicationName = applicationName
    }

    fileprivate var script: String {
        "; SET LOCAL idle_in_transaction_session_timeout = \(idleMilliseconds); "
            + "SET LOCAL application_name = '\(applicationName)'; "
            + "SELECT set_config('statement_timeout', '\(statementMilliseconds)', true) "
            + "WHERE current_setting('statement_timeout') = '0'"
    }
}

extension PGConnection {
    /// Runs `body` inside a transaction: COMMIT if it returns, ROLLBACK if it throws.
    ///
    /// - Parameters:
    ///   - mode: What the transaction may do.
    ///   - limits: How long the server lets it stand still; nil: as its settings say.
    ///   - body: The work; it must not begin or end transactions.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or the failure of BEGIN or COMMIT. An error with
    ///   ``PGError/isCommitInDoubt`` means that nobody knows whether the work was committed.
    package func withTransaction<R, E: PGErrorWrapping>(
        _ mode: PGTransactionMode = .readWrite, limits: PGTransactionLimits? = nil,
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        do throws(PGError) {
            let begin = isPooled ? mode.begin + "; SET LOCAL jit = off" : mode.begin
            try executeScript(begin + (limits?.script ?? ""), name: "BEGIN")
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
