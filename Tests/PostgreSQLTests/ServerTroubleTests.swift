import Glibc
import LinuxIO
import LocalCluster
import PostgreSQL
import TestSupport
import Testing

/// Servers that stop, come back, refuse to write and give their place to another.
@Suite(.enabled(if: TestCluster.isExpected))
struct ServerTroubleTests {
    private func connect(_ conninfo: String) throws -> PGConnection {
        try PGConnection(conninfo: conninfo, applicationName: "sortie test")
    }

    @Test func aServerThatWasRestartedIsFoundAgain() throws {
        try withPrivateCluster { cluster in
            let connection = try connect(cluster.conninfo)
            let statement = PGStatement(name: "plus", sql: "SELECT $1::int + 1")
            for round in 0..<3 {
                #expect(try connection.execute(statement, [.integer(Int64(round))]).rowCount == 1)
                try cluster.stop()
                let lost = #expect(throws: PGError.self) { try connection.execute(statement, [1]) }
                #expect(lost?.isConnectionLost == true)
                #expect(lost?.isRetryable == true)
                #expect(lost?.place?.hasSuffix(":5432/sortie") == true)
                let away = #expect(throws: PGError.self) { try connection.reconnect() }
                #expect(away?.isRetryable == true)
                #expect(away?.trouble == .connectionLost)
                try cluster.start()
                try connection.reconnect()
            }
        }
    }

