// The one error of this room.

package import PostgreSQL

/// Why the store did not do what was asked. The text has no token, payload, key or password.
package enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The database, or the way to it, failed.
    case database(PGError)
    /// Another worker has taken the run over, or the run was ended: this one must stop sending.
    case leaseLost(String)
    /// The campaign's `audience` is not valid SQL or takes too long: the user's mistake.
    case audienceRefused(String)
    /// The database has no schema of sortie's, an older or newer one, or a changed one.
    case schemaMismatch(String)
    /// The file of devices can't be imported at all: the user's mistake.
    case importRefused(String)
    /// The run is in a state that does not allow this.
    case stateChangeRefused(String)
    /// The caller's own failure while it was providing data.
    case source(String)

    package var description: String {
        switch self {
        case .database(let error): "The database failed: \(error)"
        case .leaseLost(let text), .audienceRefused(let text), .schemaMismatch(let text),
            .importRefused(let text), .stateChangeRefused(let text), .source(let text):
            text
        }
    }

    /// Whether the same call may succeed if it is made again, after a pause, and after
    /// ``Store/reconnect()`` if ``isConnectionLost``.
    package var isRetryable: Bool {
        if case .database(let error) = self { return error.isRetryable }
        return false
    }

    /// Whether ``Store/reconnect()`` must come before anything else: the connection is gone, or it
    /// leads to a server that takes no writes.
    package var isConnectionLost: Bool {
        if case .database(let error) = self { return error.needsReconnect }
        return false
    }

    /// Whether there is nothing to wait for before making the call again, on the same connection.
    var passesAtOnce: Bool {
        guard case .database(let error) = self else { return false }
        return error.trouble.passesAtOnce && !error.isConnectionLost
    }
}

extension StoreError: PGErrorWrapping {
    /// Wraps a database error. The server's own rules of changing a run's state come back as
    /// ``stateChangeRefused(_:)``; they are raised with the SQLSTATE ST001.
    package init(_ error: PGError) {
        self = error.sqlState == "ST001" ? .stateChangeRefused(error.message) : .database(error)
    }
}
