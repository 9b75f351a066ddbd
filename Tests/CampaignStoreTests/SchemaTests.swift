@testable import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct SchemaTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(3)
        .reduce("") { $0 + "/" + $1 } + "/SQL"

    private func names(in folder: String) throws -> [String] {
        let list = try ChildProcess.run(
            "/bin/ls", ["\(Self.folder)/\(folder)"],
            untilNanoseconds: MonotonicClock.nanoseconds() + 10_000_000_000)
        return list.output.split(separator: "\n").map(String.init)
            .filter { $0.hasSuffix(".sql") }.map { String($0.dropLast(4)) }.sorted()
    }

    @Test func everyFileIsEmbeddedAsItIs() throws {
        let migrations = SQLLibrary.migrations
        #expect(migrations.map(\.name).sorted() == (try names(in: "migrations")))
        #expect(migrations.map(\.version) == Array(1...migrations.count))
        #expect(SQLLibrary.statements.keys.sorted() == (try names(in: "statements")))
        for (name, sql) in SQLLibrary.statements {
            let file = try FileContents.read(
                "\(Self.folder)/statements/\(name).sql", limitBytes: 1 << 20)
            #expect(sql == String(decoding: file, as: UTF8.self))
            #expect(sql.hasPrefix("--"), "\(name) begins with what it is for")
        }
    }

    @Test func everyFixedStatementCanBePrepared() throws {
        try StoreFixture.with { fixture in
            for name in SQLLibrary.statements.keys.sorted() {
                let statement = SQLLibrary.statement(name)
                let body = SQLLibrary.body(of: statement)
                // Templates are tried by what uses them; COPY and scripts can't be prepared.
                let isFixed =
                    !body.contains("{recipient}") && !body.contains("{outcome}")
                    && !body.contains("{where}") && !body.contains("{query}")
                    && !name.hasPrefix("import_") && name != "migration_lock"
                    && name != "recipients_unrecorded"
                if isFixed { try fixture.store.connection.prepare(statement) }
            }
        }
    }

    @Test func everyColumnHasACommentThatTheDictionaryRepeats() throws {
        let file = try FileContents.read("\(Self.folder)/README.md", limitBytes: 1 << 20)
        let dictionary = String(decoding: file, as: UTF8.self)
        try StoreFixture.with { fixture in
            let columns = try fixture.store.connection.execute(
                """
                SELECT n.nspname || '.' || c.relname, a.attname,
                    format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum),
                    obj_description(c.oid)
                FROM pg_class AS c
                JOIN pg_namespace AS n ON n.oid = c.relnamespace
                JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
                WHERE n.nspname IN ('sortie', 'report') AND c.relkind IN ('r', 'p', 'v')
                    AND NOT a.attisdropped
                """)
            #expect(columns.rowCount > 100)
            for row in 0..<columns.rowCount {
                let table = columns.text(row, 0) ?? ""
                let column = columns.text(row, 1) ?? ""
                #expect(column != "delivered")
                guard let comment = columns.text(row, 3), let about = columns.text(row, 4) else {
                    Issue.record("\(table).\(column) or its table has no comment")
                    continue
                }
                let section = dictionary.split(separator: "\n### ").first {
                    $0.hasPrefix("\(table)\n")
                }
                let line = "| `\(column)` | \(columns.text(row, 2) ?? "") | \(comment) |"
                #expect(section?.contains(line) == true, "\(table): \(line)")
                #expect(section?.contains(about) == true, "\(table): \(about)")
            }
        }
    }

    @Test func everyFunctionAndRuleIsNamedAndExplained() throws {
        try StoreFixture.with { fixture in
            let unexplained = try fixture.value(
                """
                SELECT string_agg(p.proname, ' ') FROM pg_proc AS p
                WHERE p.pronamespace = 'sortie'::regnamespace AND obj_description(p.oid) IS NULL
                """)
            #expect(unexplained == nil)
            let unnamed = try fixture.value(
                """
                SELECT string_agg(conname, ' ') FROM pg_constraint
                WHERE contype = 'c' AND connamespace = 'sortie'::regnamespace
                    AND conname !~ '_check$'
                """)
            #expect(unnamed == nil)
        }
    }

    @Test func migratingTwiceOrAtOnceIsHarmless() throws {
        try TestCluster.withDatabase { conninfo in
            let store = try Store(conninfo: conninfo, purpose: "test")
            let before = #expect(throws: StoreError.self) { try store.requireCurrentSchema() }
            #expect(before.map { "\($0)".contains("sortie database migrate") } == true)
            let threads = try (1...3).map { number in
                try WorkerThread.start(name: "migrate-\(number)") {
                    do {
                        try Store(conninfo: conninfo, purpose: "test").migrate()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            threads.forEach { $0.join() }
            #expect(try store.migrate() == [])
            try store.requireCurrentSchema()
        }
    }

    @Test func aNewerOrAChangedDatabaseIsRefused() throws {
        try StoreFixture.with { fixture in
            try fixture.store.connection.execute(
                "INSERT INTO sortie.migration VALUES (99, 'V0099_later', 'x', now())")
            for call in [
                { try fixture.store.requireCurrentSchema() }, { _ = try fixture.store.migrate() },
            ] {
                let error = #expect(throws: StoreError.self) { try call() }
                #expect(error.map { "\($0)".contains("use a newer sortie") } == true)
            }
            try fixture.store.connection.executeScript(
                "DELETE FROM sortie.migration WHERE version = 99; "
                    + "UPDATE sortie.migration SET checksum = 'x' WHERE version = 1", name: "test")
            let error = #expect(throws: StoreError.self) { try fixture.store.migrate() }
            guard case .schemaMismatch(let text)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("V0001_tables was applied with another text"))
        }
    }

    @Test func aRunsRowsCanBeForgottenAndItsTotalsStay() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.add(1...3, .accepted, slice: 0)
            try fixture.store.record(batch, run: run)
            #expect(throws: PGError.self) {
                try fixture.store.connection.execute("SELECT sortie.drop_run_rows(1)")
            }
            try fixture.store.setState(run: run, to: .finished)
            try fixture.store.connection.execute("SELECT sortie.drop_run_rows(1)")
            #expect(try fixture.value("SELECT count(*) FROM sortie.outcome") == "0")
            #expect(try fixture.value("SELECT accepted FROM report.run_summary") == "3")
        }
    }

    // ankane/groupdate#248, metabase/metabase#3744: evening sends fell on the next day.
    @Test(arguments: ["UTC", "America/New_York"])
    func daysAreThoseOfTheZoneAskedFor(session: String) throws {
        try StoreFixture.with { fixture in
            let run = try fixture.open()
            for minute in [
                "2027-02-17 23:50 America/New_York", "2027-02-18 00:10 America/New_York",
            ] {
                try fixture.store.connection.execute(
                    "INSERT INTO sortie.tally_minute (run_id, minute, count, worker_id, phase, "
                        + "outcome) VALUES ($1, $2, 1, 1, 2, 1)",
                    [.integer(run.id), .text(minute)])
            }
            try fixture.store.connection.executeScript("SET timezone = '\(session)'", name: "zone")
            let days = try fixture.value(
                """
                SELECT string_agg(day || ':' || accepted, ' ' ORDER BY day) FROM (
                    SELECT (minute AT TIME ZONE 'America/New_York')::date AS day,
                        sum(accepted) AS accepted
                    FROM report.outcome_by_minute WHERE phase = 'send' GROUP BY day) AS d
                """)
            #expect(days == "2027-02-17:1 2027-02-18:1")
        }
    }

    @Test func everyReportRunsAndStreamsAsCSV() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(2)
            let run = try fixture.frozenRun()
            var batch = RecordBatch(phase: .send)
            batch.add(1...1, .accepted, slice: 0)
            try fixture.store.record(batch, run: run)
            for report in Report.allCases {
                let table = try fixture.store.table(named: report, [.integer(run.id)])
                #expect(!table.columns.isEmpty)
                #expect(!table.columns.contains("token"))
                var csv: [UInt8] = []
                try fixture.store.writeCSV(report, runID: run.id) { piece throws(StoreError) in
                    for index in 0..<piece.byteCount {
                        csv.append(piece.unsafeLoad(fromByteOffset: index, as: UInt8.self))
                    }
                }
                let lines = String(decoding: csv, as: UTF8.self).split(separator: "\n")
                #expect(lines.first == Substring(table.columns.joined(separator: ",")))
                #expect(lines.count == table.rows.count + 1)
            }
            let recipients = try fixture.store.table(named: .recipients, [.integer(run.id)])
            let outcome = try #require(recipients.columns.firstIndex(of: "outcome"))
            #expect(recipients.rows.map { $0[outcome] } == ["accepted", "unsent"])
        }
    }

    // knadh/listmonk#752, buttondown/roadmap#3614: totals that do not add up, division by zero.
    @Test func aRunWithoutRecipientsHasZerosAndNoDivision() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.open()
            #expect(
                try fixture.value(
                    "SELECT concat_ws(' ', recipients, accepted, unsent, accepted_percent IS NULL) "
                        + "FROM report.run_summary WHERE run_id = \(run.id)") == "0 0 0 t")
        }
    }
}
