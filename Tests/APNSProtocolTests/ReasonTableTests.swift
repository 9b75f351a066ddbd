import Testing

@testable import APNSProtocol

/// One expected row, written down independently of the table.
struct ExpectedReason: Sendable, CustomTestStringConvertible {
    let status: Int
    let wire: String
    let reasonClass: ReasonClass
    let verdict: Verdict
    let retry: RetryRule

    init(
        _ status: Int, _ wire: String, _ reasonClass: ReasonClass, _ verdict: Verdict,
        _ retry: RetryRule
    ) {
        self.status = status
        self.wire = wire
        self.reasonClass = reasonClass
        self.verdict = verdict
        self.retry = retry
    }

    var testDescription: String { "\(status) \(wire)" }

    /// Apple's table of error strings, in its order, with what each has to lead to.
    static let all: [ExpectedReason] = [
        .init(400, "BadCollapseId", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "BadDeviceToken", .token, .rejectedToken(kind: .invalid), .never),
        .init(400, "BadExpirationDate", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "BadMessageId", .ours, .stopRun(.ours), .afterFix),
        .init(400, "BadPriority", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "BadTopic", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "DeviceTokenNotForTopic", .token, .rejectedToken(kind: .wrongTopic), .never),
        .init(400, "DuplicateHeaders", .ours, .stopRun(.ours), .afterFix),
        .init(400, "IdleTimeout", .transient, .retryOnNewConnection, .newConnection),
        .init(400, "InvalidPushType", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "MissingDeviceToken", .ours, .rejected, .never),
        .init(400, "MissingTopic", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "PayloadEmpty", .campaign, .stopRun(.campaign), .afterFix),
        .init(400, "TopicDisallowed", .campaign, .stopRun(.campaign), .afterFix),
        .init(403, "BadCertificate", .credential, .stopRun(.credential), .afterFix),
        .init(403, "BadCertificateEnvironment", .credential, .stopRun(.credential), .afterFix),
        .init(403, "ExpiredProviderToken", .credential, .renewCredential, .newCredential),
        .init(403, "Forbidden", .credential, .stopRun(.credential), .never),
        .init(403, "InvalidProviderToken", .credential, .stopRun(.credential), .afterFix),
        .init(403, "MissingProviderToken", .credential, .stopRun(.credential), .afterFix),
        .init(403, "UnrelatedKeyIdInToken", .credential, .newConnectionOnce, .newConnection),
        .init(403, "BadEnvironmentKeyIdInToken", .credential, .stopRun(.credential), .afterFix),
        .init(403, "BadEnvironmentKeyInToken", .credential, .stopRun(.credential), .afterFix),
        .init(404, "BadPath", .ours, .stopRun(.ours), .afterFix),
        .init(405, "MethodNotAllowed", .ours, .stopRun(.ours), .afterFix),
        .init(410, "ExpiredToken", .token, .rejectedToken(kind: .gone), .never),
        .init(410, "Unregistered", .token, .rejectedToken(kind: .gone), .never),
        .init(413, "PayloadTooLarge", .campaign, .stopRun(.campaign), .never),
        .init(
            429, "TooManyProviderTokenUpdates", .credential, .backOffCredential, .sameCredential),
        .init(429, "TooManyRequests", .device, .retryDevice, .deviceLater),
        .init(500, "InternalServerError", .transient, .retryLater, .later),
        .init(503, "ServiceUnavailable", .transient, .retryLater, .later),
        .init(503, "Shutdown", .transient, .retryOnNewConnection, .newConnection),
    ]
}

/// The table's code of a text. (A span cannot stand inside an expectation.)
func knownCode(_ wire: String) -> ReasonCode? {
    ReasonTable.code(forWireBytes: wire.utf8.span)
}

@Suite struct ReasonTableTests {
    // BadEnvironmentKeyIdInToken and UnrelatedKeyIdInToken were unknown to libraries when they
    // appeared, and the first is spelt without "Id" on the wire: kylebrowning/APNSwift#229,
    // codedge-llc/pigeon#312.
    @Test(arguments: ExpectedReason.all)
    func everyReasonHasItsRow(_ expected: ExpectedReason) throws {
        let code = try #require(knownCode(expected.wire))
        let row = try #require(ReasonTable.row(code))
        #expect(row.wire == expected.wire)
        #expect(row.code == code)
        #expect(row.status == expected.status)
        #expect(row.reasonClass == expected.reasonClass)
        #expect(row.verdict == expected.verdict)
        #expect(row.retry == expected.retry)
    }

    @Test func theTableHasNoFurtherRows() {
        #expect(
            Set(ReasonTable.rows.map(\.wire)) == Set(ExpectedReason.all.map(\.wire)))
        #expect(ReasonTable.rows.count == ExpectedReason.all.count)
    }

    @Test func theNumbersAreOneToTheNumberOfRows() {
        let numbers = ReasonTable.rows.map { Int($0.code.rawValue) }.sorted()
        #expect(numbers == Array(1...ReasonTable.rows.count))
    }

    /// These numbers may lie in a database: a change here is a fault.
    @Test(arguments: [
        ("BadCollapseId", 1), ("BadDeviceToken", 2), ("DeviceTokenNotForTopic", 7),
        ("ExpiredProviderToken", 17), ("ExpiredToken", 25), ("Unregistered", 26),
        ("TooManyRequests", 29), ("InternalServerError", 30), ("Shutdown", 33),
    ])
    func theNumbersStay(_ wire: String, _ number: UInt16) {
        #expect(knownCode(wire) == ReasonCode(rawValue: number))
    }

    @Test(arguments: ExpectedReason.all)
    func onlyTheExactTextIsFound(_ expected: ExpectedReason) {
        let wire = expected.wire
        #expect(knownCode(String(wire.dropLast())) == nil)
        #expect(knownCode(String(wire.dropFirst())) == nil)
        #expect(knownCode(wire + "s") == nil)
        #expect(knownCode(wire.lowercased()) == nil)
        #expect(knownCode(" " + wire) == nil)
    }

    @Test(arguments: [0, 1, 26, 27, 28, 31, 32, 33, 34, 8192])
    func aForeignTextOfAnyLengthIsNotFound(_ length: Int) {
        #expect(knownCode(String(repeating: "x", count: length)) == nil)
    }

    @Test(arguments: [ReasonCode.none, .unlisted, ReasonCode(rawValue: 34), .init(rawValue: 1000)])
    func aCodeOutsideTheTableHasNoRow(_ code: ReasonCode) {
        #expect(ReasonTable.row(code) == nil)
    }

    @Test func everyRowSpeaksInSentences() {
        for row in ReasonTable.rows {
            for text in [row.meaning, row.advice] {
                #expect(text.hasSuffix("."), "\(row.wire)")
                #expect(text.first?.isUppercase == true, "\(row.wire)")
                #expect(!text.contains("  "), "\(row.wire)")
            }
        }
    }

    @Test func onlyRefusalsOfTokensAreEvidenceForTheBrake() {
        let evidence = ReasonTable.rows.filter(\.isInvalidTokenEvidence).map(\.wire)
        #expect(
            Set(evidence) == ["BadDeviceToken", "DeviceTokenNotForTopic", "MissingDeviceToken"])
    }

    /// The look-up compares a text with those of its own length only; it relies on them being few.
    @Test func fewReasonsShareALength() {
        let lengths = Dictionary(grouping: ReasonTable.rows, by: \.wire.utf8.count)
        #expect(lengths.values.allSatisfy { $0.count <= 5 })
        #expect(lengths.keys.allSatisfy { $0 <= ReasonTable.wireBytesMax })
    }
}
