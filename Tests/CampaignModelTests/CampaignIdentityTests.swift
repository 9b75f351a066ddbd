import APNSProtocol
import CampaignModel
import SendPolicy
import Testing

@Suite struct CampaignIdentityTests {
    private static let base = """
        campaign: test
        app: com.example.shop
        environment: sandbox
        audience: { locales: [en, hu], where: "id > 3" }
        message: { title: "Hi {{ first_name | there }}", sound: ping, badge: 1, collapse: x,
          data: { a: 1, b: [true, null, "t"], c: { d: 2 } },
          translations: { hu: { title: Szia } } }
        preflight: { probe: stale, stale_after: 14d, rate: 200 }
        send: { connections: 4, rate: 1500, unconfirmed: keep, canary: { recipients: 9 } }
        """

    private func identity(_ text: String) throws -> [UInt8] {
        try campaign(text).identityBytes
    }

    private func replaced(_ piece: String, by other: String) throws -> [UInt8] {
        try #require(Self.base.contains(piece))
        return try identity(Self.base.replacing(piece, with: other))
    }

    // knadh/listmonk#2278: changing the rate of a campaign under way ended it.
    @Test(arguments: [
        ("rate: 1500", "rate: 10 per minute"), ("rate: 1500", "rate: 1500, max_rate: 100"),
        ("rate: 1500", "rate: 1500, burst: 1, max_in_flight: 1, request_timeout: 5s"),
        ("rate: 1500", "rate: 1500, retry: { attempts: 1 }"),
        ("rate: 1500", "rate: 1500, stop_if: { invalid: 90%, unknown: 1%, errors: 2% }"),
        ("recipients: 9", "recipients: 9, stop_if_rejected: 50%"),
        ("connections: 4", "connections: 1"), ("rate: 200", "rate: 1, burst: 1, connections: 2"),
        ("rate: 200", "stop_if: { invalid: 90%, gone: 90% }"),
        ("campaign: test", "campaign: test\nschedule: { at: 2026-12-05T10:00 }"),
    ])
    func thePaceIsNoPartOfIt(piece: String, other: String) throws {
        #expect(try replaced(piece, by: other) == identity(Self.base))
    }

    @Test(arguments: [
        ("campaign: test", "# a note\ncampaign:   \"test\""), ("sandbox", "'sandbox'"),
        ("sound: ping, badge: 1", "badge: 1, sound: ping, priority: 10"),
        ("{{ first_name | there }}", "{{first_name|there}}"), ("[en, hu]", "[EN, hu]"),
        ("stale_after: 14d", "stale_after: 336h"), ("message: {", "message: { push_type: alert,"),
    ])
    func howItIsWrittenIsNoPartOfIt(piece: String, other: String) throws {
        #expect(try replaced(piece, by: other) == identity(Self.base))
    }

    @Test(arguments: [
        ("campaign: test", "campaign: test2"), ("com.example.shop", "com.example.shop2"),
        ("sandbox", "production"), ("[en, hu]", "[en]"), ("[en, hu]", "[hu, en]"),
        ("id > 3", "id > 4"), ("where:", "registered_within: 3d, where:"),
        ("Hi {{", "Ho {{"), ("first_name", "last_name"), ("| there", "| you"),
        ("{{ first_name | there }}", "{{ first_name }}"),
        ("{{ first_name | there }}", "{{ first_name | }}"),
        ("{{ first_name | there }}", "first_name"), ("sound: ping,", ""),
        ("badge: 1", "badge: 0"), ("collapse: x", "collapse: campaign"), ("collapse: x,", ""),
        ("sound: ping", "body: B, sound: ping"), ("sound: ping", "subtitle: B, sound: ping"),
        ("sound: ping", "thread_id: B, sound: ping"), ("sound: ping", "category: B, sound: ping"),
        ("sound: ping", "priority: 5, sound: ping"), ("sound: ping", "sound: p, expires_after: 0"),
        ("sound: ping", "sound: ping, content_available: true"),
        ("sound: ping", "sound: ping, mutable_content: true"),
        ("a: 1", "a: 2"), ("a: 1", "a: \"1\""), ("a: 1", "aa: 1"), ("true, null", "false, null"),
        ("null, \"t\"", "\"null\", \"t\""), ("[true, null, \"t\"]", "[true, [null, \"t\"]]"),
        ("c: { d: 2 }", "c: {}, d: 2"), ("Szia", "Helló"), ("hu: {", "hr: {"),
        ("probe: stale", "probe: all"), ("stale_after: 14d", "stale_after: 15d"),
        ("unconfirmed: keep", "unconfirmed: resend"), ("recipients: 9", "recipients: 8"),
        (", canary: { recipients: 9 }", ""),
    ])
    func whoGetsWhatIsItsPart(piece: String, other: String) throws {
        #expect(try replaced(piece, by: other) != identity(Self.base))
    }

    /// What a text says can't pass for a field.
    @Test func textsAreToldFromFields() throws {
        let honest = try identity(campaignText(message: "title: a, body: b"))
        let sly = try identity(campaignText(message: "title: \"a\\nbody=1:b\""))
        #expect(honest != sly)
    }

    /// A field that nobody has thought of here would be no part of the identity without a word:
    /// decide about it in `CampaignIdentity.swift`, cover it above, and add it here.
    @Test func everyFieldIsDecidedAbout() throws {
        let campaign = try campaign(Self.base)
        let content = campaign.message.content
        let fields: [(any Sendable, [String])] = [
            (
                campaign,
                [
                    "name", "app", "environment", "audience", "message", "preflight", "send",
                    "schedule",
                ]
            ),
            (campaign.audience, ["locales", "registeredWithinSeconds", "whereSQL"]),
            (
                campaign.message,
                [
                    "pushType", "priority", "expiresAfterSeconds", "collapse", "content", "sound",
                    "badge", "threadID", "category", "contentAvailable", "mutableContent",
                    "translations",
                ]
            ),
            (content, ["title", "subtitle", "body", "data"]),
            (try #require(campaign.message.translations.first), ["locale", "content"]),
            (try #require(content.data.first), ["key", "value"]),
            (try #require(content.title), ["source", "segments"]),
            (
                campaign.preflight,
                ["probe", "staleAfterSeconds", "rate", "burst", "connections", "stopIf"]
            ),
            (
                campaign.send,
                [
                    "connections", "rate", "burst", "maxRate", "maxInFlight",
                    "requestTimeoutMilliseconds", "unconfirmed", "retry", "stopIf", "canary",
                ]
            ),
            (campaign.send.canary, ["recipients", "rejectedShare"]),
        ]
        for (value, names) in fields {
            #expect(Mirror(reflecting: value).children.compactMap(\.label) == names)
        }
    }
}
