import APNSProtocol
import Testing

@Suite struct RequestHeadTests {
    private func text(_ head: RequestHead, token: ProviderToken? = nil) -> [String] {
        head.fields(token: token).map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
    }

    @Test func aFullHeadHasEveryHeaderOnceInOrder() {
        let head = RequestHead(
            topic: "com.example.shop", pushType: .alert, priority: .powerAware,
            expirationSeconds: 1_798_761_600, collapseID: "weekend-sale/7")
        let token = ProviderToken(
            jwt: [UInt8]("a.b.c".utf8), issuedAtSeconds: 0, issuedAtNanoseconds: 0)
        #expect(
            text(head, token: token) == [
                "apns-topic: com.example.shop", "apns-push-type: alert", "apns-priority: 5",
                "apns-expiration: 1798761600", "apns-collapse-id: weekend-sale/7",
                "authorization: bearer a.b.c",
            ])
    }

    // Without the push type newer systems delay or drop pushes: jchambers/pushy#701,
    // appleboy/gorush#424. Without the topic everything is refused: rpush/rpush#363.
    @Test(arguments: PushType.allCases, PushPriority.allCases)
    func topicTypeAndPriorityAreAlwaysThere(_ type: PushType, _ priority: PushPriority) {
        let head = RequestHead(topic: "com.example.shop", pushType: type, priority: priority)
        #expect(
            text(head) == [
                "apns-topic: com.example.shop", "apns-push-type: \(type.rawValue)",
                "apns-priority: \(priority.rawValue)",
            ])
    }

    // Zero means one attempt and no storing, which is not the same as no header; libraries dropped
    // it: AndrewBarba/apns2#88, node-apn/node-apn#660, sideshow/apns2#169, edamov/pushok#105.
    @Test func anExpirationOfZeroIsSentAndNoneIsNot() {
        var head = RequestHead(topic: "a.b", pushType: .alert, priority: .immediate)
        #expect(!text(head).contains { $0.hasPrefix("apns-expiration") })
        head.expirationSeconds = 0
        #expect(text(head).contains("apns-expiration: 0"))
    }

    // A probe must be silent and of low priority: node-apn/node-apn#241.
    @Test func aProbeIsSilentAndOfLowPriorityAndNotStored() {
        #expect(
            text(.probe(topic: "com.example.shop")) == [
                "apns-topic: com.example.shop", "apns-push-type: background", "apns-priority: 5",
                "apns-expiration: 0",
            ])
        let payload = String(decoding: RequestHead.probePayload, as: UTF8.self)
        #expect(payload == #"{"aps":{"content-available":1}}"#)
    }

    @Test func everythingConstantMayBeIndexed() {
        let head = RequestHead(
            topic: "a.b", pushType: .alert, priority: .immediate, expirationSeconds: 5,
            collapseID: "c")
        #expect(head.fields(token: nil).allSatisfy { $0.indexing == .allowed })
        #expect(HeaderField(name: "a", value: [], indexing: .never).indexing == .never)
    }

    @Test func thePathIsThePrefixAndTheToken() {
        var path = [UInt8]("kept".utf8)
        RequestHead.appendPath(token: "c0ffee01".utf8.span, to: &path)
        #expect(String(decoding: path, as: UTF8.self) == "kept/3/device/c0ffee01")
    }

    @Test func theWireWordsAreApples() {
        #expect(PushType.allCases.map(\.rawValue) == ["alert", "background"])
        #expect(PushPriority.allCases.map(\.rawValue) == [10, 5, 1])
    }
}
