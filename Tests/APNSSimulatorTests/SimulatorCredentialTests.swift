import APNSSimulator
import HTTP2
import Testing

/// Credentials over real connections, with keys made for each test.
@Suite struct SimulatorCredentialTests {
    private static func fixture() throws -> SimulatorFixture {
        try SimulatorFixture { configuration, credentials in
            configuration.credential = credentials.rule
        }
    }

    private static func reason(_ answer: TestSender.Answer) -> String {
        "\(answer.status ?? 0) \(answer.body)"
    }

    @Test func everyCredentialIsAnswered() throws {
        let fixture = try Self.fixture()
        let cases: [(authorization: [UInt8]?, answer: String)] = [
            (nil, #"403 {"reason":"MissingProviderToken"}"#),
            (Array("bearer x".utf8), #"403 {"reason":"InvalidProviderToken"}"#),
            (
                try fixture.authorization(keyID: "ZZZZZZZZZZ"),
                #"403 {"reason":"InvalidProviderToken"}"#
            ),
            (
                try fixture.authorization(ageSeconds: 3700),
                #"403 {"reason":"ExpiredProviderToken"}"#
            ),
            (try fixture.authorization(), "200 "),
            (
                try fixture.authorization(ageSeconds: 600),
                #"429 {"reason":"TooManyProviderTokenUpdates"}"#
            ),
            (try fixture.authorization(ageSeconds: 1800), "200 "),
        ]
        let sender = try fixture.sender()
        for (authorization, expected) in cases {
            let answer = try sender.send(
                tokens: SimulatorTests.tokens(1),
                fields: TestSender.fields(authorization: authorization))[0]
            #expect(Self.reason(answer) == expected)
        }
        #expect(fixture.simulator.snapshot().authorizations == 6)
    }

    @Test func keyOfAnotherSimulatorIsRefused() throws {
        let fixture = try Self.fixture()
        let other = try Self.fixture()
        let authorization = try other.authorization(
            keyID: fixture.credentials.keyID, teamID: fixture.credentials.teamID)
        let answers = try fixture.sender().send(
            tokens: SimulatorTests.tokens(3),
            fields: TestSender.fields(authorization: authorization))
        #expect(answers.allSatisfy { $0.status == 403 })
    }

    @Test func untrustedAuthorityEndsBeforeAnyRequest() throws {
        let fixture = try Self.fixture()
        let other = try Self.fixture()
        let sender = try TestSender(
            port: fixture.port, authorityFile: other.credentials.authorityFile)
        try sender.wait { sender.closure != nil }
        #expect(!sender.isOpen)
        let statistics = fixture.simulator.stop()
        #expect(statistics.requests == 0)
        #expect(statistics.connectionsOpened == 0)
        #expect(statistics.connections.isEmpty)
    }
}
