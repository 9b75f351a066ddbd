@testable import APNSSimulator

/// A request in the making: a good one, until a test changes something about it.
struct RequestFixture {
    static let token = String(repeating: "c0ffee01", count: 8)
    static let topic = "com.example.shop"
    static let alert = #"{"aps":{"alert":"Sale"}}"#
    static let probe = #"{"aps":{"content-available":1}}"#

    var fields: [(name: String, value: String)] = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(token)"),
        (":authority", "localhost"), ("apns-topic", topic), ("apns-push-type", "alert"),
        ("apns-priority", "10"),
    ]
    var body = Array(alert.utf8)

    /// A good background push.
    static var background: RequestFixture {
        RequestFixture().with("apns-push-type", "background").with("apns-priority", "5")
            .with(body: probe)
    }

    func with(_ name: String, _ value: String) -> RequestFixture {
        var changed = without(name)
        changed.fields.append((name, value))
        return changed
    }

    func without(_ name: String) -> RequestFixture {
        var changed = self
        changed.fields.removeAll { $0.name == name }
        return changed
    }

    func adding(_ name: String, _ value: String) -> RequestFixture {
        var changed = self
        changed.fields.append((name, value))
        return changed
    }

    func with(token: String) -> RequestFixture { with(":path", "/3/device/\(token)") }

    func with(body: String) -> RequestFixture {
        var changed = self
        changed.body = Array(body.utf8)
        return changed
    }

    var intake: RequestIntake {
        var intake = RequestIntake()
        for (name, value) in fields {
            intake.take(name: Array(name.utf8).span, value: Array(value.utf8).span)
        }
        intake.takeBody(body.span)
        return intake
    }

    /// Send or probe.
    var kind: PushKind { PushKind(of: intake) }

    /// What a judge rules on the request.
    func ruling(
        topics: [String] = [topic], shares: TokenShares = TokenShares(),
        credential: CredentialRuling = .accepted
    ) -> Ruling {
        let fates = TokenFates(shares: shares, seed: 1, referenceMilliseconds: 1_800_000_000_000)
        let intake = intake
        return RequestJudge(topics: topics, fates: fates).ruling(
            on: intake, credential: credential,
            tokenHash: TokenHash.value(of: intake.token.span, seed: 1))
    }
}
