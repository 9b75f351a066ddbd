import APNSProtocol
import Testing

@Suite struct JudgementTests {
    @Test(arguments: ExpectedReason.all)
    func aKnownReasonDecides(_ expected: ExpectedReason) {
        #expect(verdict(expected.status, expected.wire) == expected.verdict)
    }

    // Apple names the reasons that are never to be tried again; a retry setting made a library
    // send to dead tokens as often as it said: appleboy/gorush#420, appleboy/gorush#507.
    @Test(arguments: [
        (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (403, "Forbidden"),
        (410, "ExpiredToken"), (410, "Unregistered"), (413, "PayloadTooLarge"),
    ])
    func whatCannotSucceedIsNeverTriedAgain(_ status: Int, _ wire: String) throws {
        let code = try #require(knownCode(wire))
        #expect(ReasonTable.row(code)?.retry == .never)
        switch verdict(status, wire) {
        case .rejectedToken, .rejected, .stopRun: break
        default: Issue.record("\(wire) would be tried again.")
        }
    }

    // New reasons appear every year and must not crash anything: the class follows the status
    // (andrei-m-code/net-core-push-notifications#79, alexalok/dotAPNS#121).
    @Test(arguments: [
        (400, Verdict.rejected), (401, .rejected), (403, .rejected), (404, .rejected),
        (405, .rejected), (409, .rejected), (410, .rejectedToken(kind: .gone)), (411, .rejected),
        (413, .rejected), (429, .rejected), (499, .rejected), (500, .retryLater),
        (501, .retryLater), (502, .retryLater), (503, .retryLater), (599, .retryLater),
    ])
    func anUnknownReasonIsJudgedByItsStatus(_ status: Int, _ expected: Verdict) {
        #expect(verdict(status, "BrandNewReason") == expected)
        #expect(Judgement.verdict(status: status, reason: .none) == expected)
        #expect(Judgement.verdict(status: status, reason: .unlisted) == expected)
    }

    @Test func twoHundredIsAcceptedWhateverItsBodySays() {
        #expect(Judgement.verdict(status: 200, reason: .none) == .accepted)
        #expect(verdict(200, "BadDeviceToken") == .accepted)
        #expect(verdict(200, "InvalidProviderToken") == .accepted)
    }

    // A gateway may answer in place of APNs: matrix-org/sygnal#304, expo/expo#20829.
    @Test(arguments: [
        (0, Verdict.retryLater), (100, .retryLater), (199, .retryLater), (201, .rejected),
        (204, .rejected), (299, .rejected), (300, .retryLater), (302, .retryLater),
        (399, .retryLater), (600, .retryLater), (-1, .retryLater),
    ])
    func aStatusThatIsNotOneOfAPNsNeverCountsAsAccepted(_ status: Int, _ expected: Verdict) {
        #expect(Judgement.verdict(status: status, reason: .none) == expected)
    }

    @Test func aReasonMayMoveInsideItsStatusClass() {
        #expect(verdict(400, "TopicDisallowed") == .stopRun(.campaign))
        #expect(verdict(403, "TopicDisallowed") == .stopRun(.campaign))
        #expect(verdict(410, "BadDeviceToken") == .rejectedToken(kind: .invalid))
        #expect(verdict(500, "Shutdown") == .retryOnNewConnection)
    }

    @Test func aReasonThatContradictsItsStatusClassIsNotTrusted() {
        #expect(verdict(503, "BadDeviceToken") == .retryLater)
        #expect(verdict(500, "Unregistered") == .retryLater)
        #expect(verdict(400, "InternalServerError") == .rejected)
    }

    @Test func evidenceAgainstTheSetUpIsEveryRefusalBut410() {
        #expect(verdict(400, "BadDeviceToken").isInvalidTokenEvidence)
        #expect(verdict(400, "DeviceTokenNotForTopic").isInvalidTokenEvidence)
        #expect(verdict(400, "BrandNewReason").isInvalidTokenEvidence)
        #expect(!verdict(410, "Unregistered").isInvalidTokenEvidence)
        #expect(!verdict(200, "").isInvalidTokenEvidence)
        #expect(!verdict(503, "ServiceUnavailable").isInvalidTokenEvidence)
        #expect(!verdict(403, "InvalidProviderToken").isInvalidTokenEvidence)
    }

    @Test(arguments: ExpectedReason.all)
    func aRecipientIsFinishedOnlyByAFinalVerdict(_ expected: ExpectedReason) {
        let isFinal =
            switch expected.verdict {
            case .accepted, .rejected, .rejectedToken: true
            default: false
            }
        #expect(verdict(expected.status, expected.wire).isFinal == isFinal)
    }

    @Test func theReasonOfAGoAwayIsJudgedWithoutAStatus() throws {
        let shutdown = try #require(knownCode("Shutdown"))
        #expect(Judgement.verdict(goAwayReason: shutdown) == .retryOnNewConnection)
        #expect(Judgement.verdict(goAwayReason: .none) == nil)
        #expect(Judgement.verdict(goAwayReason: ReasonCode(rawValue: 1000)) == nil)
    }

    // Answers as they came, from APNs and from gateways in front of it:
    // andrei-m-code/net-core-push-notifications#79, Pr0Ger/PyAPNs2#61, matrix-org/sygnal#304.
    @Test(arguments: [
        (400, #"{"reason":"BrandNewReason"}"#, Verdict.rejected),
        (400, #"{"reason":5}"#, .rejected),
        (400, #"{"reason":null}"#, .rejected), (400, "{}", .rejected), (400, "", .rejected),
        (410, #"{"reason":"Unregistered"}"#, .rejectedToken(kind: .gone)),
        (410, #"{"reason":"Unregistered","timestamp":0}"#, .rejectedToken(kind: .gone)),
        (410, "", .rejectedToken(kind: .gone)), (503, "<html>busy</html>", .retryLater),
        (502, "bad gateway", .retryLater), (200, "a body", .accepted),
        (503, #"{"reason":"Shutdown"}"#, .retryOnNewConnection),
        (403, #"{ "reason" : "InvalidProviderToken" }"#, .stopRun(.credential)),
        (400, #"{"reason":"BadDeviceTo"#, .rejected),
    ])
    func anAnswerIsJudgedFromItsBytes(_ status: Int, _ body: String, _ expected: Verdict) {
        var registry = ReasonRegistry()
        let bytes = body.utf8.span
        let answer = AnswerBody(reading: bytes)
        let reason = answer.reason.map { registry.code(for: bytes.extracting($0)) } ?? .none
        #expect(Judgement.verdict(status: status, reason: reason) == expected)
    }

    private func verdict(_ status: Int, _ wire: String) -> Verdict {
        var registry = ReasonRegistry()
        return Judgement.verdict(status: status, reason: registry.code(for: wire.utf8.span))
    }
}