    @Test func aServerThatStopsInTheMiddleOfAStatementIsAnErrorAndNotAWait() throws {
        try withPrivateCluster { cluster in
            let connection = try connect(cluster.conninfo)
            let watcher = try connect(cluster.conninfo)
            let stopped = try WorkerThread.start(name: "stop") {
                do {
                    let running =
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                    while try watcher.execute(running).integer(0, 0) == 0 { usleep(1000) }
                    try cluster.stop()
                } catch {
                    Issue.record(error)
                }
            }
            let error = #expect(throws: PGError.self) {
                try connection.execute("SELECT pg_sleep(61)")
            }
            stopped.join()
            #expect(error?.trouble == .serverStopping)
            #expect(error?.isConnectionLost == true)
        }
    }

    @Test func aServerThatStopsInTheMiddleOfACopyIsAnErrorInBothDirections() throws {
        try withPrivateCluster { cluster in
            let connection = try connect(cluster.conninfo)
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            var isStopped = false
            let out = #expect(throws: PGError.self) {
                try connection.copyOut(
                    "COPY (SELECT generate_series(1, 100000000)) TO STDOUT (FORMAT binary)",
                    name: "out"
                ) { (_: RawSpan) throws(PGError) in
                    if !isStopped { isStopped = (try? cluster.stop()) == true }
                }
            }
            #expect(out?.isConnectionLost == true)
            try cluster.start()
            try connection.reconnect()
            isStopped = false
            let into = #expect(throws: PGError.self) {
                try connection.copyIn("COPY t FROM STDIN (FORMAT binary)", name: "in") {
                    (writer, flushIfFull) throws(PGError) in
                    for number in 0..<1_000_000 {
                        writer.beginRow(fieldCount: 1, bytesMax: 4)
                        writer.int32(Int32(number))
                        try flushIfFull()
                        if number == 500_000, !isStopped {
                            isStopped = (try? cluster.stop()) == true
                        }
                    }
                }
            }
            #expect(into?.isConnectionLost == true)
            try cluster.start()
            try connection.reconnect()
            #expect(try connection.execute("SELECT count(*) FROM t").integer(0, 0) == 0)
        }
    }

    @Test func aReadOnlyServerIsToldWithWhatToDo() throws {
        try TestCluster.withDatabase { conninfo in
            let connection = try connect(conninfo)
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            let name = try connection.execute("SELECT current_database()").text(0, 0) ?? ""
            try connection.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try connection.reconnect()
            let error = #expect(throws: PGError.self) {
                try connection.execute("INSERT INTO t VALUES (1)")
            }
            #expect(error?.trouble == .readOnly)
            #expect(error?.isConnectionLost == false)
            #expect(error?.needsReconnect == true)
            #expect(error?.description.contains("target_session_attrs=read-write") == true)
            #expect(error?.description.contains("5432/\(name)") == true)
        }
    }

    @Test func theNewPrimaryIsFoundAfterAFailover() throws {
        try ReplicatedPair.with { pair in
            let connection = try connect(pair.conninfo())
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            try pair.promote()
            try pair.primary.stop()
            let lost = #expect(throws: PGError.self) {
                try connection.execute("INSERT INTO t VALUES (1)")
            }
            #expect(lost?.needsReconnect == true)
            try connection.reconnect()
            try connection.execute("INSERT INTO t VALUES (1)")
            #expect(
                try connect(pair.standby.conninfo).execute("SELECT count(*) FROM t").integer(0, 0)
                    == 1)
        }
    }

    @Test func aPrimaryThatBecameReadOnlyIsLeftForTheOther() throws {
        try ReplicatedPair.with { pair in
            let conninfo = try pair.conninfo()
            let connection = try connect(conninfo)
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            try pair.promote()
            let old = try connect(pair.primary.conninfo)
            try old.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            try old.execute("SELECT pg_reload_conf()")
            // The setting arrives a moment later.
            let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
            while try connection.execute("SHOW default_transaction_read_only").text(0, 0) != "on",
                MonotonicClock.nanoseconds() < deadline
            { usleep(1000) }
            let refused = #expect(throws: PGError.self) {
                try connection.execute("INSERT INTO t VALUES (1)")
            }
            #expect(refused?.trouble == .readOnly)
            try connection.reconnect()
            try connection.execute("INSERT INTO t VALUES (1)")
            // Whoever comes later passes by the one that takes no writes.
            #expect(try connect(conninfo).execute("SELECT count(*) FROM t").integer(0, 0) == 1)
        }
    }

    @Test func hostsThatTakeNoWritesAreRefusedByName() throws {
        try ReplicatedPair.with { pair in
            let conninfo = try pair.conninfo()
            try pair.primary.stop()
            let error = #expect(throws: PGError.self) { try connect(conninfo) }
            #expect(error?.isRetryable == true)
            #expect(error?.message.contains("session is read-only") == true)
            // One host alone may be a standby: reports can be read from it.
            #expect(
                try connect(pair.standby.conninfo).execute("SELECT pg_is_in_recovery()")
                    .boolean(0, 0) == true)
        }
    }

    @Test func twoTransactionsInEachOthersWayAreAConflict() throws {
        try TestCluster.withDatabase { conninfo in
            let (one, two) = (try connect(conninfo), try connect(conninfo))
            try one.executeScript(
                "CREATE TABLE t (a int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)",
                name: "create")
            func update(_ connection: PGConnection, _ key: Int64) throws(PGError) {
                try connection.execute("UPDATE t SET n = n + 1 WHERE a = $1", [.integer(key)])
            }
            // Each holds one row and asks for the other's; the server ends one of them.
            try one.executeScript("BEGIN", name: "BEGIN")
            try two.executeScript("BEGIN", name: "BEGIN")
            try update(one, 1)
            try update(two, 2)
            let errors = Monitor<[PGError]>([])
            // Sound: each connection is used by one thread until both are joined.
            nonisolated(unsafe) let other = one
            let thread = try WorkerThread.start(name: "one") {
                do {
                    try update(other, 2)
                    try other.executeScript("COMMIT", name: "COMMIT")
                } catch let error as PGError {
                    errors.withLock { $0.append(error) }
                } catch {
                    Issue.record(error)
                }
            }
            do {
                try update(two, 1)
                try two.executeScript("COMMIT", name: "COMMIT")
            } catch let error as PGError {
                errors.withLock { $0.append(error) }
                try two.executeScript("ROLLBACK", name: "ROLLBACK")
            }
            thread.join()
            let ended = errors.withLock { $0 }
            #expect(ended.map(\.sqlState) == ["40P01"])
            #expect(ended.first?.trouble.passesAtOnce == true)
            #expect(ended.first?.isRetryable == true)
        }
    }

    @Test func aSnapshotThatIsTooOldToWriteIsAConflict() throws {
        try TestCluster.withDatabase { conninfo in
            let (one, two) = (try connect(conninfo), try connect(conninfo))
            try one.executeScript("CREATE TABLE t (n int); INSERT INTO t VALUES (0)", name: "t")
            let error = #expect(throws: PGError.self) {
                try one.withTransaction(.snapshot) { () throws(PGError) in
                    try one.execute("SELECT n FROM t")
                    try two.execute("UPDATE t SET n = n + 1")
                    try one.execute("UPDATE t SET n = n + 1")
                }
            }
            #expect(error?.sqlState == "40001")
            #expect(error?.trouble == .conflict)
            #expect(try one.execute("SELECT n FROM t").integer(0, 0) == 1)
        }
    }

    @Test(arguments: [
        ("statement_timeout", "57014", PGTrouble.interrupted, "SELECT pg_sleep(30)", false),
        ("lock_timeout", "55P03", .lockNotFree, "SELECT * FROM t FOR UPDATE", false),
        ("idle_in_transaction_session_timeout", "25P03", .transactionTimeout, "SELECT 1", true),
    ])
    func timeLimitsOfTheRoleAreToldWithWhatToDo(
        setting: String, sqlState: String, trouble: PGTrouble, sql: String, isLost: Bool
    ) throws {
        try TestCluster.withDatabase { conninfo in
            let holder = try connect(conninfo)
            try holder.executeScript("CREATE TABLE t (n int); INSERT INTO t VALUES (0)", name: "t")
            let name = try holder.execute("SELECT current_database()").text(0, 0) ?? ""
            try holder.execute("ALTER ROLE sortie IN DATABASE \(name) SET \(setting) = '20ms'")
            let connection = try connect(conninfo)
            try holder.executeScript("BEGIN; SELECT * FROM t FOR UPDATE", name: "hold")
            let error = #expect(throws: PGError.self) {
                try connection.withTransaction { () throws(PGError) in
                    // Idle for longer than the role may be.
                    if isLost { usleep(300_000) }
                    try connection.execute(sql)
                }
            }
            #expect(error?.isConnectionLost == isLost)
            #expect(error?.trouble == trouble)
            #expect(error?.sqlState == sqlState)
            #expect(error?.description.contains(setting) == true)
        }
    }

    @Test func tooManyConnectionsAreALimitOfTheServers() throws {
        try TestCluster.withDatabase { conninfo in
            let connection = try connect(conninfo)
            let name = try connection.execute("SELECT current_database()").text(0, 0) ?? ""
            // Superusers pass the limit, so an ordinary role meets it.
            let role = "r_\(name)"
            try connection.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1")
            defer { _ = try? connection.execute("DROP ROLE \(role)") }
            let only = try connect("\(conninfo) user=\(role)")
            let error = #expect(throws: PGError.self) { try connect("\(conninfo) user=\(role)") }
            #expect(error?.isRetryable == true)
            #expect(error?.message.contains("too many connections") == true)
            #expect(only.isUsable)
        }
    }
}
