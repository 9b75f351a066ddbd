// The database as the campaign sees it: one connection, and what is common to all calls.

package import PostgreSQL

/// Campaigns, runs, recipients and outcomes in PostgreSQL.
///
/// *Ownership and thread:* one connection, used by one thread at a time; a reader, a writer and a
/// main thread have one store each and share a ``Run`` value. Every call blocks. After an error
/// with ``StoreError/isConnectionLost``, ``reconnect()`` comes first.
///
/// *Order of calls:* ``migrate()`` once per database; then for a run
/// ``openRun(_:worker:leaseSeconds:isAlive:)`` or ``joinRun(id:worker:leaseSeconds:)``; whoever
/// leads, ``freeze(run:plan:)``; everybody ``heartbeat(run:share:)`` each second, and for each
/// phase ``leaseNextSlice(run:phase:besides:)``,
/// ``streamRecipients(run:phase:slice:from:through:columns:_:)``, ``record(_:run:)`` as often as
/// there is something; the lead ``applyTokenStatus(run:phase:marksInvalid:)`` and
/// ``setState(run:to:reason:cause:)``; at the end everybody ``leave(run:reason:pause:)``.
package final class Store {
    /// How long a worker holds what it has leased without a sign of life, by the database's clock,
    /// unless the configuration says otherwise.
    package static let leaseSeconds = 15
    /// The version of the record protocol: what is written in which order, and what it means.
    /// Raised when workers that know an older one would break a promise beside workers of this one.
    package static let recordProtocol = 2

    /// The connection, for statements of the caller's own.
    package let connection: PGConnection

    /// Connects.
    ///
    /// - Parameters:
    ///   - conninfo: A libpq connection string or URI; empty takes the `PG*` variables.
    ///   - purpose: What this connection is for, shown in `pg_stat_activity`: "writer".
    /// - Throws: ``StoreError/database(_:)`` if the server can't be reached.
    package init(conninfo: String, purpose: String) throws(StoreError) {
        connection = try Self.mapping { () throws(PGError) in
            try PGConnection(conninfo: conninfo, applicationName: "sortie \(purpose)")
        }
    }

    /// Opens the connection again after it was lost.
    ///
    /// - Throws: ``StoreError/database(_:)`` if the server can't be reached.
    package func reconnect() throws(StoreError) {
        try Self.mapping { () throws(PGError) in try connection.reconnect() }
    }

    /// Turns database errors into the store's.
    static func mapping<R>(_ body: () throws(PGError) -> R) throws(StoreError) -> R {
        do throws(PGError) {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs one of the embedded statements.
    @discardableResult
    func run(_ statement: String, _ parameters: [PGValue] = []) throws(StoreError) -> PGResult {
        let statement = SQLLibrary.statement(statement)
        return try Self.mapping { () throws(PGError) in
            try connection.execute(statement, parameters)
        }
    }

    /// Runs a text made from an embedded statement.
    @discardableResult
    func run(
        _ statement: String, replacing replacements: [(String, String)],
        _ parameters: [PGValue] = []
    ) throws(StoreError) -> PGResult {
        let sql = SQLLibrary.text(statement, replacements)
        return try Self.mapping { () throws(PGError) in
            try connection.execute(sql, parameters, name: statement)
        }
    }

    /// A transaction whose work may be done again: tried up to five times when another one was in
    /// its way (deadlock, serialization). What needs a pause or a new connection is the caller's.
    func retryingTransaction<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        var attempt = 1
        while true {
            do throws(StoreError) {
                return try connection.withTransaction(.readWrite, body)
            } catch {
                guard error.passesAtOnce, attempt < 5 else { throw error }
                attempt += 1
            }
        }
    }
}
