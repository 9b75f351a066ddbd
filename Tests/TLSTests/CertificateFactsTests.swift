import Glibc
import Testing

@testable import TLS

@Suite struct CertificateFactsTests {
    private static let app = "com.example.shop"

    private static func facts(
        topics: [String] = [app], marks: AppleMarks = [.sandbox, .production],
        validDays: Int = 300, beginsDaysFromNow: Int = -1
    ) throws -> CertificateFacts {
        let issued = try LocalAuthority.make().clientCertificate(
            app: app, topics: topics, marks: marks, validDays: validDays,
            beginsDaysFromNow: beginsDaysFromNow)
        return try ClientIdentity(
            certificateFile: .init("push.pem", issued.certificatePEM + issued.keyPEM)
        ).facts
    }

    @Test(arguments: [
        (["com.example.shop"], ["com.example.shop"]),
        (
            ["com.example.shop", "com.example.shop.voip", "com.example.shop.complication"],
            ["com.example.shop", "com.example.shop.voip", "com.example.shop.complication"]
        ),
        // Without a list the subject's UID is the topic.
        ([], ["com.example.shop"]),
    ])
    func topicsAreThoseOfTheListOrTheUID(listed: [String], topics: [String]) throws {
        #expect(try Self.facts(topics: listed).topics == topics)
    }

    @Test(arguments: [[], .sandbox, .production, [.sandbox, .production]] as [AppleMarks])
    func marksAreRead(marks: AppleMarks) throws {
        #expect(try Self.facts(marks: marks).marks == marks)
    }

    @Test(arguments: [(-10, 5), (-1, 30), (-300, 301), (0, 36_500)])
    func timesAreRead(begins: Int, days: Int) throws {
        let now = Int64(time(nil))
        let facts = try Self.facts(validDays: days, beginsDaysFromNow: begins)
        let (start, end) = (Int64(begins) * 86_400, Int64(begins + days) * 86_400)
        // The clock may have gone on while the certificate was made.
        #expect((now + start...now + start + 120).contains(facts.notBeforeSeconds))
        #expect((now + end...now + end + 120).contains(facts.notAfterSeconds))
    }

    @Test func lastDayIsADateInUTC() throws {
        let key = TemporaryFile(try SigningKey.generate().privatePEM)
        let request = "req -x509 -new -key \(key.path) -subj /CN=x/UID=\(Self.app)"
        let now = time(nil)
        let certificate = OpenSSLTool.runBytes("\(request) -days 1")
        var later = now + 86_400
        var moment = tm()
        gmtime_r(&later, &moment)
        let facts = try ClientIdentity(
            certificateFile: .init("c", certificate),
            keyFile: .init("k", Array(OpenSSLTool.runBytes("pkey -in \(key.path)")))
        ).facts
        let parts = [Int(moment.tm_year) + 1900, Int(moment.tm_mon) + 1, Int(moment.tm_mday)]
        let day = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
        // Midnight may have passed in between.
        #expect(facts.lastDay == day || time(nil) / 86_400 != now / 86_400)
        #expect(facts.topics == [Self.app])
        #expect(facts.marks.isEmpty)
    }

    @Test func namesCanNotPlayWithTheTerminal() {
        let bytes = Array("shop\u{1B}[31m\u{202E}x\u{9B}\nü".utf8)
        #expect(SafeName.text(bytes) == "shop?[31m?x??ü")
        #expect(SafeName.text([0x61, 0xFF]) == "a\u{FFFD}")
    }
}

@Suite struct AppleTopicsTests {
    /// As in a certificate of Apple's, with the names changed.
    @Test func theFormIsApples() {
        let der: [UInt8] =
            [0x30, 0x10, 0x0C, 0x03] + Array("a.b".utf8) + [0x30, 0x05, 0x0C, 0x03]
            + Array("app".utf8) + [0x0C, 0x02] + Array("xy".utf8)
        #expect(AppleTopics.topics(der: der) == ["a.b", "xy"])
        #expect(
            AppleTopics.der(["a.b"])
                == [0x30, 0x0C, 0x0C, 0x03] + Array("a.b".utf8) + [0x30, 0x05, 0x0C, 0x03]
                + Array("app".utf8))
    }

    /// Around the lengths where DER's length takes a byte more.
    @Test(arguments: [1, 115, 116, 117, 127, 128, 129, 243, 244, 255, 256, 257, 5_000])
    func everyLengthComesBack(count: Int) {
        let topics = [String(repeating: "a", count: count), "b.voip"]
        #expect(AppleTopics.topics(der: AppleTopics.der(topics)) == topics)
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x01], [0x30, 0x00, 0x00], [0x31, 0x00], [0x30, 0x02, 0x0C, 0x01],
            [0x30, 0x80, 0x00, 0x00], [0x30, 0x84, 0, 0, 0, 0], [0x30, 0x83, 0xFF, 0xFF, 0xFF],
            [0x30, 0x01, 0x0C], [0x30, 0x00], [0x30, 0x81],
        ] as [[UInt8]])
    func otherFormsHaveNoTopics(der: [UInt8]) {
        #expect(AppleTopics.topics(der: der) == [])
    }
}
