// The owner of one PGresult.

internal import CPostgreSQL

/// The rows that a statement returned, as text.
///
/// *Ownership and thread:* owns libpq's result and frees it; used by one thread at a time, and
/// independent of the connection's life.
@safe
package final class PGResult {
    private let handle: OpaquePointer

    /// Takes over a result that libpq allocated.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        // Sound: the only owner, freed once.
        unsafe PQclear(handle)
    }

    var status: ExecStatusType {
        // Sound: the handle is valid until deinit.
        unsafe PQresultStatus(handle)
    }

    /// Whether it is the beginning of a COPY.
    var isCopy: Bool { status == PGRES_COPY_IN || status == PGRES_COPY_OUT }

    /// Whether it stands for an error.
    var isFailure: Bool {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN, PGRES_COPY_OUT:
            false
        default: true
        }
    }

    /// The number of rows.
    package var rowCount: Int {
        // Sound: the handle is valid until deinit.
        Int(unsafe PQntuples(handle))
    }

    /// The column names, in order.
    package var columnNames: [String] {
        // Sound: indexes are within PQnfields, the names live as long as the handle.
        unsafe (0..<PQnfields(handle)).map { column in
            guard let name = unsafe PQfname(handle, column) else { return "" }
            return unsafe String(cString: name)
        }
    }

    /// The number of rows that an INSERT, UPDATE, DELETE or COPY touched.
    package var affectedRows: Int {
        // Sound: a C string inside the result, never NULL.
        Int(unsafe String(cString: PQcmdTuples(handle))) ?? 0
    }

    /// What the server did, such as "COMMIT" or "INSERT 0 3".
    var commandTag: String {
        // Sound: a C string inside the result, never NULL for a valid handle.
        unsafe String(cString: PQcmdStatus(handle))
    }

    /// The text of a cell; nil is NULL.
    ///
    /// - Parameters:
    ///   - row: Row index, from 0; must be below ``rowCount``.
    ///   - column: Column index, from 0.
    /// - Returns: The value in PostgreSQL's text format.
    package func text(_ row: Int, _ column: Int) -> String? {
        let (row, column) = (Int32(row), Int32(column))
        // Sound: the indexes are checked first, the bytes live as long as the handle.
        unsafe precondition(row < PQntuples(handle) && column < PQnfields(handle), "no such cell")
        guard unsafe PQgetisnull(handle, row, column) == 0,
            let value = unsafe PQgetvalue(handle, row, column)
        else { return nil }
        return unsafe String(cString: value)
    }

    /// The integer in a cell; nil if it is NULL or not an integer.
    ///
    /// - Parameters:
    ///   - row: Row index, from 0.
    ///   - column: Column index, from 0.
    /// - Returns: The value.
    package func integer(_ row: Int, _ column: Int) -> Int64? {
        text(row, column).flatMap { Int64($0) }
    }

    /// The boolean in a cell; nil if it is NULL.
    ///
    /// - Parameters:
    ///   - row: Row index, from 0.
    ///   - column: Column index, from 0.
    /// - Returns: The value.
    package func boolean(_ row: Int, _ column: Int) -> Bool? {
        text(row, column).map { $0 == "t" }
    }

    /// The error that this result stands for.
    ///
    /// - Parameters:
    ///   - attempted: The statement's name.
    ///   - connectionLost: Whether the connection is unusable now.
    /// - Returns: The error, stripped of anything that quotes rows.
    func error(attempted: String, connectionLost: Bool) -> PGError {
        let sqlState = diagnostic(sortie_diag_sqlstate)
        let quotesRows = sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") } ?? true
        let detail = quotesRows ? nil : diagnostic(sortie_diag_message_detail)
        let hint = diagnostic(sortie_diag_message_hint)
        // Sound: a C string inside the result, never NULL.
        let whole = unsafe String(cString: PQresultErrorMessage(handle))
        // What the server says has a SQLSTATE. Without one it is libpq that speaks, of a connection
        // that is done for, also where its status does not say so yet: when a statement could not
        // be sent, but the server's last words could be read.
        return PGError(
            attempted: attempted, sqlState: sqlState,
            message: diagnostic(sortie_diag_message_primary) ?? trimmed(whole),
            detail: [detail, hint].compactMap { $0 }.joined(separator: "; ").nilIfEmpty,
            constraint: diagnostic(sortie_diag_constraint_name),
            isConnectionLost: connectionLost || sqlState == nil)
    }

    private func diagnostic(_ field: Int) -> String? {
        // Sound: NULL or a C string inside the result.
        guard let text = unsafe PQresultErrorField(handle, Int32(field)) else { return nil }
        return unsafe String(cString: text)
    }
}

extension String {
    var nilIfEmpty: String? { isEmpty ? nil : self }
}

/// libpq ends its messages with line ends.
func trimmed(_ message: String) -> String {
    var message = message[...]
    while let last = message.last, last.isWhitespace { message.removeLast() }
    return String(message)
}
