import CampaignModel
import DocumentTree
import Testing

/// The app's own keys: relaxed in the file, strict JSON on the wire.
@Suite struct DataTests {
    // json5/json5#67, philbooth/bfj#64, mmastrac/nanojson#133: forms that strict JSON lacks.
    // webhooksite/webhook.site#76, tornadoweb/tornado#2908: integers above 2^53 were rounded.
    @Test(arguments: [
        ("1", "1"), ("-0", "-0"), ("1.10", "1.10"), ("0.50", "0.50"), ("1e3", "1e3"),
        ("1E+3", "1e+3"), ("-1.5e-10", "-1.5e-10"), ("+1", "1"), (".5", "0.5"), ("-.5", "-0.5"),
        ("5.", "5"), ("5.e2", "5e2"), ("0xff00ff", "16711935"), ("-0x10", "-16"), ("0XFF", "255"),
        ("0xffffffffffffffff", "18446744073709551615"),
        ("9007199254740993", "9007199254740993"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("true", "true"), ("false", "false"), ("null", "null"),
        ("True", "\"True\""), ("~", "\"~\""), ("no", "\"no\""), ("on", "\"on\""),
        ("yes", "\"yes\""), ("off", "\"off\""), ("0042", "\"0042\""), ("+0042", "\"+0042\""),
        ("00.5", "\"00.5\""), (".", "\".\""), ("1e", "\"1e\""), ("e5", "\"e5\""),
        ("1_000", "\"1_000\""), ("0x", "\"0x\""), ("0o17", "\"0o17\""), ("1.2.3", "\"1.2.3\""),
        ("12:30", "\"12:30\""), ("2026-12-05", "\"2026-12-05\""), ("infinity", "\"infinity\""),
        ("nano", "\"nano\""), ("\"5\"", "\"5\""), ("'true'", "\"true\""), ("\"\"", "\"\""),
        ("[1, [a, null], {}]", "[1,[\"a\",null],{}]"), ("[]", "[]"),
        ("{ b: { c: no } }", "{\"b\":{\"c\":\"no\"}}"),
        ("\"a\\\"b\\\\c\\u0001\\n/é😀\"", "\"a\\\"b\\\\c\\u0001\\n/é😀\""),
    ])
    func aValueGoesOutAsStrictJSON(written: String, json: String) throws {
        let made = try payload("title: x, data: { v: \(written) }")
        #expect(made == "{\"aps\":{\"alert\":{\"title\":\"x\"}},\"v\":\(json)}")
        #expect(StrictJSON.accepts(made))
    }

    @Test(arguments: [
        "NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", ".nan", ".inf", "-.inf",
        "0x10000000000000000",
    ])
    func whatJSONDoesNotHaveIsRefused(written: String) {
        let errors = errors(campaignText(message: "title: x, data: { a: { score: \(written) } }"))
        #expect(errors.map(\.fieldPath) == ["message.data.a.score"])
        #expect(errors.first?.line == 4)
    }

    @Test func keysKeepTheirOrderAndStandBehindAps() throws {
        let made = try payload("title: x, data: { z: 1, a: 2, \"k \\\"q\": 3 }")
        #expect(StrictJSON.rootKeys(made) == ["aps", "z", "a", "k \\\"q"])
    }

    @Test func keysAreNoTemplates() throws {
        let made = try payload("title: x, data: { \"{{ a }}\": 1 }")
        #expect(made.hasSuffix("\"{{ a }}\":1}"))
    }

    // pcal43/highspeed-rail#20, FelixHerrmann/swift-package-list#146: URLs and quotes of both
    // kinds.
    @Test func urlsAndQuotesArriveWhole() throws {
        let made = try payload(
            "title: 'Don''t miss \"it\"', data: { url: 'https://example.com/a//b' }, ")
        #expect(
            made == #"{"aps":{"alert":{"title":"Don't miss \"it\""}},"#
                + #""url":"https://example.com/a//b"}"#)
    }
}
