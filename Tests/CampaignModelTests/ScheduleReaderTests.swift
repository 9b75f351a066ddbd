import CampaignModel
import DocumentTree
import SendPolicy
import Testing

@Suite struct ScheduleReaderTests {
    private func schedule(_ fields: String) throws -> Schedule? {
        try campaign(campaignText(more: "schedule: { \(fields) }")).schedule
    }

    private func faults(_ fields: String) -> [String] {
        errors(campaignText(more: "schedule: { \(fields) }"))
            .map { "\($0.line):\($0.column) \($0.fieldPath): \($0.message)" }
    }

    @Test func withoutTheSectionThereIsNone() throws {
        let campaign = try campaign(campaignText())
        #expect(campaign.schedule == nil)
        #expect(campaign.usualOccurrence(today: "2026-01-02") == "2026-01-02")
    }

    @Test func everyFieldIsRead() throws {
        let campaign = try campaign(
            campaignText(
                more: """
                    schedule: { at: "2026-12-05T10:00", zone: Europe/Budapest, not_later_than: 4h }
                    """))
        let schedule = try #require(campaign.schedule)
        #expect(schedule.at.description == "2026-12-05 10:00")
        #expect(schedule.zone == .named("Europe/Budapest"))
        #expect(schedule.notLaterThanSeconds == 14_400)
        #expect(schedule.zonePlace == SourcePlace(line: 5, column: 43))
        #expect(schedule.description == "2026-12-05 10:00 Europe/Budapest")
        #expect(campaign.usualOccurrence(today: "2026-01-02") == "2026-12-05")
    }

    // parse-community/parse-server#4137, parse-community/Parse-SDK-JS#162: a time without a zone
    // was the host's in one version and UTC in the next. Here it is UTC, and shown so.
    @Test(arguments: [
        ("at: 2027-01-05T09:00", "2027-01-05 09:00 UTC"),
        ("at: \"2027-01-05T09:00:00\"", "2027-01-05 09:00 UTC"),
        ("at: \"2027-01-05T09:00:07Z\"", "2027-01-05 09:00:07 UTC"),
        ("at: \"2027-01-05 09:00+09:00\"", "2027-01-05 09:00 +09:00"),
        ("at: \"2027-01-05 09:00 -03:30\"", "2027-01-05 09:00 -03:30"),
        ("at: 2027-01-05 09:00, zone: UTC", "2027-01-05 09:00 UTC"),
        ("at: 2027-01-05 09:00, zone: Etc/UTC", "2027-01-05 09:00 UTC"),
        ("at: 2027-01-05 09:00, zone: Asia/Tokyo", "2027-01-05 09:00 Asia/Tokyo"),
        (
            "at: 2027-01-05 09:00, zone: America/Argentina/Buenos_Aires",
            "2027-01-05 09:00 America/Argentina/Buenos_Aires"
        ),
    ])
    func aTimeHasOneZoneAndShowsIt(fields: String, shown: String) throws {
        #expect(try schedule(fields)?.description == shown)
    }

    @Test(arguments: [
        ("2024-02-29T00:00", true), ("2023-02-29T00:00", false), ("2100-02-28T00:00", false),
        ("2000-02-29T00:00", true), ("2026-02-28T23:59:59", true), ("2026-04-31T00:00", false),
        ("2026-13-01T00:00", false), ("2026-00-01T00:00", false), ("2026-01-00T00:00", false),
        ("2026-01-01T24:00", false), ("2026-01-01T23:60", false), ("2026-01-01T23:59:60", false),
        ("1999-12-31T23:59", false), ("2099-12-31T23:59", true), ("2026-01-01t00:00z", true),
        ("2026-01-01T00:00+14:00", true), ("2026-01-01T00:00+14:01", false),
        ("2026-01-01T00:00-12:00", true), ("2026-01-01T00:00-12:01", false),
        ("2026-01-01T00:00+01:60", false), ("2026-01-01T00:00 ", false),
    ])
    func onlyDaysAndTimesThatExistAreTaken(at: String, isGood: Bool) {
        #expect(faults("at: \"\(at)\"").isEmpty == isGood)
    }

