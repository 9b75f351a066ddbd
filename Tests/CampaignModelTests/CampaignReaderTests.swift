import APNSProtocol
import CampaignModel
import DocumentTree
import SendPolicy
import Testing

@Suite struct CampaignReaderTests {
    @Test func aSmallCampaignHasTheDocumentedDefaults() throws {
        let campaign = try campaign(campaignText())
        #expect(campaign.name == "test")
        #expect(campaign.app == "com.example.shop")
        #expect(campaign.environment == .sandbox)
        #expect(campaign.audience == Audience())
        #expect(campaign.message.pushType == .alert)
        #expect(campaign.message.priority == .immediate)
        #expect(campaign.message.expiresAfterSeconds == nil)
        #expect(campaign.collapseID == nil)
        #expect(campaign.preflight.probe == .stale)
        #expect(campaign.preflight.staleAfterSeconds == 14 * 86_400)
        #expect(campaign.preflight.rate == Rate.perSecond(200))
        #expect(campaign.preflight.burst == 20)
        #expect(campaign.preflight.connections == 1)
        #expect(campaign.preflight.stopIf.invalidShare == Share(0.2))
        #expect(campaign.preflight.stopIf.goneShare == Share(0.6))
        #expect(campaign.preflight.stopIf.minimumSample == 100)
        #expect(campaign.send.connections == 4)
        #expect(campaign.send.rate == Rate.perSecond(1500))
        #expect(campaign.send.burst == 100)
        #expect(campaign.send.maxInFlight == 500)
        #expect(campaign.send.requestTimeoutMilliseconds == 30_000)
        #expect(campaign.send.unconfirmed == .keep)
        #expect(campaign.send.retry.attemptsMax == 4)
        #expect(campaign.send.retry.withinNanoseconds == 2_700_000_000_000)
        #expect(campaign.send.retry.delayNanoseconds == 900_000_000_000)
        #expect(campaign.send.stopIf.invalidShare == Share(0.2))
        #expect(campaign.send.stopIf.minimumSample == 100)
        #expect(campaign.send.stopIf.unknownShare == Share(0.5))
        #expect(campaign.send.stopIf.errorShare == Share(0.8))
        #expect(campaign.send.canary.recipients == nil)
        #expect(campaign.send.canary.rejectedShare == Share(0.1))
    }

