// The owner of one PGconn: connecting, statements, notices.
//
// Nothing here needs a session of the server's: a pooler may lead every transaction to another one.
// What is set outside of transactions are only the parameters that the protocol reports to clients
// and that poolers therefore restore. Statements are prepared on direct connections only.

internal import CPostgreSQL

/// A statement with a name, prepared once per direct connection on its first use.
package struct PGStatement: Sendable, Hashable {
    /// The name, unique among the program's statements; it also appears in errors.
    package let name: String
    /// One SQL statement with `$1 …` parameters.
    package let sql: String

    /// Creates a statement.
    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// One connection to PostgreSQL. Every call blocks until the server has answered.
///
/// *Ownership and thread:* used by one thread at a time. After any error the results are drained,
/// so the connection stays usable unless ``isUsable`` says otherwise; then only ``reconnect()``
/// helps. A transaction that was open when a statement failed must be rolled back, which
/// ``withTransaction(_:_:)`` does.
@safe
package final class PGConnection {
    let handle: OpaquePointer
    private let notices = NoticeCollector()
    private var prepared: Set<String> = []
    /// Whether a pooler stands between us and the server, so that two transactions may meet
    /// different sessions. It is told by the process number: a pooler that shares sessions has to
    /// make one up for each client, for cancelling.
    package private(set) var isPooled = false
    /// Answers waited for since the connection was opened: statements, preparations, COPY starts
    /// and ends. Tests hold the hot path to a bound with it.
    package internal(set) var roundTrips = 0
    /// The bytes of binary COPY data on their way in, kept between uses.
    let copyBuffer = BinaryCopyWriter()

    /// Opens a connection with UTF-8, UTC, standard strings, and limits of time unless the string
    /// has its own: 10 s for each host to connect, 20 s to notice that a server is gone. If the
    /// string names several hosts, the one that takes writes is looked for.
    ///
    /// - Parameters:
    ///   - conninfo: A libpq connection string or URI; empty takes the `PG*` variables.
    ///   - applicationName: Shown in `pg_stat_activity` unless the string names another.
    /// - Throws: If the server can't be reached or refuses.
    ///
    /// *C:* `PQconnectdbParams`.
    package init(conninfo: String, applicationName: String) throws(PGError) {
        let parameters = ConnectionSettings.parameters(
            conninfo: conninfo, applicationName: applicationName)
        let opened = unsafe withCStringArray(parameters.map(\.keyword)) { keywords in
            unsafe withCStringArray(parameters.map(\.value)) { values in
                // Sound: both arrays end with NULL and outlive the call, which copies them.
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let opened = unsafe opened else {
            throw PGError(attempted: "connect", message: "out of memory")
        }
        unsafe handle = unsafe opened
        try finishConnecting()
    }

    deinit {
        // Sound: the only owner. The collector outlives the handle because it is a stored property
        // released after this body.
        unsafe PQfinish(handle)
    }

    /// Whether the connection is up as far as libpq knows.
    package var isUsable: Bool {
        // Sound: the handle is valid until deinit.
        unsafe PQstatus(handle) == CONNECTION_OK
    }

    /// The server's version, such as 150020.
    package var serverVersion: Int {
        // Sound: the handle is valid until deinit.
        Int(unsafe PQserverVersion(handle))
    }

    /// Closes what is left of the connection and opens it again with the same settings. Open
    /// transactions and prepared statements are gone.
    ///
    /// - Throws: If the server can't be reached or refuses.
    ///
    /// *C:* `PQreset`.
    package func reconnect() throws(PGError) {
        prepared.removeAll()
        // Sound: the handle is valid until deinit.
        unsafe PQreset(handle)
        try finishConnecting()
    }

    private func finishConnecting() throws(PGError) {
        guard isUsable else { throw connectionError(attempted: "connect") }
        // Sound: the collector lives as long as the connection, see deinit. libpq calls back only
        // inside calls on this connection, so on the owner's thread.
        unsafe PQsetNoticeReceiver(
            handle, receiveNotice, Unmanaged.passUnretained(notices).toOpaque())
        let pid = try executeScript(
            "SET timezone = 'UTC'; SET standard_conforming_strings = on; SET DateStyle = 'ISO'; "
                + "SELECT pg_backend_pid()",
            name: "connect"
        ).integer(0, 0)
        // Sound: the handle is valid until deinit.
        isPooled = pid != Int64(unsafe PQbackendPID(handle))
        // JIT compiling takes longer than the statements that the server would compile. The
        // session may be other people's as well: then transactions switch it off for themselves.
        if !isPooled { try executeScript("SET jit = off", name: "connect") }
    }

    /// Host, port and database as far as they are known, such as "db1:5432/shop".
    package var place: String {
        // Sound: C strings inside the connection, copied at once; NULL only without a handle.
        let parts = unsafe [PQhost(handle), PQport(handle), PQdb(handle)].map { part in
            unsafe part.map { unsafe String(cString: $0) } ?? ""
        }
        return "\(parts[0]):\(parts[1])/\(parts[2])"
    }

    /// The NOTICE and WARNING messages since the last call; at most 100 are kept.
    package func takeNotices() -> [String] {
        notices.take()
    }

    /// A handle for interrupting this connection's statements from other threads.
    ///
    /// - Throws: If memory is short.
    package func makeCanceller() throws(PGError) -> PGCanceller {
        // Sound: the handle is valid until deinit; the cancel object is independent of it.
        guard let cancel = unsafe PQgetCancel(handle) else {
            throw PGError(attempted: "cancel", message: "out of memory")
        }
        return unsafe PGCanceller(owning: cancel)
    }
}

// MARK: - Statements

extension PGConnection {
    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - sql: One SQL statement with `$1 …` for the parameters.
    ///   - parameters: Their values, in order.
    ///   - name: What to call the statement in errors.
    /// - Returns: The rows, if it has any.
    /// - Throws: What the server answered, or that the connection is lost.
    ///
    /// *C:* `PQsendQueryParams`.
    @discardableResult
    package func execute(
        _ sql: String, _ parameters: [PGValue] = [], name: String = "statement"
    ) throws(PGError) -> PGResult {
        let isSent = unsafe withCStringArray(parameters.map(\.wireText)) { values in
            // Sound: the strings outlive the call; text format needs no types, lengths or formats.
            unsafe PQsendQueryParams(
                handle, sql, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        return try answer(isSent, name)
    }

    /// Runs a statement by its name: prepared on its first use on a direct connection, sent whole
    /// each time through a pooler.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: Values for `$1 …`, in order.
    /// - Returns: The rows, if it has any.
    /// - Throws: What the server answered, or that the connection is lost.
    ///
    /// *C:* `PQsendPrepare`, `PQsendQueryPrepared`, or `PQsendQueryParams`.
    @discardableResult
    package func execute(
        _ statement: PGStatement, _ parameters: [PGValue] = []
    ) throws(PGError) -> PGResult {
        if isPooled { return try execute(statement.sql, parameters, name: statement.name) }
        do throws(PGError) {
            try prepare(statement)
            let isSent = unsafe withCStringArray(parameters.map(\.wireText)) { values in
                // Sound: the strings outlive the call; all are in text format.
                unsafe PQsendQueryPrepared(
                    handle, statement.name, Int32(parameters.count), values, nil, nil, 0)
            }
            return try answer(isSent, statement.name)
        } catch {
            // A pooler after all, one that hides well. What failed may be done again.
            if error.trouble == .statementForgotten { isPooled = true }
            throw error
        }
    }

    /// Prepares a statement unless this connection has done so already.
    ///
    /// - Parameter statement: The statement.
    /// - Throws: What the server answered, such as a syntax error.
    package func prepare(_ statement: PGStatement) throws(PGError) {
        guard !prepared.contains(statement.name) else { return }
        // Sound: the handle is valid, the strings live for the call.
        let isSent = unsafe PQsendPrepare(handle, statement.name, statement.sql, 0, nil)
        _ = try answer(isSent, statement.name)
        prepared.insert(statement.name)
    }

    /// Runs one or more statements without parameters, as one implicit transaction unless they
    /// say otherwise.
    ///
    /// - Parameters:
    ///   - sql: Statements divided by semicolons.
    ///   - name: What to call them in errors.
    /// - Returns: The last statement's result.
    /// - Throws: What the server answered, or that the connection is lost.
    ///
    /// *C:* `PQsendQuery`.
    @discardableResult
    package func executeScript(_ sql: String, name: String) throws(PGError) -> PGResult {
        // Sound: the handle is valid, the string lives for the call.
        try answer(unsafe PQsendQuery(handle, sql), name)
    }

    /// A text as an SQL literal, quotes included, for statements that can't have parameters.
    ///
    /// - Parameter text: Any text; a NUL character ends it.
    /// - Returns: The literal.
    /// - Throws: If the text is not valid in the connection's encoding.
    ///
    /// *C:* `PQescapeLiteral`.
    package func literal(_ text: String) throws(PGError) -> String {
        // Sound: the length is that of the bytes given; the result is freed once below.
        guard let quoted = unsafe PQescapeLiteral(handle, text, text.utf8.count) else {
            throw connectionError(attempted: "quote a text")
        }
        defer { unsafe PQfreemem(quoted) }
        return unsafe String(cString: quoted)
    }

    /// Waits for everything that the server has to say about what was sent; every statement
    /// passes here.
    ///
    /// `PQexec` and its sisters would return the last of several failures, which is that the
    /// connection is gone, where the first one says why.
    ///
    /// - Parameters:
    ///   - isSent: What libpq returned for the sending; 1 is success.
    ///   - name: What to call the statement in errors.
    /// - Returns: The last result, or the beginning of a COPY.
    /// - Throws: The first failure.
    ///
    /// *C:* `PQgetResult`.
    func answer(_ isSent: Int32, _ name: String) throws(PGError) -> PGResult {
        roundTrips += 1
        guard isSent == 1 else { throw connectionError(attempted: name) }
        var answer: PGResult?
        // Sound: each result has one owner. The loop ends: a COPY is left, and a lost connection
        // gives its failure once and then NULL.
        while let handle = unsafe PQgetResult(handle) {
            let next = unsafe PGResult(owning: handle)
            if answer?.isFailure != true { answer = next }
            if next.isCopy { break }
        }
        guard let answer else { throw connectionError(attempted: name) }
        guard answer.isFailure else { return answer }
        var error = answer.error(attempted: name, connectionLost: !isUsable)
        if error.trouble != .other { error.place = place }
        throw error
    }

    /// The error for a failure that came without a result.
    func connectionError(attempted: String) -> PGError {
        // Sound: a C string inside the connection, valid until its next use.
        let message = unsafe String(cString: PQerrorMessage(handle))
        var error = PGError(
            attempted: attempted, message: trimmed(message), isConnectionLost: !isUsable)
        // While connecting, libpq's message names each host that was tried.
        if attempted != "connect" { error.place = place }
        return error
    }
}

// MARK: - Notices

/// Keeps the server's notices until somebody asks for them.
private final class NoticeCollector {
    /// A statement in a loop may warn for every row; the first hundred tell the story.
    private static let countMax = 100
    private var messages: [String] = []

    func add(_ message: String) {
        if messages.count < Self.countMax { messages.append(message) }
    }

    func take() -> [String] {
        defer { messages.removeAll() }
        return messages
    }
}

/// libpq's callback for notices; the result belongs to libpq.
private func receiveNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    // Sound: the context is the collector that the connection keeps alive.
    guard let context = unsafe context,
        let text = unsafe PQresultErrorField(result, Int32(sortie_diag_message_primary))
    else { return }
    let collector = unsafe Unmanaged<NoticeCollector>.fromOpaque(context).takeUnretainedValue()
    collector.add(unsafe String(cString: text))
}

// MARK: - C strings

/// Lends a NULL-terminated array of C strings for the length of a call; nil elements are NULL.
@unsafe
func withCStringArray<R>(
    _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
) -> R {
    var bytes: [CChar] = []
    var offsets: [Int?] = []
    for string in strings {
        guard let string else {
            offsets.append(nil)
            continue
        }
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }
    // Sound: the pointers lead into `bytes`, which does not move inside the closure.
    return unsafe bytes.withUnsafeBufferPointer { bytes in
        var pointers: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
            unsafe offset.flatMap { unsafe bytes.baseAddress?.advanced(by: $0) }
        }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
