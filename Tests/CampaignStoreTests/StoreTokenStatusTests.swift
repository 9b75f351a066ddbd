import APNSProtocol
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreTokenStatusTests {
    private static func code(_ wire: String) -> ReasonCode {
        ReasonTable.rows.first { $0.wire == wire }?.code ?? .none
    }

    /// A run over devices registered at 1,000 s, whose answers are recorded as given.
    private func run(
        _ fixture: StoreFixture, _ answers: [(status: UInt16, reason: String, timestamp: Int64)]
    ) throws -> Run {
        try fixture.addDevices(answers.count)
        try fixture.store.connection.execute(
            "UPDATE sortie.device SET registered_at = to_timestamp(1000)")
        let run = try fixture.frozenRun(probe: .all)
        var batch = RecordBatch(phase: .probe)
        for (index, answer) in answers.enumerated() {
            batch.outcomes.append(
                OutcomeRecord(
                    ordinal: Int32(index + 1), kind: answer.status == 200 ? .accepted : .rejected,
                    status: answer.status, reason: Self.code(answer.reason),
                    sentAtMicroseconds: 2_000_000_000, apnsTimestampMilliseconds: answer.timestamp,
                    source: 0))
        }
        try fixture.store.record(batch, run: run)
        return run
    }

    private func statuses(_ fixture: StoreFixture) throws -> String? {
        try fixture.value("SELECT string_agg(status, ' ' ORDER BY id) FROM sortie.device")
    }

    /// block/buzz#6269, jaylfc/taOS#2801: marking on every BadDeviceToken empties a table after one
    /// wrong setting; without evidence only a 410 counts.
    @Test func withoutEvidenceOnlyA410ChangesADevice() throws {
        try StoreFixture.with { fixture in
            let run = try run(
                fixture,
                [
                    (410, "Unregistered", 1_000_001), (400, "BadDeviceToken", 0),
                    (400, "DeviceTokenNotForTopic", 0),
                ])
            let summary = try fixture.store.applyTokenStatus(
                run: run, phase: .probe, marksInvalid: false)
            #expect(
                summary == PruneSummary(unregistered: 1, invalid: 0, wrongTopic: 0, kept: 0))
            #expect(try statuses(fixture) == "unregistered active active")
        }
    }

    @Test func onlyAnswersAboutTheTokenChangeADevice() throws {
        try StoreFixture.with { fixture in
            let run = try run(
                fixture,
                [
                    (200, "", 0),
                    // Later than the registration by a millisecond, equal, older.
                    (410, "Unregistered", 1_000_001), (410, "Unregistered", 1_000_000),
                    (410, "Unregistered", 999_000),
                    // No timestamp: the time of sending counts.
                    (410, "Unregistered", 0), (410, "ExpiredToken", 0),
                    (400, "BadDeviceToken", 0), (400, "DeviceTokenNotForTopic", 0),
                    (400, "BadCollapseId", 0), (403, "InvalidProviderToken", 0),
                    (429, "TooManyRequests", 0), (500, "InternalServerError", 0),
                ])
            let summary = try fixture.store.applyTokenStatus(
                run: run, phase: .probe, marksInvalid: true)
            #expect(
                summary == PruneSummary(unregistered: 3, invalid: 1, wrongTopic: 1, kept: 2))
            #expect(
                try statuses(fixture)
                    == "active unregistered active active unregistered unregistered invalid "
                    + "invalid active active active active")
            #expect(
                try fixture.value("SELECT count(*) FROM sortie.device_event WHERE run_id = 1")
                    == "5")
            #expect(
                try fixture.value(
                    "SELECT extract(epoch FROM status_cause_at)::numeric(9,3) "
                        + "FROM sortie.device WHERE id = 2") == "1000.001")
            let again = try fixture.store.applyTokenStatus(
                run: run, phase: .probe, marksInvalid: true)
            #expect(again.changed == 0)
            #expect(
                try fixture.store.applyTokenStatus(
                    run: run, phase: .send, marksInvalid: true
                ).kept == 0)
        }
    }

    /// What an earlier worker was told may have come of a wrong setting that is mended by now; the
    /// good answers since then say nothing about it.
    @Test func evidenceCoversOnlyTheWorkersOwnAnswers() throws {
        try StoreFixture.with { fixture in
            let first = try run(
                fixture, [(400, "BadDeviceToken", 0), (410, "Unregistered", 1_500_000)])
            try fixture.store.leave(run: first)
            let second = try fixture.open()
            let summary = try fixture.store.applyTokenStatus(
                run: second, phase: .probe, marksInvalid: true)
            #expect(
                summary == PruneSummary(unregistered: 1, invalid: 0, wrongTopic: 0, kept: 0))
            #expect(try statuses(fixture) == "active unregistered")
        }
    }

    @Test func aRegistrationInBetweenWins() throws {
        try StoreFixture.with { fixture in
            let run = try run(
                fixture,
                [(410, "Unregistered", 1_500_000), (400, "BadDeviceToken", 0), (410, "", 0)])
            for number in [1, 2] {
                try fixture.store.connection.execute(
                    "SELECT sortie.register_device($1, 'production', $2)",
                    [.text(StoreFixture.app), .text(StoreFixture.token(number))])
            }
            let summary = try fixture.store.applyTokenStatus(
                run: run, phase: .probe, marksInvalid: true)
            #expect(summary.changed == 1)
            #expect(try statuses(fixture) == "active active unregistered")
        }
    }

    @Test func undoRestoresWhatIsStillAsTheRunLeftIt() throws {
        try StoreFixture.with { fixture in
            let run = try run(fixture, Array(repeating: (410, "Unregistered", 1_500_000), count: 3))
            #expect(
                try fixture.store.applyTokenStatus(
                    run: run, phase: .probe, marksInvalid: true
                ).unregistered == 3)
            #expect(
                try fixture.value("SELECT pruned FROM report.run_summary") == "3")
            // 1 was registered again, 2 was switched off by hand.
            try fixture.store.connection.execute(
                "SELECT sortie.register_device($1, 'production', $2)",
                [.text(StoreFixture.app), .text(StoreFixture.token(1))])
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET status = 'inactive' WHERE id = 2")
            #expect(try fixture.store.undoTokenStatus(run: run) == 1)
            #expect(try statuses(fixture) == "active inactive active")
            #expect(try fixture.store.undoTokenStatus(run: run) == 0)
            #expect(
                try fixture.value(
                    "SELECT status_reason IS NULL AND status_cause_at IS NULL FROM sortie.device "
                        + "WHERE id = 3") == "t")
            #expect(
                try fixture.value("SELECT count(*) FROM report.pruned_device WHERE undone") == "1")
            #expect(try fixture.value("SELECT pruned FROM report.run_summary") == "2")
            // Going on after the brake was released changes it again.
            #expect(
                try fixture.store.applyTokenStatus(
                    run: run, phase: .probe, marksInvalid: true
                ).unregistered == 1)
        }
    }

    /// The workers are still there when somebody decides otherwise: what the run did to devices is
    /// taken back all the same.
    @Test(arguments: [
        ("resume", "active active", "preflight", ""), ("cancel", "active active", "", "cancel"),
        ("pause", "unregistered unregistered", "", "brake"),
    ])
    func aBrakeThatIsOverruledIsNotForgotten(
        by person: String, statuses expected: String, state: String, wish: String
    ) throws {
        try StoreFixture.with { fixture in
            let store = fixture.store
            let run = try run(fixture, Array(repeating: (410, "Unregistered", 1_500_000), count: 2))
            _ = try store.applyTokenStatus(run: run, phase: .probe, marksInvalid: true)
            let brake = RunWish(kind: .brake, by: "brake gone", text: "brake gone: 100 %")
            #expect(try store.ask(runID: run.id, brake) == nil)
            switch person {
            case "resume": _ = try store.resume(runID: run.id, by: "ann")
            case "cancel":
                _ = try store.ask(runID: run.id, RunWish(kind: .cancel, by: "ann", text: "no"))
            default:
                _ = try store.ask(runID: run.id, RunWish(kind: .pause, by: "ann", text: "wait"))
            }
            #expect(try statuses(fixture) == expected)
            #expect(try fixture.value("SELECT coalesce(wish, '') FROM sortie.run") == wish)
            if !wish.isEmpty {
                // A lead that has not heard of it yet changes nothing any more.
                let late = try store.applyTokenStatus(run: run, phase: .probe, marksInvalid: true)
                #expect(late.changed == 0)
                #expect(try statuses(fixture) == expected)
            }
            if !state.isEmpty {
                #expect(try fixture.value("SELECT state FROM sortie.run") == state)
            }
            // Asking for the same again is no event of its own.
            let events = "SELECT count(*) FROM sortie.run_event WHERE kind = 'wish'"
            let before = try fixture.value(events)
            if wish == "brake" {
                #expect(try store.ask(runID: run.id, brake) == nil)
                #expect(try fixture.value(events) == before)
                // The last worker out does what the brake wants.
                _ = try store.leave(run: run, reason: "test")
                #expect(try statuses(fixture) == "active active")
                #expect(try fixture.value("SELECT pause_cause FROM sortie.run") == "brake")
            }
        }
    }

    @Test func registeringCreatesUpdatesAndRevives() throws {
        try StoreFixture.with { fixture in
            let register = { (rest: String) in
                try fixture.value(
                    "SELECT sortie.register_device('com.example.shop', 'production', \(rest))")
            }
            let token = StoreFixture.token(77)
            #expect(try register("'<\(token.uppercased())>', user_id => 'u1'") == "1")
            #expect(
                try register("'\(token)', locale => 'hu', attributes => '{\"a\": 1}'") == "1")
            #expect(
                try fixture.value(
                    "SELECT concat_ws(' ', token, user_id, locale, attributes) FROM sortie.device")
                    == "\(token) u1 hu {\"a\": 1}")
            try fixture.store.connection.execute(
                "UPDATE sortie.device SET status = 'unregistered', status_cause_at = now() "
                    + "+ interval '1 hour'")
            // Older than the cause: the token stays dead.
            _ = try register("'\(token)'")
            #expect(try statuses(fixture) == "unregistered")
            _ = try register("'\(token)', registered_at => now() + interval '2 hours'")
            #expect(try statuses(fixture) == "active")
            #expect(
                try fixture.value(
                    "SELECT concat_ws(' ', status_before, status_after, reason) "
                        + "FROM sortie.device_event") == "unregistered active registered")
        }
    }

    @Test func aNewTokenOfADeviceReplacesTheOld() throws {
        try StoreFixture.with { fixture in
            for number in [1, 2] {
                try fixture.store.connection.execute(
                    "SELECT sortie.replace_device($1, 'production', 'phone-1', $2)",
                    [.text(StoreFixture.app), .text(StoreFixture.token(number))])
            }
            #expect(try statuses(fixture) == "replaced active")
        }
    }

    // manaflow-ai/cmux#5215, zulip/zulip#39091: rows stored before the rules existed.
    @Test(arguments: [
        (String(repeating: "AB", count: 32), "device_token_check"),
        ("xyz", "device_token_check"),
        (String(repeating: "ab", count: 15), "device_token_length_check"),
        (String(repeating: "a", count: 63), "device_token_length_check"),
        (String(repeating: "ab", count: 257), "device_token_length_check"),
    ])
    func theTableRefusesTokensInAnotherForm(token: String, constraint: String) throws {
        try StoreFixture.with { fixture in
            let error = #expect(throws: PGError.self) {
                try fixture.store.connection.execute(
                    "INSERT INTO sortie.device (app, environment, token) "
                        + "VALUES ('a', 'sandbox', $1)",
                    [.text(token)])
            }
            #expect(error?.constraint == constraint)
            #expect(error.map { !"\($0)".contains(token) } == true)
        }
    }
}
