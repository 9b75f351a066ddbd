import APNSProtocol
import TLS
import Testing

@testable import CommandLineTool

@Suite struct CertificateCheckTests {
    private static let app = "com.example.shop"
    private static let daySeconds: Int64 = 86_400

    private static func facts(
        topics: [String] = [app], marks: AppleMarks = [.sandbox, .production]
    ) throws -> CertificateFacts {
        let issued = try LocalAuthority.make().clientCertificate(
            app: "com.example.main", topics: topics, marks: marks)
        return try ClientIdentity(
            certificateFile: .init("push.pem", issued.certificatePEM + issued.keyPEM)
        ).facts
    }

    /// Checks some seconds before the certificate's end.
    private static func check(
        _ facts: CertificateFacts, secondsLeft: Int64 = 100 * daySeconds, app: String = app,
        environment: APNSEnvironment = .production
    ) -> CertificateCheck {
        CertificateCheck(
            facts, file: "push.pem", app: app, environment: environment,
            nowSeconds: facts.notAfterSeconds - secondsLeft)
    }

    @Test(
        arguments: [
            (31 * daySeconds, nil), (30 * daySeconds + 1, nil), (30 * daySeconds, "in 30 days"),
            (30 * daySeconds - 1, "in 29 days"), (daySeconds + 1, "in 1 day"),
            (daySeconds - 1, "in less than a day"), (0, "in less than a day"),
        ] as [(Int64, String?)])
    func theLastThirtyDaysAreWarnedOf(secondsLeft: Int64, piece: String?) throws {
        let facts = try Self.facts()
        let check = Self.check(facts, secondsLeft: secondsLeft)
        #expect(check.refusals.isEmpty)
        #expect((check.warning == nil) == (piece == nil))
        let end = "ends on \(facts.lastDay), \(piece ?? ""); renew it on Apple's developer site."
        #expect(check.warning?.hasSuffix(end) ?? true)
    }

    @Test func expiredAndFutureCertificatesAreRefused() throws {
        let facts = try Self.facts()
        let late = Self.check(facts, secondsLeft: -1)
        #expect(late.warning == nil)
        #expect(
            late.refusals == [
                "push.pem: the certificate Apple Push Services: com.example.main expired on "
                    + "\(facts.lastDay); renew it on Apple's developer site."
            ])
        let length = facts.notAfterSeconds - facts.notBeforeSeconds
        #expect(Self.check(facts, secondsLeft: length).refusals.isEmpty)
        let early = Self.check(facts, secondsLeft: length + 1)
        #expect(early.refusals.first?.contains("this machine's clock says") == true)
    }

    @Test func aTopicThatIsNotListedIsRefused() throws {
        let facts = try Self.facts(topics: ["a.b", "a.b.voip"])
        #expect(
            Self.check(facts).refusals.first?.hasSuffix(
                "is not for the app com.example.shop; it is for a.b, a.b.voip.") == true)
        #expect(Self.check(facts, app: "a.b.voip").refusals.isEmpty)
        // Neither a part of a topic nor one with more behind it.
        #expect(!Self.check(facts, app: "a").refusals.isEmpty)
        #expect(!Self.check(facts, app: "a.b.voip.c").refusals.isEmpty)
        let withoutList = try Self.facts(topics: [])
        #expect(Self.check(withoutList, app: "com.example.main").refusals.isEmpty)
    }

    @Test(
        arguments: [
            (.sandbox, .sandbox, true), (.sandbox, .production, false),
            (.production, .production, true), (.production, .sandbox, false),
            ([.sandbox, .production], .sandbox, true),
            ([.sandbox, .production], .production, true),
            ([], .sandbox, true), ([], .production, true),
        ] as [(AppleMarks, APNSEnvironment, Bool)])
    func theMarkedEnvironmentIsTheOnlyOne(
        marks: AppleMarks, environment: APNSEnvironment, isTaken: Bool
    ) throws {
        let check = Self.check(try Self.facts(marks: marks), environment: environment)
        #expect(check.refusals.isEmpty == isTaken, "\(check)")
    }

    @Test func everythingWrongIsToldAtOnce() throws {
        let facts = try Self.facts(topics: ["a.b"], marks: .sandbox)
        #expect(Self.check(facts, secondsLeft: -5).refusals.count == 3)
    }
}
