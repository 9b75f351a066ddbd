import Testing

@testable import APNSSimulator

@Suite struct RequestJudgeTests {
    /// One broken rule: what is wrong, the request, and what the judge says.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (RequestFixture) -> RequestFixture
        let ruling: Ruling

        init(
            _ name: String, _ ruling: Ruling,
            _ make: @escaping @Sendable (RequestFixture) -> RequestFixture
        ) {
            testDescription = name
            self.ruling = ruling
            self.make = make
        }

        init(
            _ name: String, _ refusal: Refusal?,
            _ make: @escaping @Sendable (RequestFixture) -> RequestFixture
        ) {
            self.init(name, refusal.map { .refused($0) } ?? .accepted, make)
        }
    }

    static let addressCases = [
        Case("nothing changed", nil) { $0 },
        Case("GET", .methodNotAllowed) { $0.with(":method", "GET") },
        Case("no method", .methodNotAllowed) { $0.without(":method") },
        Case("lower-case method", .methodNotAllowed) { $0.with(":method", "post") },
        Case("no path", .badPath) { $0.without(":path") },
        Case("another path", .badPath) { $0.with(":path", "/4/broadcasts/apps/com.example.shop") },
        Case("path without last slash", .badPath) { $0.with(":path", "/3/device") },
        Case("no token", .missingDeviceToken) { $0.with(":path", "/3/device/") },
        Case("30 digits", .badDeviceToken) { $0.with(token: String(repeating: "a", count: 30)) },
        Case("31 digits", .badDeviceToken) { $0.with(token: String(repeating: "a", count: 31)) },
        Case("32 digits", nil) { $0.with(token: String(repeating: "a", count: 32)) },
        Case("33 digits", .badDeviceToken) { $0.with(token: String(repeating: "a", count: 33)) },
        // RobotsAndPencils/buford#13: tokens longer than 64 digits exist.
        Case("160 digits", nil) { $0.with(token: String(repeating: "a", count: 160)) },
        Case("511 digits", .badDeviceToken) { $0.with(token: String(repeating: "a", count: 511)) },
        Case("512 digits", nil) { $0.with(token: String(repeating: "a", count: 512)) },
        Case("514 digits", .badDeviceToken) { $0.with(token: String(repeating: "a", count: 514)) },
        Case("upper-case digits", nil) { $0.with(token: String(repeating: "C0FFEE01", count: 8)) },
        Case("not hex", .badDeviceToken) {
            $0.with(token: String(repeating: "g0ffee01", count: 8))
        },
        // node-apn/node-apn#568: a token with the brackets of an old description.
        Case("brackets", .badDeviceToken) { $0.with(token: "<\(RequestFixture.token)>") },
        Case("query", .badDeviceToken) { $0.with(token: RequestFixture.token + "?a") },
    ]

    static let headerCases = [
        Case("no topic", .missingTopic) { $0.without("apns-topic") },
        Case("empty topic", .missingTopic) { $0.with("apns-topic", "") },
        Case("topic in brackets", .badTopic) { $0.with("apns-topic", "<com.example.shop>") },
        Case("topic with a blank", .badTopic) { $0.with("apns-topic", "com.example.shop ") },
        Case("another topic", .topicDisallowed) { $0.with("apns-topic", "com.example.other") },
        Case("topic with a suffix", .topicDisallowed) {
            $0.with("apns-topic", "com.example.shop.voip")
        },
        Case("voip with its suffix", nil) {
            $0.with("apns-push-type", "voip").with("apns-topic", "com.example.shop.voip")
        },
        Case("voip without its suffix", .topicDisallowed) { $0.with("apns-push-type", "voip") },
        Case("nothing but the suffix", .topicDisallowed) {
            $0.with("apns-push-type", "voip").with("apns-topic", ".voip")
        },
        Case("unknown push type", .invalidPushType) { $0.with("apns-push-type", "Alert") },
        Case("empty push type", .invalidPushType) { $0.with("apns-push-type", "") },
        Case("no push type", nil) { $0.without("apns-push-type") },
        Case("priority 1", nil) { $0.with("apns-priority", "1") },
        Case("priority 5", nil) { $0.with("apns-priority", "5") },
        Case("no priority", nil) { $0.without("apns-priority") },
        Case("priority 0", .badPriority) { $0.with("apns-priority", "0") },
        Case("priority 6", .badPriority) { $0.with("apns-priority", "6") },
        Case("priority high", .badPriority) { $0.with("apns-priority", "high") },
        Case("priority 05", .badPriority) { $0.with("apns-priority", "05") },
        Case("expiration 0", nil) { $0.with("apns-expiration", "0") },
        Case("expiration", nil) { $0.with("apns-expiration", "1800000000") },
        Case("last second of 9999", nil) { $0.with("apns-expiration", "253402300799") },
        Case("first second of 10000", .badExpirationDate) {
            $0.with("apns-expiration", "253402300800")
        },
        // jchambers/pushy#237: milliseconds where seconds are wanted.
        Case("milliseconds", .badExpirationDate) { $0.with("apns-expiration", "1798761600000") },
        Case("negative expiration", .badExpirationDate) { $0.with("apns-expiration", "-1") },
        Case("empty expiration", .badExpirationDate) { $0.with("apns-expiration", "") },
        Case("a date", .badExpirationDate) { $0.with("apns-expiration", "2027-01-01") },
        // valentinfrlch/ha-llmvision#545: the limit of the collapse id.
        Case("collapse id of 63", nil) {
            $0.with("apns-collapse-id", String(repeating: "a", count: 63))
        },
        Case("collapse id of 64", nil) {
            $0.with("apns-collapse-id", String(repeating: "a", count: 64))
        },
        Case("collapse id of 65", .badCollapseID) {
            $0.with("apns-collapse-id", String(repeating: "a", count: 65))
        },
        Case("collapse id of 33 letters, 66 bytes", .badCollapseID) {
            $0.with("apns-collapse-id", String(repeating: "é", count: 33))
        },
        Case("apns-id", nil) { $0.with("apns-id", "123e4567-e89b-12d3-a456-4266554400a0") },
        Case("upper-case apns-id", nil) {
            $0.with("apns-id", "123E4567-E89B-12D3-A456-4266554400A0")
        },
        Case("apns-id without dashes", .badMessageID) {
            $0.with("apns-id", "123e4567e89b12d3a4564266554400a0")
        },
        Case("short apns-id", .badMessageID) {
            $0.with("apns-id", "123e4567-e89b-12d3-a456-4266554400a")
        },
        Case("long apns-id", .badMessageID) {
            $0.with("apns-id", "123e4567-e89b-12d3-a456-4266554400a00")
        },
        Case("dash in the wrong place", .badMessageID) {
            $0.with("apns-id", "123e456-7e89b-12d3-a456-4266554400a0")
        },
        Case("topic twice", .duplicateHeaders) { $0.adding("apns-topic", RequestFixture.topic) },
        Case("priority twice", .duplicateHeaders) { $0.adding("apns-priority", "10") },
        Case("strange field twice", nil) { $0.adding("x-a", "1").adding("x-a", "1") },
    ]

    static let payloadCases = [
        Case("no body", .payloadEmpty) { $0.with(body: "") },
        Case("no JSON", .payloadEmpty) { $0.with(body: "hello") },
        Case("a JSON list", .payloadEmpty) { $0.with(body: #"[{"aps":{"alert":"a"}}]"#) },
        Case("an empty dictionary", .payloadEmpty) { $0.with(body: "{}") },
        Case("a trailing comma", .payloadEmpty) { $0.with(body: #"{"aps":{"alert":"a"},}"#) },
        Case("4095 bytes", nil) { $0.with(body: padded(4095)) },
        Case("4096 bytes", nil) { $0.with(body: padded(4096)) },
        Case("4097 bytes", .payloadTooLarge) { $0.with(body: padded(4097)) },
        Case("20000 bytes", .payloadTooLarge) { $0.with(body: padded(20000)) },
        Case("5120 bytes by voip", nil) { voip($0).with(body: padded(5120)) },
        Case("5121 bytes by voip", .payloadTooLarge) { voip($0).with(body: padded(5121)) },
        Case("badge alone", nil) { $0.with(body: #"{"aps":{"badge":0}}"#) },
        Case("sound alone", nil) { $0.with(body: #"{"aps":{"sound":"default"}}"#) },
        // node-apn/node-apn#241: push type and content have to agree.
        Case("alert without anything to notice", .invalidPushType) {
            $0.with(body: RequestFixture.probe)
        },
        Case("alert outside aps", .invalidPushType) { $0.with(body: #"{"alert":"a","aps":{}}"#) },
        Case("no push type, nothing to notice", nil) {
            $0.without("apns-push-type").with(body: #"{"a":1}"#)
        },
    ]

    static let backgroundCases = [
        Case("background", nil) { $0 },
        Case("background at 10", .badPriority) { $0.with("apns-priority", "10") },
        Case("background at no priority, which is 10", .badPriority) {
            $0.without("apns-priority")
        },
        Case("background at 1", nil) { $0.with("apns-priority", "1") },
        Case("background with an alert", .invalidPushType) {
            $0.with(body: #"{"aps":{"content-available":1,"alert":"a"}}"#)
        },
        Case("background with a badge", .invalidPushType) {
            $0.with(body: #"{"aps":{"content-available":1,"badge":1}}"#)
        },
        Case("background with a sound", .invalidPushType) {
            $0.with(body: #"{"aps":{"content-available":1,"sound":""}}"#)
        },
        Case("background without content-available", .invalidPushType) {
            $0.with(body: #"{"aps":{}}"#)
        },
        // matthijs2704/vapor-apns#52: the key misspelt, the value of another type.
        Case("content_available", .invalidPushType) {
            $0.with(body: #"{"aps":{"content_available":1}}"#)
        },
        Case("content-available true", .invalidPushType) {
            $0.with(body: #"{"aps":{"content-available":true}}"#)
        },
    ]

    static func padded(_ bytes: Int) -> String {
        let frame = #"{"aps":{"alert":""}}"#
        let filling = String(repeating: "x", count: bytes - frame.utf8.count)
        return #"{"aps":{"alert":"\#(filling)"}}"#
    }

    static func voip(_ fixture: RequestFixture) -> RequestFixture {
        fixture.with("apns-push-type", "voip").with("apns-topic", "com.example.shop.voip")
    }

    @Test(arguments: addressCases + headerCases + payloadCases)
    func alertRequestIsRuledOn(_ example: Case) {
        #expect(example.make(RequestFixture()).ruling() == example.ruling)
    }

    @Test(arguments: backgroundCases)
    func backgroundRequestIsRuledOn(_ example: Case) {
        #expect(example.make(.background).ruling() == example.ruling)
    }

    @Test(arguments: [Refusal.missingProviderToken, .invalidProviderToken, .expiredProviderToken])
    func credentialIsLookedAtBeforeAnythingElse(_ refusal: Refusal) {
        let worst = RequestFixture().with(":method", "GET").with(token: "x").with(body: "")
        let ruling = worst.ruling(shares: TokenShares(dead: 1), credential: .refused(refusal))
        #expect(ruling == .refused(refusal))
    }

    @Test func rulesAreAskedInTheirOrder() {
        var request = RequestFixture().with(":method", "GET").with(":path", "/")
            .without("apns-topic").with("apns-push-type", "x").with("apns-priority", "x")
            .with("apns-expiration", "x").with("apns-id", "x").with(body: "")
            .with("apns-collapse-id", String(repeating: "a", count: 65))
            .adding("apns-id", "x")
        let repairs: [(Refusal, String, String?)] = [
            (.methodNotAllowed, ":method", "POST"), (.badPath, ":path", "/3/device/"),
            (.missingDeviceToken, ":path", "/3/device/x"),
            (.badDeviceToken, ":path", "/3/device/\(RequestFixture.token)"),
            (.missingTopic, "apns-topic", "/"), (.badTopic, "apns-topic", "com.example.other"),
            (.topicDisallowed, "apns-topic", RequestFixture.topic),
            (.invalidPushType, "apns-push-type", "alert"), (.badPriority, "apns-priority", "10"),
            (.badExpirationDate, "apns-expiration", "0"), (.badCollapseID, "apns-collapse-id", "a"),
        ]
        for (refusal, name, value) in repairs {
            #expect(request.ruling() == .refused(refusal))
            request = value.map { request.with(name, $0) } ?? request.without(name)
        }
        #expect(request.ruling() == .refused(.badMessageID))
        request = request.without("apns-id").adding("apns-topic", "x")
        #expect(request.ruling() == .refused(.duplicateHeaders))
        request = request.with("apns-topic", RequestFixture.topic)
        #expect(request.ruling() == .refused(.payloadEmpty))
    }

    @Test func tokenIsAskedLast() {
        let dead = TokenShares(dead: 1)
        #expect(RequestFixture().with(body: "").ruling(shares: dead) == .refused(.payloadEmpty))
        guard case .gone(let time) = RequestFixture().ruling(shares: dead) else {
            Issue.record("a dead token was not called gone")
            return
        }
        #expect(time < 1_800_000_000_000)
    }

    @Test func everyFateHasItsAnswer() {
        let request = RequestFixture()
        #expect(
            request.ruling(shares: TokenShares(otherEnvironment: 1)) == .refused(.badDeviceToken))
        #expect(
            request.ruling(shares: TokenShares(wrongTopic: 1)) == .refused(.deviceTokenNotForTopic))
        #expect(request.ruling(shares: TokenShares(ignored: 1)) == .ignored)
    }

    @Test func anyTopicIsTakenIfNoneIsNamed() {
        let request = RequestFixture().with("apns-topic", "org.example.anything")
        #expect(request.ruling(topics: []) == .accepted)
    }

    @Test func bodyInPiecesIsOneBody() {
        var intake = RequestFixture().with(body: "").intake
        for byte in RequestFixture.alert.utf8 { intake.takeBody([byte].span) }
        let (body, bytes) = (intake.body, intake.bodyBytes)
        #expect(body == Array(RequestFixture.alert.utf8))
        #expect(bytes == body.count)
    }

    @Test func usedIntakeIsAsGoodAsNew() {
        var intake = RequestFixture().with("apns-id", "x").adding("apns-topic", "x").intake
        intake.reset()
        for (name, value) in RequestFixture().fields {
            intake.take(name: Array(name.utf8).span, value: Array(value.utf8).span)
        }
        intake.takeBody(RequestFixture().body.span)
        let fates = TokenFates(shares: TokenShares(), seed: 1, referenceMilliseconds: 0)
        let judge = RequestJudge(topics: [], fates: fates)
        let ruling = judge.ruling(on: intake, credential: .accepted, tokenHash: 0)
        #expect(ruling == .accepted)
    }

    @Test(arguments: Refusal.allCases)
    func everyRefusalIsARowOfTheTable(_ refusal: Refusal) {
        #expect((400...503).contains(refusal.status))
    }

    @Test func probeIsToldFromASend() {
        #expect(RequestFixture.background.kind == .probe)
        #expect(RequestFixture().kind == .send)
        let other = RequestFixture.background.with(body: #"{"aps":{"content-available":1},"a":1}"#)
        #expect(other.kind == .send)
        #expect(RequestFixture.background.with("apns-priority", "1").kind == .send)
    }
}
