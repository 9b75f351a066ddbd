import APNSProtocol
@testable import CampaignStore
import Glibc
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

/// A database in trouble, and what the store makes of it.
@Suite(.enabled(if: TestCluster.isExpected))
struct StoreTroubleTests {
    private func importRows(
        _ store: Store, _ numbers: [Int], name: String
    ) throws -> ImportSummary {
        var pieces = [Array("token,name\n".utf8)]
        for start in stride(from: 0, to: numbers.count, by: 1000) {
            let rows = numbers[start..<min(start + 1000, numbers.count)]
            let text = rows.map { "\(StoreFixture.token($0)),\(name)\n" }.joined()
            pieces.append(Array(text.utf8))
        }
        pieces.reverse()
        return try store.importDevices(
            defaults: DeviceDefaults(app: StoreFixture.app, environment: .production)
        ) { pieces.popLast() }
    }

    @Test func aBatchIsRecordedOnceThroughRestartsOfTheServer() throws {
        try withPrivateCluster { cluster in
            let store = try Store(conninfo: cluster.conninfo, purpose: "test")
            try store.migrate()
            let fixture = StoreFixture(conninfo: cluster.conninfo, store: store)
            try fixture.addDevices(300)
            let run = try fixture.frozenRun(sliceSize: 100)
            for number in 0..<3 as Range<Int32> {
                var batch = RecordBatch(phase: .send)
                batch.add(number * 100 + 1...number * 100 + 100, .accepted, slice: number)
                try cluster.stop()
                let error = #expect(throws: StoreError.self) {
                    try store.record(batch, run: run)
                }
                #expect(error?.isRetryable == true)
                #expect(error?.isConnectionLost == true)
                try cluster.start()
                try store.reconnect()
                #expect(try store.record(batch, run: run) == .recorded)
                #expect(try store.record(batch, run: run) == .alreadyRecorded)
            }
            try fixture.expectSum(run)
            #expect(try store.progress(run: run, phase: .send).accepted == 300)
        }
    }

    @Test func aReadOnlyServerAsksForAnotherConnection() throws {
        try StoreFixture.with { fixture in
            let name = try fixture.value("SELECT current_database()") ?? ""
            try fixture.store.connection.execute(
                "ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let store = try Store(conninfo: fixture.conninfo, purpose: "test")
            try store.requireCurrentSchema()
            let error = #expect(throws: StoreError.self) {
                try store.openRun(
                    StoreFixture.newRun(), worker: StoreFixture.worker(),
                    isAlive: { _, _ in false })
            }
            #expect(error?.isRetryable == true)
            #expect(error?.isConnectionLost == true)
            #expect(error?.description.contains("connect to the primary") == true)
        }
    }

    @Test func aConditionThatWritesIsStillTheAudiencesMistake() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(1)
            let run = try fixture.open()
            try fixture.store.setState(run: run, to: .freezing)
            var plan = FreezePlan()
            plan.whereSQL = "sortie.drop_run_rows(99) IS NULL"
            let error = #expect(throws: StoreError.self) {
                try fixture.store.freeze(run: run, plan: plan)
            }
            guard case .audienceRefused = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aTimeLimitOfTheRoleIsToldWithTheStatementAndWhatToDo() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(100)
            let run = try fixture.frozenRun(sliceSize: 100)
            let name = try fixture.value("SELECT current_database()") ?? ""
            try fixture.store.connection.execute(
                "ALTER ROLE sortie IN DATABASE \(name) SET statement_timeout = '50ms'")
            let store = try Store(conninfo: fixture.conninfo, purpose: "test")
            var batch = RecordBatch(phase: .send)
            batch.add(1...100, .accepted, slice: 0)
            // Somebody holds the worker's row for longer than a statement may take.
            let holder = fixture.store.connection
            try holder.executeScript("BEGIN; SELECT * FROM sortie.worker FOR UPDATE", name: "hold")
            let error = #expect(throws: StoreError.self) { try store.record(batch, run: run) }
            try holder.executeScript("ROLLBACK", name: "release")
            #expect(error?.isRetryable == true)
            #expect(error?.isConnectionLost == false)
            #expect(error?.description.contains("record_batch") == true)
            #expect(error?.description.contains("statement_timeout") == true)
            #expect(try store.record(batch, run: run) == .recorded)
            try fixture.expectSum(run)
        }
    }

    @Test func conflictsAreTriedAgainAndTheirEndIsTheFifth() throws {
        try StoreFixture.with { fixture in
            var tries = 0
            let store = fixture.store
            let result = try store.retryingTransaction { () throws(StoreError) in
                tries += 1
                if tries < 5 { try raise(store, "40P01") }
                return tries
            }
            #expect(result == 5)
            for (sqlState, expected) in [("40001", 5), ("55P03", 1), ("53100", 1), ("57014", 1)] {
                tries = 0
                #expect(throws: StoreError.self) {
                    try store.retryingTransaction { () throws(StoreError) in
                        tries += 1
                        try raise(store, sqlState)
                    }
                }
                #expect(tries == expected, "\(sqlState)")
            }
        }
    }

    private func raise(_ store: Store, _ sqlState: String) throws(StoreError) {
        try Store.mapping { () throws(PGError) in
            _ = try store.connection.executeScript(
                "DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '\(sqlState)'; END $$",
                name: "raise")
        }
    }

    /// concourse/concourse#5915, BerriAI/litellm#27989, nicolastakashi/prom-analytics-proxy#598:
    /// batches that touch the same rows in different order ended each other.
    @Test func hugeImportsInOppositeOrdersBothSucceed() throws {
        try StoreFixture.with { fixture in
            let count = 100_000
            let conninfo = fixture.conninfo
            let threads = try [false, true].map { isReversed in
                try WorkerThread.start(name: "import") {
                    do {
                        let store = try Store(conninfo: conninfo, purpose: "import")
                        let numbers = Array(1...count)
                        let summary = try importRows(
                            store, isReversed ? numbers.reversed() : numbers,
                            name: isReversed ? "last first" : "first first")
                        #expect(summary.rowsRead == count)
                        #expect(summary.new + summary.updated == count)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            threads.forEach { $0.join() }
            #expect(try fixture.value("SELECT count(*) FROM sortie.device") == "\(count)")
            // One of them was the second, for every row.
            #expect(
                try fixture.value(
                    "SELECT count(DISTINCT attributes->>'name') FROM sortie.device") == "1")
        }
    }

    /// App backends call the functions in transactions of their own, in any order of tokens.
    @Test func anImportAndRegistrationsInTheOppositeOrderBothSucceed() throws {
        try StoreFixture.with { fixture in
            let count = 2000
            try fixture.addDevices(count)
            let conninfo = fixture.conninfo
            let isDone = Monitor<Bool>(false)
            let app = try WorkerThread.start(name: "app") {
                do {
                    let connection = try PGConnection(conninfo: conninfo, applicationName: "app")
                    while !isDone.withLock({ $0 }) { try register(connection, count) }
                } catch {
                    Issue.record(error)
                }
            }
            // Whatever happens, the app's thread must end before its database is dropped.
            defer {
                isDone.withLock { $0 = true }
                app.join()
            }
            for round in 0..<4 {
                let summary = try importRows(
                    fixture.store, Array(1...count), name: "round \(round)")
                #expect(summary.new == 0)
            }
            #expect(try fixture.value("SELECT count(*) FROM sortie.device") == "\(count)")
        }
    }

    /// Registers devices from the last to the first in one transaction; one that was in the
    /// import's way is simply made again, as an app would.
    private func register(_ connection: PGConnection, _ count: Int) throws {
        do {
            try connection.withTransaction { () throws(PGError) in
                for number in stride(from: count, to: 0, by: -200) {
                    try connection.execute(
                        "SELECT sortie.register_device($1, 'production', $2)",
                        [.text(StoreFixture.app), .text(StoreFixture.token(number))])
                }
            }
        } catch {
            guard error.trouble == .conflict else { throw error }
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aFullDiskIsWaitedOutAndNothingIsLost() throws {
        try withPrivateCluster { cluster in
            let store = try Store(conninfo: cluster.conninfo, purpose: "test")
            try store.migrate()
            let fixture = StoreFixture(conninfo: cluster.conninfo, store: store)
            try fixture.addDevices(1000)
            let run = try fixture.frozenRun(sliceSize: 1000)
            try SmallDisk.with(cluster.folder, megabytes: 1) { disk in
                try store.connection.execute("CREATE TABLESPACE small LOCATION '\(disk.path)'")
                try store.connection.executeScript(
                    """
                    ALTER TABLE sortie.outcome_\(run.id) SET TABLESPACE small;
                    CREATE TABLE filler (t text) TABLESPACE small
                    """, name: "move")
                // Random texts, which do not compress, until there is no room left.
                let full = #expect(throws: PGError.self) {
                    for _ in 0..<10_000 {
                        try store.connection.execute(
                            "INSERT INTO filler SELECT md5(random()::text) "
                                + "FROM generate_series(1, 200)")
                    }
                }
                #expect(full?.trouble == .diskFull)
                var batch = RecordBatch(phase: .send)
                batch.add(1...1000, .accepted, slice: 0)
                let error = #expect(throws: StoreError.self) {
                    try store.record(batch, run: run)
                }
                #expect(error?.isRetryable == true)
                #expect(error?.isConnectionLost == false)
                #expect(error?.description.contains("disk is full; make room there") == true)
                try fixture.expectSum(run)
                try disk.grow(megabytes: 64)
                #expect(try store.record(batch, run: run) == .recorded)
                try fixture.expectSum(run)
                try cluster.stop()
            }
        }
    }
}

/// A file system of a few megabytes in memory.
private struct SmallDisk {
    static var isPossible: Bool {
        guard geteuid() == 0 else { return false }
        do {
            try withTemporaryDirectory { directory in
                try mount(directory, "size=1m")
                try run("/bin/umount", [directory])
            }
            return true
        } catch {
            return false
        }
    }

    let path: String

    /// Mounts it in a folder, for the owner of the folder.
    static func with(
        _ folder: String, megabytes: Int, _ body: (SmallDisk) throws -> Void
    ) throws {
        let disk = SmallDisk(path: "\(folder)/small")
        var owner = stat()
        try #require(stat(folder, &owner) == 0)
        try FileContents.makeDirectory(disk.path, mode: 0o700)
        try mount(disk.path, "size=\(megabytes)m,uid=\(owner.st_uid),gid=\(owner.st_gid)")
        defer {
            do {
                // Not waited for: the server may still have a file open there.
                try run("/bin/umount", ["-l", disk.path])
            } catch {
                print("could not unmount \(disk.path): \(error)")
            }
        }
        try body(disk)
    }

    func grow(megabytes: Int) throws {
        try Self.mount(path, "remount,size=\(megabytes)m")
    }

    private static func mount(_ path: String, _ options: String) throws {
        try run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let result = try ChildProcess.run(
            program, arguments, untilNanoseconds: MonotonicClock.nanoseconds() + 30_000_000_000)
        guard result.isSuccess else { throw Unexpected(text: result.output) }
    }
}