    @Test(arguments: [
        ("at: 2026-12-05", "found \"2026-12-05\" without a time of day; write 2026-12-05T10:00"),
        ("at: 1798761600", "found \"1798761600\", which looks like seconds since 1970; write"),
        ("at: tomorrow", "found \"tomorrow\"; write a date and time such as 2026-12-05T10:00"),
        ("at: 12/05/2026 10:00", "found \"12/05/2026 10:00\"; write a date and time such as"),
        ("at: \"2026-12-05T10\"", "found \"2026-12-05T10\"; write a date and time such as"),
        ("at: \"2026-12-05T10:00+1\"", "found \"2026-12-05T10:00+1\"; write a date and time"),
        ("at: \"2026-12-05T10:00 CET\"", "found \"2026-12-05T10:00 CET\"; write a date and time"),
        ("at: \"2026-02-30T10:00\"", "there is no such day or time as \"2026-02-30T10:00\""),
        ("at: \"2026-12-05T24:00\"", "there is no 24 o'clock; midnight is 00:00 of the next day"),
        ("at: \"1926-12-05T10:00\"", "found \"1926-12-05T10:00\"; write a year from 2000 to 2099"),
        ("at: [1]", "found a list; write a date and time such as 2026-12-05T10:00"),
    ])
    func anUnusableTimeSaysWhatToWrite(fields: String, message: String) {
        let faults = faults(fields)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("5:17 schedule.at: \(message)") == true, "\(faults)")
    }

    @Test func theTimeMustBeGiven() {
        #expect(
            faults("zone: UTC") == [
                "5:11 schedule.at: this field is missing; write one such as 2026-12-05T10:00"
            ])
        #expect(errors(campaignText(more: "schedule: tomorrow")).map(\.fieldPath) == ["schedule"])
    }

    // coa0329/BhaangWeb#142: abbreviations were mixed up and sends came an hour off.
    @Test(arguments: [
        ("CST", "is an abbreviation", "America/Chicago or Asia/Shanghai"),
        ("est", "is an abbreviation", "America/New_York"),
        ("IST", "is an abbreviation", "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem"),
        ("GMT", "is an abbreviation", "Europe/London, or UTC"),
        ("Central Standard Time", "is no name of a time zone", "Europe/Budapest, or UTC"),
        ("Budapest", "is no name of a time zone", "Europe/Budapest, or UTC"),
        ("Europe/", "is no name of a time zone", "Europe/Budapest, or UTC"),
        ("\"Europe/Buda pest\"", "is no name of a time zone", "Europe/Budapest, or UTC"),
        ("EST5EDT", "is no name of a time zone", "Europe/Budapest, or UTC"),
        ("\"+01:00\"", "is an offset, not a zone", "at: \"2026-12-05T10:00+01:00\""),
        ("Etc/GMT-1", "counts hours the other way round", "write an offset"),
    ])
    func onlyARegionAndACityNameAZone(zone: String, what: String, advice: String) throws {
        let message = try #require(faults("at: 2026-12-05T10:00, zone: \(zone)").first)
        #expect(message.hasPrefix("5:41 schedule.zone: \""))
        #expect(message.contains(what) && message.contains(advice), "\(message)")
    }

    @Test func aZoneAndAnOffsetAreTwoZones() {
        for zone in ["Europe/Budapest", "UTC"] {
            #expect(
                faults("at: \"2026-12-05T10:00+01:00\", zone: \(zone)") == [
                    "5:49 schedule.zone: \"at\" says \"+01:00\" already; remove the zone, or "
                        + "write the time without it"
                ])
        }
    }

    @Test(arguments: [
        ("1s", true), ("0s", false), ("500ms", false), ("30d", true), ("2592001s", false),
    ])
    func theBoundIsFromASecondToThirtyDays(bound: String, isGood: Bool) {
        let faults = faults("at: 2026-12-05T10:00, not_later_than: \(bound)")
        #expect(faults.isEmpty == isGood)
        #expect(isGood || faults.first?.contains("a duration from 1s to 30d") == true, "\(faults)")
    }

    @Test(arguments: [
        ("schedule: { when: x, at: 2026-12-05T10:00 }", "the fields in \"schedule\" are at, zone"),
        ("schedule: { at: 2026-12-05T10:00, zon: UTC }", "did you mean \"zone\"?"),
        ("schedule: { at: 2026-12-05T10:00, tz: UTC }", "the time zone is \"zone\" in"),
        ("schedule: { at: 2026-12-05T10:00, notLaterThan: 4h }", "mean \"not_later_than\"?"),
        ("send_at: 2026-12-05T10:00", "the start is \"at\" in \"schedule\""),
        ("timezone: UTC", "the time zone is \"zone\" in \"schedule\""),
        ("shedule: { at: 2026-12-05T10:00 }", "did you mean \"schedule\"?"),
        ("cron: 0 10 * * 6", "let cron or a timer start it again"),
        ("not_later_than: 4h", "\"not_later_than\" belongs in \"schedule\""),
    ])
    func anUnknownFieldIsRefusedWithAdvice(text: String, advice: String) {
        let errors = errors(campaignText(more: text))
        #expect(errors.count == 1)
        #expect(errors.first?.message.contains(advice) == true, "\(errors)")
    }

    @Test func anUnknownZoneIsToldAtItsPlace() throws {
        let schedule = try #require(try schedule("at: 2026-12-05T10:00, zone: Europe/Budapst"))
        #expect(
            schedule.unknownZone(nearest: "Europe/Budapest", file: "c.json")
                == "c.json:5:41: error: schedule.zone: there is no time zone \"Europe/Budapst\"; "
                + "did you mean Europe/Budapest?")
        #expect(
            schedule.unknownZone(nearest: nil, file: "c.json")
                == "c.json:5:41: error: schedule.zone: there is no time zone \"Europe/Budapst\"; "
                + "write a region and a city, such as Europe/Budapest")
    }

    @Test(arguments: [
        ("Europe/Budapst", "Europe/Budapest"), ("US/Budapest", "Europe/Budapest"),
        ("europe/kiev", "Europe/Kyiv"), ("Mars/Base", nil),
    ])
    func theNearestZoneIsTheSameCityOrNearlyTheSameName(name: String, nearest: String?) {
        let names = ["America/New_York", "Asia/Tokyo", "Europe/Budapest", "Europe/Kyiv"]
        #expect(ZoneName.nearest(to: name, among: names) == nearest)
    }
}

