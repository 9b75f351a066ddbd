// The one error of this room.

/// What PostgreSQL, or the way to it, answered instead of doing what was asked.
///
/// The text never holds parameter values, COPY data or a connection string's password. The
/// server's DETAIL line quotes whole rows for data and constraint errors (classes 22 and 23), so
/// it is left out there; the constraint's name says enough.
package struct PGError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done: a statement's name, or words such as "connect".
    package var attempted: String
    /// The five characters of the SQLSTATE; nil if the server said nothing (connection trouble).
    package var sqlState: String?
    /// The server's or libpq's primary message, without trailing line ends.
    package var message: String
    /// The server's DETAIL where it may be shown, and its HINT.
    package var detail: String?
    /// The name of the violated constraint, if one was.
    package var constraint: String?
    /// The connection can not be used any more.
    package var isConnectionLost: Bool
    /// Where: host, port and database, such as "db1:5432/shop"; nil where the message says it.
    package var place: String?
    /// COMMIT was sent and no answer came: the transaction may or may not have been committed.
    package var isCommitInDoubt = false

    /// Creates an error.
    package init(
        attempted: String, sqlState: String? = nil, message: String, detail: String? = nil,
        constraint: String? = nil, isConnectionLost: Bool = false
    ) {
        self.attempted = attempted
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.constraint = constraint
        self.isConnectionLost = isConnectionLost
    }

    /// What kind of trouble this is.
    package var trouble: PGTrouble {
        PGTrouble(sqlState: sqlState, isConnectionLost: isConnectionLost)
    }

    /// Whether the same work may succeed if it is simply done again, after a pause unless
    /// ``PGTrouble/passesAtOnce``, and after reconnecting if ``needsReconnect``.
    package var isRetryable: Bool { trouble.mayPass }

    /// Whether only another connection can help: this one is gone, or about to go, or it leads to
    /// a server that takes no writes, whose place another one may have taken.
    package var needsReconnect: Bool { isConnectionLost || trouble.endsConnection }

    package var description: String {
        var text = "\(attempted): \(message)"
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let place { text += ", at \(place)" }
        if let detail { text += "; \(detail)" }
        if let advice = trouble.advice { text += "; \(advice)" }
        return text
    }
}

/// An error type that can carry a ``PGError``, so that closures run inside a transaction or a COPY
/// may throw their own type and the room's own failures still come out typed.
package protocol PGErrorWrapping: Error {
    /// Wraps a database error.
    init(_ error: PGError)
}

extension PGError: PGErrorWrapping {
    /// Returns the error itself.
    package init(_ error: PGError) { self = error }
}
