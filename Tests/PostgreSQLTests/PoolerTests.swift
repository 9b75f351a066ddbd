import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestPooler.isExpected))
struct PoolerTests {
    private func withPooled<R>(_ body: (PGConnection) throws -> R) throws -> R {
        try TestCluster.withDatabase { conninfo in
            try TestPooler.with(conninfo) { pooled in
                try body(PGConnection(conninfo: pooled, applicationName: "sortie pooled"))
            }
        }
    }

    @Test func aPoolerIsNoticedAndADirectConnectionIsNotTakenForOne() throws {
        try TestCluster.withDatabase { conninfo in
            let direct = try PGConnection(conninfo: conninfo, applicationName: "sortie test")
            #expect(!direct.isPooled)
            try TestPooler.with(conninfo) { pooled in
                let connection = try PGConnection(conninfo: pooled, applicationName: "t")
                #expect(connection.isPooled)
                try connection.reconnect()
                #expect(connection.isPooled)
            }
        }
    }

    @Test func statementsMeetSeveralSessionsAndAreNotPreparedInThem() throws {
        try withPooled { connection in
            let statement = PGStatement(
                name: "where_am_i", sql: "SELECT pg_backend_pid() + 0 * $1::int")
            let pids = try (0..<12).map { _ in
                try connection.execute(statement, [1]).integer(0, 0)
            }
            #expect(Set(pids).count > 1)
            for _ in 0..<12 {
                let left = try connection.execute("SELECT count(*) FROM pg_prepared_statements")
                #expect(left.integer(0, 0) == 0)
            }
        }
    }

    @Test func everySessionHasOurSettingsAndNameAndKeepsItsOwnOthers() throws {
        try TestCluster.withDatabase { conninfo in
            let direct = try PGConnection(conninfo: conninfo, applicationName: "sortie test")
            let name = try direct.execute("SELECT current_database()").text(0, 0) ?? ""
            try direct.execute("ALTER DATABASE \(name) SET timezone = 'Asia/Tokyo'")
            try direct.execute("ALTER DATABASE \(name) SET datestyle = 'German'")
            try TestPooler.with(conninfo) { pooled in
                let other = try PGConnection(conninfo: pooled, applicationName: "other")
                try other.execute("SET timezone = 'Asia/Tokyo'")
                let ours = try PGConnection(conninfo: pooled, applicationName: "sortie pooled")
                try expectOurSettings(ours, other)
            }
        }
    }

    private func expectOurSettings(_ connection: PGConnection, _ other: PGConnection) throws {
        var pids: Set<Int64?> = []
        for _ in 0..<12 {
            let row = try connection.execute(
                """
                SELECT current_setting('timezone'), current_setting('DateStyle'),
                    current_setting('standard_conforming_strings'),
                    current_setting('application_name'), current_setting('jit'),
                    pg_backend_pid()
                """)
            #expect(row.text(0, 0) == "UTC")
            #expect(row.text(0, 1)?.hasPrefix("ISO") == true)
            #expect(row.text(0, 2) == "on")
            #expect(row.text(0, 3) == "sortie pooled")
            #expect(row.text(0, 4) == "on")
            pids.insert(row.integer(0, 5))
            // The other client's settings are put back when its turn comes.
            let theirs = try other.execute(
                "SELECT current_setting('timezone'), current_setting('application_name')")
            #expect((0..<2).map { theirs.text(0, $0) } == ["Asia/Tokyo", "other"])
        }
        #expect(pids.count > 1)
    }

    @Test func transactionsAreCompiledWithoutJITAndLeaveItAsItWas() throws {
        try withPooled { connection in
            for mode in [PGTransactionMode.readWrite, .readOnly, .snapshot] {
                let inside = try connection.withTransaction(mode) { () throws(PGError) in
                    try connection.execute("SHOW jit").text(0, 0)
                }
                #expect(inside == "off")
            }
            for _ in 0..<8 { #expect(try connection.execute("SHOW jit").text(0, 0) == "on") }
        }
    }

    @Test func aStatementIsCancelledThroughThePooler() throws {
        try withPooled { connection in
            let name = try connection.execute("SELECT current_database()").text(0, 0) ?? ""
            try connection.execute("ALTER DATABASE \(name) SET statement_timeout = '30s'")
            let canceller = try connection.makeCanceller()
            var isCancelled = false
            let error = #expect(throws: PGError.self) {
                try connection.copyOut(
                    "COPY (SELECT generate_series(1, 1000000000)) TO STDOUT (FORMAT binary)",
                    name: "endless"
                ) { (_: RawSpan) throws(PGError) in
                    if !isCancelled { isCancelled = canceller.cancel() }
                }
            }
            #expect(error?.sqlState == "57014")
            #expect(try connection.execute("SELECT 1").integer(0, 0) == 1)
        }
    }

    /// A pooler that passes the server's process numbers on would look like a direct connection.
    @Test func aForgottenStatementIsRetriedWithoutPreparing() throws {
        try TestCluster.withDatabase { conninfo in
            let connection = try PGConnection(conninfo: conninfo, applicationName: "sortie test")
            let statement = PGStatement(name: "plus", sql: "SELECT $1::int + 1")
            try connection.execute(statement, [1])
            try connection.execute("DEALLOCATE ALL")
            let error = #expect(throws: PGError.self) { try connection.execute(statement, [1]) }
            #expect(error?.trouble == .statementForgotten)
            #expect(error?.isRetryable == true)
            #expect(try connection.execute(statement, [1]).integer(0, 0) == 2)
            #expect(
                try connection.execute("SELECT count(*) FROM pg_prepared_statements")
                    .integer(0, 0) == 0)
        }
    }
}
