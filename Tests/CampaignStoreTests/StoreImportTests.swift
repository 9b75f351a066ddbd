import APNSProtocol
@testable import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreImportTests {
    private static let token1 = String(repeating: "c0ffee01", count: 8)
    private static let token2 = String(repeating: "c0ffee02", count: 8)
    private static let defaults = DeviceDefaults(app: "com.example.shop", environment: .production)

    @discardableResult
    private func importText(
        _ store: Store, _ text: String, defaults: DeviceDefaults = defaults
    ) throws -> ImportSummary {
        try importBytes(store, Array(text.utf8), defaults: defaults)
    }

    private func importBytes(
        _ store: Store, _ bytes: [UInt8], defaults: DeviceDefaults = defaults
    ) throws -> ImportSummary {
        var pieces = [bytes].makeIterator()
        return try store.importDevices(defaults: defaults) { () throws(StoreError) in pieces.next()
        }
    }

    private func refusal(
        _ fixture: StoreFixture, _ text: String, defaults: DeviceDefaults = defaults
    )
        throws -> String
    {
        let error = #expect(throws: StoreError.self) {
            try importText(fixture.store, text, defaults: defaults)
        }
        guard case .importRefused(let text)? = error else {
            throw Unexpected(text: "\(String(describing: error))")
        }
        #expect(try fixture.value("SELECT count(*) FROM sortie.device") == "0")
        return text
    }

    @Test func everyColumnIsStored() throws {
        try StoreFixture.with { fixture in
            let summary = try importText(
                fixture.store,
                """
                Device-Token,bundle_id,env,user_id,device_key,language,timezone,os_version,model,\
                app_version,registered_at,platform,First Name,city,
                \(Self.token1),com.example.a,dev,u1,k1,en_GB,Europe/London,18.1,iPhone15,2.3,\
                2026-06-01T00:00:00Z,iOS,"O""Neil",,
                """, defaults: DeviceDefaults())
            #expect(summary.new == 1)
            #expect(
                try fixture.value(
                    """
                    SELECT concat_ws('|', token, app, environment, user_id, device_key, locale,
                        time_zone, os_version, model, app_version, registered_at, status,
                        attributes) FROM sortie.device
                    """)
                    == "\(Self.token1)|com.example.a|sandbox|u1|k1|en_GB|Europe/London|18.1|"
                    + "iPhone15|2.3|2026-06-01 00:00:00+00|active|{\"First Name\": \"O\\\"Neil\"}")
            #expect(
                try fixture.value("SELECT attributes->>'First Name' FROM sortie.device")
                    == "O\"Neil")
        }
    }

    // Budibase/budibase#7398, tresorone/tresor-import#4836: the carriage return stuck to the last
    // column.
    @Test func theSameFileWithOtherLineEndsIsNothingNew() throws {
        try StoreFixture.with { fixture in
            let crlf = try importText(fixture.store, "platform,token\r\nios,\(Self.token1)\r\n")
            #expect(crlf.new == 1)
            let lf = try importText(fixture.store, "platform,token\nios,\(Self.token1)\n")
            #expect((lf.new, lf.updated, lf.unchanged) == (0, 0, 1))
            #expect(try fixture.value("SELECT token FROM sortie.device") == Self.token1)
        }
    }

    // node-apn/node-apn#568, hhurz/tableExport.jquery.plugin#230, knadh/listmonk#1070.
    @Test(arguments: [
        "<c0ffee01 c0ffee01 c0ffee01 c0ffee01 c0ffee01 c0ffee01 c0ffee01 c0ffee01>",
        "'\(token1)", "\"=\"\"\(token1)\"\"\"", "   \(token1)   ", "\(token1)\u{A0}",
        token1.uppercased(),
    ])
    func guardsAroundATokenAreRemoved(cell: String) throws {
        try StoreFixture.with { fixture in
            let summary = try importText(fixture.store, "token ,x\n\(cell),1\n")
            #expect(summary.new == 1)
            #expect(try fixture.value("SELECT token FROM sortie.device") == Self.token1)
        }
    }

    // RobotsAndPencils/buford#13: real tokens of 160 digits were refused.
    @Test func unusualLengthsAreCounted() throws {
        try StoreFixture.with { fixture in
            let long = String(repeating: "ab", count: 80)
            let summary = try importText(
                fixture.store, "token\n\(long)\n\(Self.token1)\n\(Self.token1.dropLast(14))\n")
            #expect((summary.new, summary.unusualLength) == (3, 2))
            #expect(
                try fixture.value("SELECT max(length(token)) FROM sortie.device") == "160")
        }
    }

    // diogob/postgres-copy#16, parse-community/parse-server-push-adapter#87, rpush/rpush#634.
    @Test func badRowsAreLeftOutAndNamed() throws {
        try StoreFixture.with { fixture in
            var file = Array(
                """
                name,token,platform,registered_at
                Ann,\(Self.token1),ios,
                Bob,ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa],ios,
                Cid,dXXXX:APA91bXXXX,,
                Dan,\(Self.token2),android,
                Eve,\(Self.token1.dropLast()),,
                Fay,\(Self.token2),,01/02/2027
                Gus,\(Self.token2),,,extra
                Hal,,,

                """.utf8)
            file += Array("O".utf8) + [0x92] + Array("Neil,\(Self.token2),,\n".utf8)
            let summary = try importBytes(fixture.store, file)
            #expect((summary.rowsRead, summary.new, summary.rejected) == (9, 1, 8))
            #expect(
                summary.examples.map(\.description) == [
                    "line 3, column \"token\": not an APNs token but one of Expo",
                    "line 4, column \"token\": not an APNs token but one of Firebase Cloud "
                        + "Messaging",
                    "line 5, column \"platform\": the platform is not one of Apple's",
                    "line 6, column \"token\": the token has an odd number of digits (63); part of "
                        + "it is missing",
                    "line 7, column \"registered_at\": the time is ambiguous; write "
                        + "2027-01-31T18:00:00Z, or seconds or milliseconds since 1970",
                    "line 8: the row has more cells than the header",
                    "line 9, column \"token\": the token is empty",
                    "line 10, column \"name\": the cell is not valid UTF-8",
                ])
            #expect(summary.rejectedByCause["the token is empty"] == 1)
        }
    }

    @Test func atMostTwentyExamplesAreKept() throws {
        try StoreFixture.with { fixture in
            let file = "token\n" + String(repeating: "zz\n", count: 25)
            let summary = try importText(fixture.store, file)
            #expect((summary.rejected, summary.examples.count) == (25, 20))
        }
    }

    // herrerad85/tallybook#185, knadh/listmonk#46: the message must show which columns were read.
    @Test(arguments: [
        ("", "the file is empty"), ("\u{FEFF}", "the file is empty"),
        ("token\n", "the file has a header and no rows"),
        ("tok\u{200B}en ,os\nx,y\n", "columns found: \"tok\\u{200b}en\", \"os\""),
        ("tok,os\nx,y\n", "Accepted names: token, device_token"),
        ("token,Token\nx,y\n", "\"Token\" is there twice"),
        ("token\n\(token1)\n\0", "NUL byte on line 3"),
    ])
    func hopelessFilesAreRefusedAsAWhole(text: String, message: String) throws {
        try StoreFixture.with { fixture in
            let refusal = try refusal(fixture, text)
            #expect(refusal.contains(message), "\(refusal)")
        }
    }

    @Test func appAndEnvironmentMustComeFromSomewhere() throws {
        try StoreFixture.with { fixture in
            let text = try refusal(fixture, "token\nx\n", defaults: DeviceDefaults())
            #expect(text.contains("--app"))
            let other = try refusal(
                fixture, "token,app\nx,y\n", defaults: DeviceDefaults())
            #expect(other.contains("--environment"))
        }
    }

    @Test func theLaterRegistrationCountsAndOthersStay() throws {
        try StoreFixture.with { fixture in
            let file = """
                token,registered_at,user_id,city
                \(Self.token1),2026-01-02,u1,Paris
                \(Self.token1),2026-01-03,u2,
                \(Self.token1),2026-01-01,u3,
                """
            let summary = try importText(fixture.store, file)
            #expect((summary.new, summary.duplicates) == (1, 2))
            #expect(try fixture.value("SELECT user_id FROM sortie.device") == "u2")
            let second = try importText(
                fixture.store, "token,registered_at,city\n\(Self.token1),2025-01-01,Rome\n")
            #expect((second.new, second.updated) == (0, 1))
            #expect(
                try fixture.value(
                    "SELECT concat_ws(' ', user_id, registered_at::date, attributes->>'city') "
                        + "FROM sortie.device") == "u2 2026-01-03 Rome")
        }
    }

    @Test func onlyANewerRegistrationRevivesADeadDevice() throws {
        try StoreFixture.with { fixture in
            try importText(fixture.store, "token\n\(Self.token1)\n\(Self.token2)\n")
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET status = 'unregistered', "
                    + "status_cause_at = '2026-06-01 12:00Z'")
            let file = """
                token,registered_at
                \(Self.token1),2026-06-01T12:00:00Z
                \(Self.token2),2026-06-01T12:00:01Z
                """
            let summary = try importText(fixture.store, file)
            #expect(summary.revived == 1)
            #expect(
                try fixture.value(
                    "SELECT string_agg(status, ' ' ORDER BY token) FROM sortie.device")
                    == "unregistered active")
            #expect(try fixture.value("SELECT reason FROM sortie.device_event") == "imported")
        }
    }

    @Test func aRegistrationInTheFutureIsTakenAsNow() throws {
        try StoreFixture.with { fixture in
            try importText(fixture.store, "token,registered_at\n\(Self.token1),2999-01-01\n")
            #expect(
                try fixture.value("SELECT registered_at <= now() FROM sortie.device") == "t")
        }
    }

    // concourse/concourse#5915, BerriAI/litellm#27989: batches in different order killed each
    // other.
    @Test func reversedImportsAndAPruningAtOnceAllSucceed() throws {
        try StoreFixture.with { fixture in
            let count = 3000
            try fixture.addDevices(count)
            let run = try fixture.frozenRun(probe: .all)
            var batch = RecordBatch(phase: .probe)
            batch.add(
                1...Int32(count), .rejected, slice: 0, status: 410,
                sentAt: WallClock.microseconds())
            // One slice of 100 per 100; the source only moves the slices' counters.
            for index in batch.outcomes.indices {
                batch.outcomes[index].source = Int32(index / 100)
            }
            try fixture.store.record(batch, run: run)
            let conninfo = fixture.conninfo
            let orders: [[Int]] = [Array(1...count + 500), Array((1...count + 500).reversed())]
            var threads = try orders.map { order in
                try WorkerThread.start(name: "import") {
                    do {
                        let store = try Store(conninfo: conninfo, purpose: "import")
                        let rows = order.map { "\(StoreFixture.token($0)),user \($0)\n" }
                        let file = "token,name\n" + rows.joined()
                        for _ in 0..<3 { try importText(store, file) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            threads.append(
                try WorkerThread.start(name: "prune") {
                    do {
                        let store = try Store(conninfo: conninfo, purpose: "prune")
                        let summary = try store.applyTokenStatus(
                            run: run, phase: .probe, marksInvalid: true)
                        #expect(summary.unregistered == count)
                    } catch {
                        Issue.record(error)
                    }
                })
            threads.forEach { $0.join() }
            #expect(
                try fixture.value("SELECT count(*) FROM sortie.device") == "\(count + 500)")
            #expect(
                try fixture.value(
                    "SELECT count(*) FROM sortie.device WHERE attributes ? 'name'")
                    == "\(count + 500)")
        }
    }
}