@Suite struct MaxRateTests {
    private func text(_ fields: String) -> String { campaignText(more: "send: { \(fields) }") }

    @Test(arguments: [
        ("5000", Rate.perSecond(5000)), ("40 per minute", Rate.perMinute(40)),
        ("unlimited", .unlimited), ("0.5", Rate.perSecond(decimal: 0.5)),
    ])
    func itIsWrittenAsARate(written: String, rate: Rate?) throws {
        let campaign = try campaign(text("max_rate: \(written)"))
        #expect(campaign.send.maxRate == rate)
    }

    @Test func withoutItThereIsNone() throws {
        #expect(try campaign(campaignText()).send.maxRate == .unlimited)
    }

    @Test(arguments: ["0", "0 per minute", "-1", "fast", "100001", "[5]"])
    func whatIsNoRateIsRefused(written: String) {
        let errors = errors(text("max_rate: \(written)"))
        #expect(errors.map(\.fieldPath) == ["send.max_rate"])
        #expect(errors.first?.message.contains("unlimited") == true)
    }

    @Test(arguments: [
        ("max_rate: 5999", false), ("max_rate: 6000", false), ("max_rate: 6001", true),
        ("max_rate: 6001, connections: 5", false), ("max_rate: 6001, rate: unlimited", false),
        ("max_rate: 161 per minute, rate: 40 per minute", true),
    ])
    func itsAuthorIsToldWhenItBoundsNothing(fields: String, isTold: Bool) throws {
        let warnings = try warnings(text(fields))
        #expect(warnings.map(\.fieldPath) == (isTold ? ["send.max_rate"] : []))
        #expect(!isTold || warnings.first?.message.contains("has no effect") == true)
    }

    @Test(arguments: [("maxRate: 5", "\"max_rate\"?"), ("throttle: 5", "\"max_rate\" for all")])
    func namesOfOtherProgramsGetAdvice(fields: String, advice: String) {
        #expect(errors(text(fields)).first?.message.contains(advice) == true)
    }
}