    @Test func everyFieldIsRead() throws {
        let campaign = try campaign(
            """
            campaign: Sale_1.2-b
            app: com.example.shop
            environment: production
            audience: { locales: [en_GB, no], registered_within: 30d, where: "plan = 'x'" }
            message: { title: T, subtitle: S, body: B, sound: ping.caf, badge: 0, thread_id: t,
              category: c, data: { a: 1 }, push_type: alert, priority: 1, expires_after: 12h,
              collapse: x, content_available: 1, mutable_content: true,
              translations: { fr-CA: { title: TF } } }
            preflight: { probe: all, stale_after: 1s, rate: 40 per minute, burst: 2,
              connections: 3, stop_if: { invalid: 0.5, gone: 70%, minimum: 7 } }
            send: { connections: 8, rate: unlimited, burst: 5, max_in_flight: 9,
              request_timeout: 500ms, unconfirmed: keep,
              retry: { attempts: 2, within: 10m, delay: 30s },
              stop_if: { invalid: 5%, unknown: 6%, errors: 7%, minimum: 8 },
              canary: { recipients: 9, stop_if_rejected: 2% } }
            """)
        #expect(campaign.name == "Sale_1.2-b")
        #expect(campaign.environment == .production)
        #expect(
            campaign.audience
                == Audience(
                    locales: ["en-gb", "no"], registeredWithinSeconds: 30 * 86_400,
                    whereSQL: "plan = 'x'"))
        let message = campaign.message
        #expect(message.sound == "ping.caf" && message.badge == 0 && message.threadID == "t")
        #expect(message.category == "c" && message.priority == .lowest)
        #expect(message.expiresAfterSeconds == 43_200 && message.collapse == .text("x"))
        #expect(message.contentAvailable && message.mutableContent)
        #expect(message.translations.map(\.locale) == ["fr-ca"])
        #expect(campaign.preflight.probe == .all && campaign.preflight.staleAfterSeconds == 1)
        #expect(campaign.preflight.rate == Rate.perMinute(40))
        #expect(campaign.preflight.burst == 2 && campaign.preflight.connections == 3)
        #expect(campaign.preflight.stopIf.invalidShare == Share(0.5))
        #expect(campaign.preflight.stopIf.goneShare == Share(0.7))
        #expect(campaign.preflight.stopIf.minimumSample == 7)
        let send = campaign.send
        #expect(send.connections == 8 && send.rate == .unlimited && send.burst == 5)
        #expect(send.maxInFlight == 9 && send.requestTimeoutMilliseconds == 500)
        #expect(send.unconfirmed == .keep && send.retry.attemptsMax == 2)
        #expect(send.retry.withinNanoseconds == 600_000_000_000)
        #expect(send.retry.delayNanoseconds == 30_000_000_000)
        #expect(send.stopIf.invalidShare == Share(0.05) && send.stopIf.minimumSample == 8)
        #expect(send.stopIf.unknownShare == Share(0.06) && send.stopIf.errorShare == Share(0.07))
        #expect(send.canary == Canary(recipients: 9, rejectedShare: try #require(Share(0.02))))
    }

    @Test func allErrorsAreToldAtOnceInFileOrder() {
        let errors = errors(
            """
            campaign: "a b"
            aap: com.example.shop
            environment: prod
            message:
              titel: Hello
              badge: -1
              priority: high
              translations: { hu: { titl: x } }
            send:
              rate: fast
              retry: { attempts: 0 }
            """)
        #expect(
            errors.map { "\($0.line):\($0.column) \($0.fieldPath)" } == [
                "1:11 campaign", "2:1 ", "3:14 environment", "5:3 message", "6:10 message.badge",
                "7:13 message.priority", "8:25 message.translations.hu", "10:9 send.rate",
                "11:22 send.retry.attempts",
            ])
    }

    // rpush/rpush#363, alexalok/dotAPNS#109: without a topic every recipient got MissingTopic.
    @Test func missingFieldsNameThePlaceOfTheirParent() {
        let errors = errors("\n  { }\n")
        #expect(errors.map(\.fieldPath) == ["campaign", "app", "environment", "message"])
        #expect(errors.allSatisfy { $0.place == SourcePlace(line: 2, column: 3) })
        #expect(errors.allSatisfy { $0.message.hasPrefix("this field is missing") })
    }

    @Test(arguments: ["[]", "text", "12"])
    func aFileThatHoldsNoFieldsIsRefused(text: String) {
        #expect(errors(text).first?.message.contains("write fields in braces") == true)
    }

    @Test(arguments: [
        ("colapse: x", "unknown field \"colapse\"; did you mean \"collapse\"?"),
        ("threadId: x", "unknown field \"threadId\"; did you mean \"thread_id\"?"),
        (
            "content-available: 1",
            "unknown field \"content-available\"; did you mean "
                + "\"content_available\"?"
        ),
        ("bdoy: x", "unknown field \"bdoy\"; did you mean \"body\"?"),
        ("rate: 5", "unknown field \"rate\"; \"rate\" belongs in \"preflight\" or in \"send\""),
        ("locales: [en]", "unknown field \"locales\"; \"locales\" belongs in \"audience\""),
        (
            "recipients: 5",
            "unknown field \"recipients\"; \"recipients\" belongs in \"send.canary\""
        ),
        ("app: x", "unknown field \"app\"; \"app\" belongs at the top level"),
        (
            "expires_at: 1798761600000",
            "unknown field \"expires_at\"; write \"expires_after\" in "
                + "\"message\", a duration such as 12h"
        ),
        (
            "collapse_id: x",
            "unknown field \"collapse_id\"; the collapse id is \"collapse\" in "
                + "\"message\""
        ),
        ("variants: []", "unknown field \"variants\"; the fields in \"message\" are title, "),
        ("\"b\\nad\": 1", "unknown field \"b\\nad\"; the fields in"),
    ])
    func anUnknownFieldIsRefusedWithAdvice(field: String, message: String) {
        let errors = errors(campaignText(message: "title: x, \(field)"))
        #expect(errors.count == 1)
        #expect(errors.first?.message.hasPrefix(message) == true, "\(errors)")
        #expect(errors.first?.place == SourcePlace(line: 4, column: 22))
    }

    @Test func aSlipOfOneLetterIsSeenBeforeNamesOfOtherPrograms() {
        let errors = errors(campaignText(more: "audience: { locale: en }"))
        #expect(errors.map(\.message) == ["unknown field \"locale\"; did you mean \"locales\"?"])
    }

    @Test(arguments: ["variants: []", "canary: 5", "quiet_hours: {}", "max_rate: 5"])
    func fieldsThatThisVersionDoesNotKnowAreUnknown(field: String) {
        let errors = errors(campaignText(more: field))
        #expect(errors.first?.message.hasPrefix("unknown field") == true)
    }

    @Test(arguments: [
        "\"\"", "a b", "é", "null", "[a]", "\"a\\nb\"", String(repeating: "a", count: 65),
    ])
    func aCampaignNameHasPlainLettersOnly(name: String) {
        let text = campaignText().replacing("campaign: test", with: "campaign: \(name)")
        #expect(errors(text).map(\.fieldPath) == ["campaign"])
    }

    @Test(arguments: [1, 63, 64])
    func aCampaignNameMayHave64Letters(count: Int) throws {
        let name = String(repeating: "a", count: count)
        let text = campaignText().replacing("campaign: test", with: "campaign: \(name)")
        #expect(try campaign(text).name == name)
    }

    // node-apn/node-apn#568, mendix/docs#1537, appfeel/node-pushnotifications#97: the placeholder's
    // brackets and quotes were copied along, and APNs answered TopicDisallowed.
    @Test(arguments: [
        ("\"<com.example.shop>\"", "angle brackets"), ("\" com.example.shop\\n\"", "blanks"),
        ("\"\\\"com.example.shop\\\"\"", "quotation marks"), ("com..shop", "a dot too many"),
        ("com.example/shop", "U+2F"), ("[a]", "write a text"),
    ])
    func aBundleIDHasItsFormOnly(app: String, piece: String) {
        let text = campaignText().replacing("app: com.example.shop", with: "app: \(app)")
        let errors = errors(text)
        #expect(errors.map(\.fieldPath) == ["app"])
        #expect(errors.first?.message.contains(piece) == true, "\(errors)")
    }

    @Test(arguments: [
        ("prod", "production or sandbox"), ("Production", "did you mean production?"),
        ("sandbx", "did you mean sandbox?"),
    ])
    func anUnknownEnvironmentIsRefused(word: String, piece: String) {
        let text = campaignText().replacing("sandbox", with: word)
        #expect(errors(text).first?.message.contains(piece) == true)
    }

    // tomasz-c/nft-blackhole#4: a list of countries with a bare `no` lost Norway.
    @Test func bareWordsInAListOfLocalesAreText() throws {
        let campaign = try campaign(campaignText(more: "audience: { locales: [no, se, dk] }"))
        #expect(campaign.audience.locales == ["no", "se", "dk"])
    }

    @Test(arguments: ["[]", "[e]", "[en, \"\"]", "[[en]]", "[en GB]", "[12]"])
    func badLocalesAreRefused(locales: String) {
        let errors = errors(campaignText(more: "audience: { locales: \(locales) }"))
        #expect(errors.count == 1)
        #expect(errors.first?.fieldPath.hasPrefix("audience.locales") == true)
    }

    @Test(arguments: [8191, 8192, 8193])
    func aConditionHasAtMost8192Bytes(bytes: Int) {
        let condition = String(repeating: "x", count: bytes)
        let errors = errors(campaignText(more: "audience: { where: \(condition) }"))
        #expect(errors.map(\.fieldPath) == (bytes <= 8192 ? [] : ["audience.where"]))
    }

    @Test(arguments: [199, 200, 201])
    func thereAreAtMost200Translations(count: Int) {
        let translations = (0..<count).map { "en-\($0): { title: x }" }.joined(separator: ", ")
        let errors = errors(
            campaignText(message: "title: x, translations: { \(translations) }"))
        #expect(errors.map(\.fieldPath) == (count <= 200 ? [] : ["message.translations"]))
    }

    @Test func theUsersTextIsShownEscapedAndCut() {
        let long = "\\u0007\\u202e" + String(repeating: "x", count: 500)
        let errors = errors(campaignText(message: "title: x, badge: \"\(long)\""))
        let message = errors.first?.message ?? ""
        #expect(message.hasPrefix("found \"\\u{7}\\u{202e}xxx"))
        #expect(message.count < 150)
    }
}
