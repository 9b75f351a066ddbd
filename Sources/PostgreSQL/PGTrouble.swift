// What kind of trouble a failure is, and so whether to try again and what to tell the operator.

/// The kinds of trouble a database can be in, told apart by SQLSTATE.
///
/// | trouble | SQLSTATE | again? |
/// | --- | --- | --- |
/// | connection lost | class 08, or none and the connection is gone | after reconnecting |
/// | server stopping | 57P01, 57P02, 57P05 | after reconnecting |
/// | server starting | 57P03 | after reconnecting |
/// | read only | 25006 | after reconnecting, which may lead to another server |
/// | disk full | 53100 | after a pause |
/// | limit reached | 53200, 53300, 53400, 53000 | after a pause |
/// | conflict | 40001, 40P01 | at once |
/// | statement forgotten | 26000, 42P05 | at once, without prepared statements |
/// | interrupted | 57014 | after a pause |
/// | lock not free | 55P03 | after a pause |
/// | transaction timeout | 25P03, 25P04 | after reconnecting |
/// | other | all others | no |
///
/// *Source:* PostgreSQL manual, appendix A "PostgreSQL Error Codes".
package enum PGTrouble: Sendable, CaseIterable {
    /// The server, or the network to it, is gone, or a pooler has no server to offer.
    case connectionLost
    /// The server shuts down, or an administrator ended the session.
    case serverStopping
    /// The server is up but takes no sessions yet: it starts, recovers or shuts down.
    case serverStarting
    /// The server takes no writes: it is a standby, or an administrator said so.
    case readOnly
    /// The server's disk is full.
    case diskFull
    /// The server has no memory, connection or temporary space left.
    case limitReached
    /// Two transactions were in each other's way and this one was chosen to end.
    case conflict
    /// A pooler led to a session that does not know what was prepared.
    case statementForgotten
    /// The statement was cancelled: `statement_timeout`, or somebody did it by hand.
    case interrupted
    /// A lock was not to be had within `lock_timeout`.
    case lockNotFree
    /// The transaction was idle, or open, for longer than the server allows.
    case transactionTimeout
    /// Everything that will be the same the next time.
    case other

    /// The kind for a failure.
    ///
    /// - Parameters:
    ///   - sqlState: The five characters; nil if the server said nothing.
    ///   - isConnectionLost: Whether the connection is gone.
    init(sqlState: String?, isConnectionLost: Bool) {
        guard let sqlState else {
            self = isConnectionLost ? .connectionLost : .other
            return
        }
        if let known = Self.bySQLState[sqlState] {
            self = known
        } else if sqlState.hasPrefix("53") {
            self = .limitReached
        } else if isConnectionLost {
            // Whatever was said last, the way on is another connection.
            self = .connectionLost
        } else {
            self = .other
        }
    }

    private static let bySQLState: [String: PGTrouble] = [
        "57P01": .serverStopping, "57P02": .serverStopping, "57P05": .serverStopping,
        "57P03": .serverStarting, "25006": .readOnly, "53100": .diskFull,
        "40001": .conflict, "40P01": .conflict,
        "26000": .statementForgotten, "42P05": .statementForgotten,
        "57014": .interrupted, "55P03": .lockNotFree,
        "25P03": .transactionTimeout, "25P04": .transactionTimeout,
        "08000": .connectionLost, "08001": .connectionLost, "08003": .connectionLost,
        "08004": .connectionLost, "08006": .connectionLost, "08007": .connectionLost,
    ]

    /// Whether the same work may succeed if it is done again.
    package var mayPass: Bool { self != .other }

    /// Whether there is nothing to wait for before trying again.
    package var passesAtOnce: Bool { self == .conflict || self == .statementForgotten }

    /// Whether only another connection can help.
    package var endsConnection: Bool {
        switch self {
        case .connectionLost, .serverStopping, .serverStarting, .readOnly, .transactionTimeout: true
        case .diskFull, .limitReached, .conflict, .statementForgotten, .interrupted, .lockNotFree,
            .other:
            false
        }
    }

    /// What an operator can do about it; nil if there is nothing to do, or nothing general.
    package var advice: String? {
        switch self {
        case .connectionLost:
            "check that the server runs, that this machine reaches it, and that address, user "
                + "and password are right"
        case .serverStopping:
            "the server was stopped, or somebody ended the session; start it"
        case .serverStarting:
            "the server is starting or stopping; wait until it takes connections"
        case .readOnly:
            "this server takes no writes: it is a standby, or default_transaction_read_only is "
                + "on; connect to the primary, or name all hosts and add "
                + "target_session_attrs=read-write"
        case .diskFull:
            "the database server's disk is full; make room there"
        case .limitReached:
            "the database server has reached a limit of its own; see max_connections, the "
                + "role's connection limit, temp_file_limit and the machine's memory"
        case .conflict, .statementForgotten:
            nil
        case .interrupted:
            "if nobody cancelled it, statement_timeout is too short for this statement; for the "
                + "role that this program uses: ALTER ROLE … SET statement_timeout = 0"
        case .lockNotFree:
            "another session holds the lock for longer than lock_timeout; see pg_locks for who, "
                + "or give the role that this program uses a longer lock_timeout"
        case .transactionTimeout:
            "idle_in_transaction_session_timeout or transaction_timeout is too short for the "
                + "role that this program uses; a minute is enough"
        case .other:
            nil
        }
    }
}
