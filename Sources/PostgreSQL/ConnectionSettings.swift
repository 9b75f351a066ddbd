// What a connection is opened with: the caller's string, and our own values for what it leaves out.

internal import CPostgreSQL

/// The keywords and values for libpq.
enum ConnectionSettings {
    /// Values for what the connection string leaves open.
    ///
    /// A server that is gone without a word (power, a firewall that forgot the connection) is
    /// noticed within 20 seconds: while we wait for an answer by TCP keepalives (5 s of silence,
    /// then three probes 3 s apart), while we send by `tcp_user_timeout`. The operating system's
    /// own defaults would take over two hours, and a quarter of one.
    private static let defaults: [(keyword: String, value: String)] = [
        ("keepalives_idle", "5"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
        // Milliseconds.
        ("tcp_user_timeout", "15000"),
    ]
    /// Seconds for each host that is tried.
    private static let connectTimeout = "10"

    /// The keywords and values to connect with, in the order in which libpq lets later ones win:
    /// those before `dbname` are defaults, those after it win over the string.
    ///
    /// - Parameters:
    ///   - conninfo: A libpq connection string or URI; empty takes the `PG*` variables.
    ///   - applicationName: For `pg_stat_activity`, unless the string names another.
    /// - Returns: The pairs.
    static func parameters(
        conninfo: String, applicationName: String
    ) -> [(keyword: String, value: String)] {
        var parameters = defaults
        // libpq prefers what it is given here to its variables and service file, so where they
        // say something we say nothing.
        let surroundings = surroundings()
        if surroundings["connect_timeout"] == nil {
            parameters.append(("connect_timeout", connectTimeout))
        }
        // With one host the server's own words about writing are clearer than a refusal to
        // connect, and reports can be read from a standby. With several, only the primary will do.
        let hosts = string(conninfo)
        let names = [
            hosts["host"] ?? surroundings["host"], hosts["hostaddr"] ?? surroundings["hostaddr"],
        ]
        if names.contains(where: { $0?.contains(",") == true }),
            surroundings["target_session_attrs"] == "any"
        {
            parameters.append(("target_session_attrs", "read-write"))
        }
        parameters += [
            ("fallback_application_name", applicationName), ("dbname", conninfo),
            ("client_encoding", "UTF8"),
        ]
        return parameters
    }

    /// What variables, the service file and libpq itself give for each keyword.
    ///
    /// *C:* `PQconndefaults`.
    private static func surroundings() -> [String: String] {
        unsafe values(of: PQconndefaults())
    }

    /// What a connection string says; nothing if it can't be read, which connecting will tell.
    ///
    /// *C:* `PQconninfoParse`.
    private static func string(_ conninfo: String) -> [String: String] {
        // Sound: the string lives for the call.
        unsafe values(of: PQconninfoParse(conninfo, nil))
    }

    /// Reads and frees a list of options.
    @unsafe
    private static func values(
        of options: UnsafeMutablePointer<PQconninfoOption>?
    ) -> [String: String] {
        guard let options = unsafe options else { return [:] }
        // Sound: the list ends with an option without a keyword, and is freed once.
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var next = unsafe options
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe next += 1
        }
        return values
    }
}
