import Glibc
import LinuxIO
@testable import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct PGConnectionTests {
    private func withConnection<R>(_ body: (PGConnection) throws -> R) throws -> R {
        try TestCluster.withDatabase { conninfo in
            try body(PGConnection(conninfo: conninfo, applicationName: "sortie test"))
        }
    }

    @Test(
        arguments: [
            (.null, "text", nil), (.text(""), "text", ""),
            (.text("O'Neil \"x\" \\ ű"), "text", "O'Neil \"x\" \\ ű"),
            (.integer(.min), "bigint", "-9223372036854775808"), (.double(0.1), "float8", "0.1"),
            (.boolean(true), "boolean", "t"), (.integers([]), "int[]", "{}"),
            (.integers([1, -2]), "int[]", "{1,-2}"), (.text("a\0b"), "text", "a\u{FFFD}b"),
            (
                .texts(["a", nil, "b,\"c\\", "NULL", ""]), "text[]",
                "{a,NULL,\"b,\\\"c\\\\\",\"NULL\",\"\"}"
            ),
        ] as [(PGValue, String, String?)])
    func parametersArriveAsTheyAre(value: PGValue, type: String, text: String?) throws {
        try withConnection { connection in
            let arrived = try connection.execute("SELECT $1::\(type)", [value]).text(0, 0)
            #expect(arrived == text)
        }
    }

    @Test func theSessionIsSetUp() throws {
        try withConnection { connection in
            let result = try connection.execute(
                """
                SELECT current_setting('timezone'), current_setting('client_encoding'),
                    current_setting('standard_conforming_strings'),
                    current_setting('application_name')
                """)
            #expect((0..<4).map { result.text(0, $0) } == ["UTC", "UTF8", "on", "sortie test"])
        }
    }

    @Test func statementsArePreparedOnce() throws {
        try withConnection { connection in
            let statement = PGStatement(name: "plus", sql: "SELECT $1::int + 1")
            let before = connection.roundTrips
            for number in 1...3 {
                let sum = try connection.execute(statement, [.integer(Int64(number))]).integer(0, 0)
                #expect(sum == Int64(number + 1))
            }
            #expect(connection.roundTrips - before == 4)
            try connection.reconnect()
            #expect(try connection.execute(statement, [1]).integer(0, 0) == 2)
        }
    }

    @Test func errorsSayWhatAndWhereAndNoData() throws {
        try withConnection { connection in
            try connection.executeScript(
                "CREATE TABLE t (secret text CONSTRAINT t_secret_check CHECK (secret < 'm'))",
                name: "create")
            let error = #expect(throws: PGError.self) {
                try connection.execute(
                    PGStatement(name: "put", sql: "INSERT INTO t VALUES ($1)"), ["zzz-secret"])
            }
            #expect(error?.attempted == "put")
            #expect(error?.sqlState == "23514")
            #expect(error?.constraint == "t_secret_check")
            #expect(error?.isRetryable == false)
            #expect(error.map { !"\($0)".contains("zzz") } == true)
            let unique = #expect(throws: PGError.self) {
                try connection.executeScript(
                    "CREATE TABLE u (a text PRIMARY KEY); INSERT INTO u VALUES ('zzz'), ('zzz')",
                    name: "twice")
            }
            #expect(unique.map { !"\($0)".contains("zzz") } == true)
            #expect(try connection.execute("SELECT 1").integer(0, 0) == 1)
        }
    }

    @Test func aFailedTransactionIsRolledBackAndTheConnectionUsable() throws {
        try withConnection { connection in
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            #expect(throws: PGError.self) {
                try connection.withTransaction { () throws(PGError) in
                    try connection.execute("INSERT INTO t VALUES (1)")
                    try connection.execute("SELECT 1 / 0")
                }
            }
            #expect(throws: PGError.self) {
                try connection.withTransaction(.readOnly) { () throws(PGError) in
                    _ = try connection.execute("INSERT INTO t VALUES (1)")
                }
            }
            #expect(try connection.execute("SELECT count(*) FROM t").integer(0, 0) == 0)
        }
    }

    @Test func aConnectionThatIsLostAtCommitLeavesDoubt() throws {
        try withConnection { connection in
            let pid = try connection.execute("SELECT pg_backend_pid()").integer(0, 0)
            let error = #expect(throws: PGError.self) {
                try connection.withTransaction { () throws(PGError) in
                    // The server ends the session; the next thing the client sends is COMMIT.
                    kill(Int32(pid ?? 0), SIGTERM)
                    while kill(Int32(pid ?? 0), 0) == 0 { usleep(1000) }
                }
            }
            #expect(error?.isConnectionLost == true)
            #expect(error?.isCommitInDoubt == true)
            #expect(error?.isRetryable == true)
            #expect(!connection.isUsable)
            try connection.reconnect()
            #expect(try connection.execute("SELECT 1").integer(0, 0) == 1)
        }
    }

    @Test func aStatementCanBeCancelledFromAnotherThread() throws {
        try withConnection { connection in
            let canceller = try connection.makeCanceller()
            let isDone = Monitor<Bool>(false)
            let thread = try WorkerThread.start(name: "cancel") {
                // Again and again, because the first may come before the statement.
                while !isDone.withLock({ $0 }) {
                    canceller.cancel()
                    usleep(1000)
                }
            }
            let error = #expect(throws: PGError.self) {
                try connection.execute("SELECT pg_sleep(30)")
            }
            isDone.withLock { $0 = true }
            thread.join()
            #expect(error?.sqlState == "57014")
        }
    }

    @Test func noticesAreKept() throws {
        try withConnection { connection in
            try connection.executeScript(
                "DO $$ BEGIN FOR i IN 1..150 LOOP RAISE NOTICE 'note %', i; END LOOP; END $$",
                name: "notices")
            let notices = connection.takeNotices()
            #expect(notices.count == 100)
            #expect(notices.first == "note 1")
            #expect(connection.takeNotices().isEmpty)
        }
    }

    @Test func unreachableServersAreAnErrorWithoutThePassword() {
        let error = #expect(throws: PGError.self) {
            try PGConnection(
                conninfo: "host=/nonexistent password=hunter2 dbname=x", applicationName: "t")
        }
        #expect(error?.isConnectionLost == true)
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }

    /// The defaults stand before the string, so that whatever it says wins.
    @Test(
        arguments: [
            ("host=/nowhere", ["connect_timeout": "10", "target_session_attrs": nil]),
            ("host=/nowhere connect_timeout=3", ["connect_timeout": "10"]),
            ("host=/a,/b", ["target_session_attrs": "read-write", "tcp_user_timeout": "15000"]),
            (
                "postgresql://a:1,b:2/x?target_session_attrs=any",
                ["target_session_attrs": "read-write", "keepalives_idle": "5"]
            ),
            ("shop", ["target_session_attrs": nil]),
        ] as [(String, [String: String?])])
    func timeLimitsAndTheSearchForThePrimaryAreSetBeforeTheString(
        conninfo: String, expected: [String: String?]
    ) {
        let parameters = ConnectionSettings.parameters(conninfo: conninfo, applicationName: "t")
        let end = parameters.firstIndex { $0.keyword == "dbname" } ?? 0
        #expect(parameters[end].value == conninfo)
        for (keyword, value) in expected {
            #expect(parameters[..<end].first { $0.keyword == keyword }?.value == value)
        }
    }

    @Test func literalsAreQuoted() throws {
        try withConnection { connection in
            let text = "O'Neil \\ $1 ű"
            let literal = try connection.literal(text)
            #expect(try connection.execute("SELECT \(literal)").text(0, 0) == text)
        }
    }
}
