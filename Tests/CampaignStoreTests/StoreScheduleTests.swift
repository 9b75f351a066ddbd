import CampaignModel
@testable import CampaignStore
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected)) struct StoreScheduleTests {
    private func schedule(
        _ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0, year: Int = 2027,
        zone: Schedule.Zone
    ) throws -> Schedule {
        let at = LocalTime(year: year, month: month, dayOfMonth: day, hour: hour, minute: minute)
        return Schedule(at: try #require(at), zone: zone)
    }

    private func start(_ schedule: Schedule, _ fixture: StoreFixture) throws -> PlannedStart {
        switch try fixture.store.plannedStart(schedule) {
        case .planned(let start): return start
        case .unknownZone: throw Unexpected(text: "no such zone")
        }
    }

    // woocommerce/action-scheduler#885, mautic/mautic#11602: a time kept as a fixed offset moved by
    // an hour when the clocks changed.
    @Test func aLocalTimeIsThatOfItsDayAndNotOfToday() throws {
        try StoreFixture.with { fixture in
            for (month, utc) in [(3, "2027-03-20 13:00:00"), (1, "2027-01-20 14:00:00")] {
                let planned = try schedule(month, 20, 9, zone: .named("America/New_York"))
                let start = try start(planned, fixture)
                #expect(start.utcText == utc)
                #expect(start.clockChange == .none)
            }
        }
    }

    @Test func theInstantIsInMicrosecondsBesideTheServersClock() throws {
        try StoreFixture.with { fixture in
            let planned = try schedule(12, 5, 10, year: 2026, zone: .named("europe/budapest"))
            let before = try fixture.store.clockMicroseconds()
            let start = try start(planned, fixture)
            #expect(start.microseconds == 1_796_461_200_000_000)
            #expect(start.localText == "2026-12-05 10:00:00")
            #expect(start.utcText == "2026-12-05 09:00:00")
            #expect(start.nowMicroseconds >= before)
            #expect(start.nowMicroseconds <= (try fixture.store.clockMicroseconds()))
        }
    }

    @Test(arguments: [(0, "05:30:00"), (3600, "04:30:00"), (-12_600, "09:00:00")])
    func anOffsetNeedsNoZone(seconds: Int, utc: String) throws {
        try StoreFixture.with { fixture in
            let planned = try schedule(1, 5, 5, 30, zone: .offset(seconds: seconds))
            let start = try start(planned, fixture)
            #expect(start.utcText == "2027-01-05 \(utc)")
            #expect(start.localText == "2027-01-05 05:30:00")
            #expect(start.clockChange == .none)
        }
    }

    // revive-adserver/revive-adserver#634 and its kind: what the clocks jump over never came.
    @Test func aTimeThatTheClocksJumpOverIsMovedByTheJump() throws {
        try StoreFixture.with { fixture in
            let zone = Schedule.Zone.named("Europe/Budapest")
            let gap = try start(try schedule(3, 28, 2, 30, zone: zone), fixture)
            #expect(gap.clockChange == .skips)
            #expect(gap.localText == "2027-03-28 03:30:00")
            #expect(gap.utcText == "2027-03-28 01:30:00")
            for (hour, minute) in [(1, 59), (3, 0)] {
                let beside = try start(try schedule(3, 28, hour, minute, zone: zone), fixture)
                #expect(beside.clockChange == .none)
            }
        }
    }

    @Test(arguments: [
        ("Europe/Budapest", 10, 31, 2, "2027-10-31 01:30:00"),
        ("Australia/Lord_Howe", 4, 4, 1, "2027-04-03 15:00:00"),
    ])
    func ofATimeThatTheClocksShowTwiceTheSecondIsTaken(
        zone: String, month: Int, day: Int, hour: Int, utc: String
    ) throws {
        try StoreFixture.with { fixture in
            let planned = try schedule(month, day, hour, 30, zone: .named(zone))
            let start = try start(planned, fixture)
            #expect(start.clockChange == .repeats)
            #expect(start.utcText == utc)
            let before = try schedule(month, day, hour - 1, 29, zone: .named(zone))
            #expect(try self.start(before, fixture).clockChange == .none)
        }
    }

    // gophish/gophish#638, perfectyorg/perfecty-push-wp#190: the server's zone was not the user's.
    @Test(arguments: ["UTC", "Asia/Tokyo", "America/St_Johns"])
    func neitherTheSessionsZoneNorItsWayOfDatesMatters(zone: String) throws {
        try StoreFixture.with { fixture in
            try fixture.store.connection.executeScript(
                "SET TIME ZONE '\(zone)'; SET datestyle = 'SQL, DMY'", name: "test")
            let planned = try schedule(12, 5, 10, year: 2026, zone: .named("Europe/Budapest"))
            let start = try start(planned, fixture)
            #expect(start.microseconds == 1_796_461_200_000_000)
            #expect(start.localText == "2026-12-05 10:00:00")
        }
    }

    // coa0329/BhaangWeb#142: names that nearly fit were taken for something else.
    @Test(arguments: [
        ("Mars/Base", nil), ("Europe/Budapst", "Europe/Budapest"),
        ("Hungary/Budapest", "Europe/Budapest"), ("posix/Europe/Budapest", "Europe/Budapest"),
        ("Foo/Bar5", nil),
    ])
    func aZoneThatDoesNotExistIsNoZone(name: String, nearest: String?) throws {
        try StoreFixture.with { fixture in
            let planned = try schedule(1, 5, 9, zone: .named(name))
            #expect(try fixture.store.plannedStart(planned) == .unknownZone(nearest: nearest))
        }
    }

    @Test func aRunHasBegunWhenItsAudienceIsFixed() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let hasBegun = {
                try fixture.store.hasBegun(campaign: "sale", occurrence: "2026-12-05")
            }
            #expect(try !hasBegun())
            _ = try fixture.open()
            #expect(try !hasBegun())
            let run = try fixture.frozenRun()
            #expect(try hasBegun())
            #expect(try !fixture.store.hasBegun(campaign: "sale", occurrence: "another"))
            #expect(run.isFrozen == false)
        }
    }

    @Test(arguments: [(60, 60), (0, nil), (nil, nil)] as [(Int64?, Int64?)])
    func theExpiryOfARunThatWaitedCountsFromItsStart(seconds: Int64?, later: Int64?) throws {
        try StoreFixture.with { fixture in
            let run = try fixture.open()
            try fixture.store.connection.executeScript(
                "UPDATE sortie.run SET expires_at = now() - interval '1 hour'", name: "test")
            try fixture.store.setExpiry(run: run, afterSeconds: seconds)
            let expiry = try fixture.store.look(at: run).run.expiresAtSeconds
            guard let later else {
                #expect(expiry == seconds)
                return
            }
            let now = try fixture.store.clockMicroseconds() / 1_000_000
            #expect(try #require(expiry) - now > later - 30)
        }
    }

    @Test func theExpiryOfARunThatHasBegunStays() throws {
        try StoreFixture.with { fixture in
            try fixture.addDevices(3)
            let run = try fixture.frozenRun()
            try fixture.store.setExpiry(run: run, afterSeconds: 60)
            #expect(try fixture.store.look(at: run).run.expiresAtSeconds == nil)
        }
    }

    @Test func anotherPaceIsKeptAndAnotherMeaningIsNot() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.open()
            let events = "SELECT count(*) FROM sortie.run_event WHERE kind = 'pace'"
            func setPace(_ definition: String, _ hash: String) throws -> Bool {
                let new = NewRun(
                    campaign: run.campaign, occurrence: run.occurrence, definition: definition,
                    definitionHash: hash, app: run.app, environment: run.environment,
                    startedBy: "test", maxRatePerSecond: 70, startsAtMicroseconds: 1_000_000)
                return try fixture.store.setPace(run: run, new: new)
            }
            #expect(try !setPace("{}", "h1"))
            #expect(try !setPace("{ }", "h2"))
            #expect(try fixture.value(events) == "0")
            #expect(try setPace("{ }", "h1"))
            let now = try fixture.store.look(at: run).run
            #expect(now.definition == "{ }")
            #expect(now.maxRatePerSecond == 70)
            #expect(now.startsAtMicroseconds == 1_000_000)
            #expect(try fixture.value(events) == "1")
        }
    }
}
