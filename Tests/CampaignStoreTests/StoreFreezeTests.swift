import CampaignModel
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreFreezeTests {
    private func freeze(
        _ fixture: StoreFixture, _ change: (inout FreezePlan) -> Void
    ) throws -> FrozenAudience {
        let run = try fixture.open()
        try fixture.store.setState(run: run, to: .freezing)
        var plan = FreezePlan()
        change(&plan)
        return try fixture.store.freeze(run: run, plan: plan)
    }

    @Test func onlyActiveDevicesOfTheAppAndEnvironmentAreTaken() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(6)
            try fixture.store.connection.executeScript(
                """
                UPDATE sortie.device SET app = 'com.example.other' WHERE id = 1;
                UPDATE sortie.device SET environment = 'sandbox' WHERE id = 2;
                UPDATE sortie.device SET status = 'unregistered', status_cause_at = now()
                    WHERE id = 3;
                UPDATE sortie.device SET status = 'inactive' WHERE id = 4;
                """, name: "test")
            let audience = try freeze(fixture) { _ in }
            #expect(audience == FrozenAudience(recipients: 2, probeRecipients: 0))
            #expect(
                try fixture.value(
                    "SELECT string_agg(ordinal || ':' || device_id, ' ' ORDER BY ordinal) "
                        + "FROM sortie.recipient") == "1:5 2:6")
        }
    }

    @Test(
        arguments: [
            (nil, 0), ("en", 0), ("fr", 1), ("fr-CA", 1), ("fr_CA", 1), ("FR-ca", 1), ("fra", 0),
            ("zh-Hant-TW", 3), ("zh-Hans", 2), ("zh", 2), ("pt-BR", 4), ("pt", 0), ("", 0),
        ] as [(String?, Int)])
    func theTranslationFallsBackPartByPart(locale: String?, translation: Int) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(1, locale: locale)
            _ = try freeze(fixture) { $0.translations = [nil, "fr", "zh", "zh-hant", "pt-br"] }
            #expect(
                try fixture.value("SELECT translation FROM sortie.recipient") == "\(translation)")
        }
    }

    @Test func localesMatchByPrefixOfWholeParts() throws {
        try StoreFixture.with { fixture in
            let locales = ["en", "en-GB", "en_US", "eng", "hu", nil]
            for (index, locale) in locales.enumerated() {
                try fixture.addDevices(1, locale: locale, from: index + 1)
            }
            #expect(try freeze(fixture) { $0.locales = ["en"] }.recipients == 3)
        }
    }

    @Test func registrationAgeLimitsTheAudienceAndChoosesProbes() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(4)
            try fixture.store.connection.executeScript(
                """
                UPDATE sortie.device SET registered_at = now() - interval '10 days' WHERE id = 1;
                UPDATE sortie.device SET registered_at = now() - interval '99 days' WHERE id = 2;
                UPDATE sortie.device SET registered_at = NULL WHERE id = 3;
                """, name: "test")
            let audience = try freeze(fixture) {
                $0.registeredWithinSeconds = 30 * 86_400
                $0.probe = .stale(afterSeconds: 5 * 86_400)
            }
            #expect(audience == FrozenAudience(recipients: 2, probeRecipients: 1))
        }
    }

    @Test func neverRegisteredDevicesAreStale() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(1)
            try fixture.store.connection.execute("UPDATE sortie.device SET registered_at = NULL")
            let audience = try freeze(fixture) { $0.probe = .stale(afterSeconds: 60) }
            #expect(audience.probeRecipients == 1)
        }
    }

    @Test(arguments: [
        ("user_id = 'user-3'", 1), ("d.user_id = 'user-3' -- why", 1),
        ("true) OR (true", 5), ("attributes->>'first_name' LIKE 'Ann%'", 5),
        ("id IN (SELECT id FROM sortie.device WHERE id < 3)", 2), ("false", 0),
    ])
    func conditionsNameTheColumnsOfADevice(condition: String, count: Int) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(5)
            #expect(try freeze(fixture) { $0.whereSQL = condition }.recipients == count)
        }
    }

    @Test(arguments: [
        ("nonsense = 1", "column \"nonsense\" does not exist"),
        ("user_id =", "syntax error"), ("1", "must be type boolean"),
        ("true; DROP TABLE sortie.device", "syntax error"),
        ("true); DROP TABLE sortie.device; --", "syntax error"),
        ("(attributes->>'first_name')::integer > 3", "invalid input syntax for type integer"),
        ("nextval('sortie.device_id_seq') > 0", "read-only transaction"),
        ("pg_sleep(10) IS NULL", "statement timeout"),
    ])
    func aWrongConditionIsTheUsersMistakeAndChangesNothing(
        condition: String, message: String
    ) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(2)
            let error = #expect(throws: StoreError.self) {
                try freeze(fixture) {
                    $0.whereSQL = condition
                    $0.whereTimeoutMilliseconds = 500
                }
            }
            guard case .audienceRefused(let text)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains(message), "\(text)")
            #expect(try fixture.value("SELECT count(*) FROM sortie.recipient") == "0")
            #expect(try fixture.value("SELECT count(*) FROM sortie.device") == "2")
            #expect(try fixture.store.findRun(id: 1)?.isFrozen == false)
        }
    }

    @Test func slicesCoverEachPhaseExactly() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(250)
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET registered_at = NULL WHERE id <= 3 OR id > 240")
            _ = try freeze(fixture) {
                $0.sliceSize = 100
                $0.probe = .stale(afterSeconds: 10 * 86_400)
            }
            let slices = try fixture.store.connection.execute(
                """
                SELECT string_agg(format('%s/%s %s-%s %s', phase, number, first_ordinal,
                    last_ordinal, size), ', ' ORDER BY phase, number) FROM sortie.slice
                """)
            #expect(
                slices.text(0, 0)
                    == "1/0 1-100 3, 1/2 201-250 10, 2/0 1-100 100, 2/1 101-200 100, 2/2 201-250 50"
            )
        }
    }

    /// Where all or none are probed the slices are computed, not counted.
    @Test(arguments: [
        (0, FreezePlan.Probe.none, ""),
        (99, .none, "2/0 1-99 99"),
        (100, .none, "2/0 1-100 100"),
        (101, .all, "1/0 1-100 100, 1/1 101-101 1, 2/0 1-100 100, 2/1 101-101 1"),
    ])
    func slicesOfAllOrNoneAreEven(devices: Int, probe: FreezePlan.Probe, slices: String) throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(devices)
            let audience = try freeze(fixture) {
                $0.sliceSize = 100
                $0.probe = probe
            }
            #expect(audience.recipients == devices)
            #expect(audience.probeRecipients == (probe == .all ? devices : 0))
            let found = try fixture.store.connection.execute(
                """
                SELECT coalesce(string_agg(format('%s/%s %s-%s %s', phase, number, first_ordinal,
                    last_ordinal, size), ', ' ORDER BY phase, number), '') FROM sortie.slice
                """)
            #expect(found.text(0, 0) == slices)
        }
    }

    @Test func freezingAgainChangesNothing() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            // knadh/listmonk and parse-community/parse-server#4315: the count taken at the start
            // never matched later.
            try fixture.addDevices(5, from: 10)
            let again = try fixture.store.freeze(run: run, plan: FreezePlan())
            #expect(again.recipients == 3)
        }
    }

    @Test func aProbeOnlyRunTakesTheDevicesToBeProbed() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(5)
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET registered_at = NULL WHERE id <= 2")
            let run = try fixture.frozenRun(
                probe: .stale(afterSeconds: 10 * 86_400),
                new: StoreFixture.newRun(isProbeOnly: true))
            #expect(try fixture.store.progress(run: run, phase: .probe).total == 2)
            #expect(try fixture.store.leaseNextSlice(run: run, phase: .send) == nil)
            #expect(throws: StoreError.self) {
                try fixture.store.setState(run: run, to: .finished)
            }
            var batch = RecordBatch(phase: .probe)
            batch.add(1...2, .accepted, slice: 0)
            try fixture.store.record(batch, run: run)
            try fixture.store.setState(run: run, to: .finished)
            let summary = try fixture.store.table(named: .runSummary, [.integer(run.id)])
            let accepted = try #require(summary.columns.firstIndex(of: "accepted"))
            #expect(summary.rows[0][accepted] == "2")
        }
    }
}
