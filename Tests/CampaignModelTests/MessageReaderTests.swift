import APNSProtocol
import CampaignModel
import DocumentTree
import Testing

@Suite struct MessageReaderTests {
    // ZhukV/AppleApnPush#49, node-apn/node-apn#406: zero was taken for "not set".
    // Coccodrillo/apns#47, Ph3nol/NotificationPusher#83: without a badge one was invented.
    @Test(arguments: [
        ("title: x, badge: 0", #"{"aps":{"alert":{"title":"x"},"badge":0}}"#),
        ("title: x", #"{"aps":{"alert":{"title":"x"}}}"#),
        ("badge: 3", #"{"aps":{"badge":3}}"#),
        ("body: x, sound: default", #"{"aps":{"alert":{"body":"x"},"sound":"default"}}"#),
        ("push_type: background", #"{"aps":{"content-available":1}}"#),
        ("content_available: true", #"{"aps":{"content-available":1}}"#),
        (
            "push_type: background, data: { a: 1 }",
            #"{"aps":{"content-available":1},"a":1}"#
        ),
        (
            "category: c, subtitle: s, body: b, title: t, thread_id: i, mutable_content: 1",
            #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b"},"thread-id":"i","#
                + #""category":"c","mutable-content":1}}"#
        ),
    ])
    func thePayloadHasTheKeysOfTheFileAndNoOther(message: String, json: String) throws {
        #expect(try payload(message) == json)
    }

    @Test(arguments: [
        ("-1", false), ("0", true), ("2147483647", true), ("2147483648", false), ("1.5", false),
        ("x", false), ("null", false), ("+1", true),
    ])
    func badgesAreWholeNumbersFromZero(badge: String, isRight: Bool) {
        #expect(errors(campaignText(message: "badge: \(badge)")).isEmpty == isRight)
    }

    // AndrewBarba/apns2#88, node-apn/node-apn#660, sideshow/apns2#169: zero is not "not given".
    @Test func anExpiryOfZeroIsNotTheSameAsNone() throws {
        let zero = try campaign(message: "title: x, expires_after: 0")
        #expect(zero.message.expiresAfterSeconds == 0)
        #expect(try campaign(message: "title: x").message.expiresAfterSeconds == nil)
    }

    // valentinfrlch/ha-llmvision#545, nmshd/backbone#1042: the limit counts bytes.
    @Test(arguments: [
        (String(repeating: "c", count: 63), true), (String(repeating: "c", count: 64), true),
        (String(repeating: "c", count: 65), false), (String(repeating: "é", count: 32), true),
        (String(repeating: "é", count: 33), false), ("", false), ("a\\nb", false),
    ])
    func aCollapseIDHasAtMost64Bytes(id: String, isRight: Bool) {
        let errors = errors(campaignText(message: "title: x, collapse: \"\(id)\""))
        #expect(errors.isEmpty == isRight, "\(errors)")
    }

    @Test func collapseCampaignUsesTheCampaignsName() throws {
        #expect(try campaign(message: "title: x, collapse: campaign").collapseID == "test")
        #expect(try campaign(message: "title: x, collapse: mine").collapseID == "mine")
    }

    @Test func resendingNeedsACollapseID() throws {
        let resend = "send: { unconfirmed: resend }"
        let errors = errors(campaignText(more: resend))
        #expect(errors.map(\.fieldPath) == ["send.unconfirmed"])
        #expect(errors.first?.message.contains("would show two") == true)
        let collapsing = campaignText(message: "title: x, collapse: campaign", more: resend)
        #expect(try campaign(collapsing).send.unconfirmed == .resend)
        let usual = try campaign(campaignText(message: "title: x, collapse: campaign"))
        #expect(usual.send.unconfirmed == .resend)
        let kept = campaignText(
            message: "title: x, collapse: campaign", more: "send: { unconfirmed: keep }")
        #expect(try campaign(kept).send.unconfirmed == .keep)
    }

    // matthijs2704/vapor-apns#52, mozilla-services/autopush#864: the flag in every spelling.
    @Test(arguments: ["true", "1", "\"1\""])
    func aFlagIsSentAsOne(value: String) throws {
        #expect(
            try payload("title: x, content_available: \(value)")
                == #"{"aps":{"alert":{"title":"x"},"content-available":1}}"#)
    }

    @Test(arguments: ["yes", "2", "TRUE", "[1]"])
    func aFlagIsTrueOrFalse(value: String) {
        let errors = errors(campaignText(message: "title: x, content_available: \(value)"))
        #expect(errors.first?.message.contains("write true or false") == true)
    }

    // jchambers/pushy#701, appleboy/gorush#424: the push type is always known.
    @Test(arguments: [
        ("title: x", PushType.alert), ("content_available: true", .background),
        ("title: x, content_available: true", .alert), ("sound: default", .alert),
    ])
    func thePushTypeFollowsFromTheFields(message: String, type: PushType) throws {
        let campaign = try campaign(message: message)
        #expect(campaign.message.pushType == type)
        #expect(campaign.message.priority == (type == .alert ? .immediate : .powerAware))
    }

    // node-apn/node-apn#241, codedge-llc/pigeon#155, tsif/pu.sh#2: type, priority and payload that
    // do not agree are delayed, dropped or refused.
    @Test(arguments: [
        ("push_type: background, priority: 10", "message.priority", "priority 5 only"),
        ("push_type: background, priority: 1", "message.priority", "priority 5 only"),
        ("push_type: background, title: x", "message.title", "shows nothing"),
        ("push_type: background, badge: 0", "message.badge", "shows nothing"),
        ("push_type: background, mutable_content: true", "message.mutable_content", "shows"),
        ("push_type: background, content_available: false", "message.content_available", "wake"),
        (
            "push_type: background, translations: { hu: { body: x } }",
            "message.translations.hu.body", "shows nothing"
        ),
        ("push_type: alert, data: { a: 1 }", "message", "needs a title or a body"),
        ("data: { a: 1 }", "message", "needs a title or a body"),
        ("content_available: false", "message.content_available", "wake the app"),
        ("badge: 1, mutable_content: true", "message.mutable_content", "a title or a body"),
        ("title: x, push_type: voip", "message.push_type", "write alert or background"),
        ("title: x, priority: high", "message.priority", "write 10 (at once)"),
        ("title: x, priority: 7", "message.priority", "write 10 (at once)"),
        ("title: null", "message.title", "remove the field"),
        ("title: \"\"", "message.title", "the text is empty"),
        ("title: \" \\n\"", "message.title", "the text is empty"),
        ("title: [x]", "message.title", "found a list; write a text"),
        ("title: x, sound: { critical: 1 }", "message.sound", "found a group of fields"),
        ("title: x, translations: [hu]", "message.translations", "found a list"),
        ("title: x, translations: { hu: x }", "message.translations.hu", "write fields in braces"),
        ("title: x, translations: { hu: {} }", "message.translations.hu", "says nothing"),
        ("title: x, translations: { e: { title: y } }", "message.translations.e", "no locale"),
        (
            "title: x, translations: { fr-CA: { title: y }, fr_ca: { title: z } }",
            "message.translations.fr_ca", "given twice, first at line 4"
        ),
        (
            "title: x, translations: { hu: { sound: y } }", "message.translations.hu",
            "\"sound\" belongs in \"message\""
        ),
        ("title: x, data: [1]", "message.data", "write the app's own keys in braces"),
        ("title: x, data: { aps: { badge: 1 } }", "message.data.aps", "Apple's own key"),
        (
            "title: x, translations: { hu: { data: { aps: 1 } } }",
            "message.translations.hu.data.aps", "Apple's own key"
        ),
        ("title: x, sound: \"{{ a }}\"", "message.sound", "write a fixed text here"),
        ("title: x, thread_id: \"{{ a }}\"", "message.thread_id", "write a fixed text here"),
        ("title: x, collapse: \"{{ a }}\"", "message.collapse", "write a fixed text here"),
        ("title: \"{{ a\"", "message.title", "{{ is not closed"),
        ("title: x, data: { a: [{ b: \"{{}}\" }] }", "message.data.a[0].b", "no name"),
    ])
    func whatDoesNotAgreeIsRefused(message: String, path: String, piece: String) {
        let errors = errors(campaignText(message: message))
        #expect(errors.map(\.fieldPath) == [path], "\(errors)")
        #expect(errors.first?.message.contains(piece) == true, "\(errors)")
    }

    @Test func priorityOneIsAllowedForAlerts() throws {
        #expect(try campaign(message: "title: x, priority: 1").message.priority == .lowest)
    }

    // iamankitm05/quick_notes, ios/README.md: Apple's keys beside aps, where Apple ignores them.
    @Test func applesKeysAmongTheDataAreWarnedAbout() throws {
        let found = try warnings(
            campaignText(
                message: "title: x, data: { content_available: 1, mutable-content: true, "
                    + "priority: high, sound: a, url: b }"))
        #expect(
            found.map(\.fieldPath) == [
                "message.data.content_available", "message.data.mutable-content",
                "message.data.priority", "message.data.sound",
            ])
    }

    @Test func blockTextLosesItsLastLineEnd() throws {
        let campaign = try campaign(
            """
            campaign: test
            app: com.example.shop
            environment: sandbox
            message:
              body: |
                One
                two
            """)
        #expect(campaign.message.content.body?.source == "One\ntwo")
    }
}

/// The limit of 4096 bytes, before and after values are put in.
@Suite struct PayloadSizeTests {
    // {"aps":{"alert":{"body":"…"}}} without the text.
    private static let frame = 29

    @Test(arguments: [4095, 4096, 4097])
    func aPayloadOfMoreThan4096BytesIsRefusedWhenTheFileIsRead(bytes: Int) {
        let body = String(repeating: "x", count: bytes - Self.frame)
        let errors = errors(campaignText(message: "body: \(body)"))
        #expect(errors.isEmpty == (bytes <= 4096), "\(errors)")
        if bytes > 4096 {
            #expect(errors.first?.message.contains("without translation has 4097 bytes") == true)
        }
    }

    @Test func everyTranslationIsMeasuredByItself() {
        let body = String(repeating: "é", count: 2040)
        let errors = errors(
            campaignText(message: "body: x, translations: { hu: { body: \(body) } }"))
        #expect(errors.count == 1)
        #expect(errors.first?.message.contains("with the translation \"hu\" has 4109") == true)
    }

    @Test(arguments: [4095, 4096, 4097])
    func aValueThatMakesAPayloadTooLongSkipsTheRecipient(bytes: Int) throws {
        let plan = PayloadPlan(try campaign(message: "body: \"{{ x }}\""))
        let value = String(repeating: "v", count: bytes - Self.frame)
        let made = render(plan, values: [value])
        #expect(made.result == (bytes <= 4096 ? .rendered(bytes) : .tooLarge(bytes)))
        #expect(made.json.utf8.count == (bytes <= 4096 ? bytes : 0))
    }
}
