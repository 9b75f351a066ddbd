import APNSProtocol
import Testing

@Suite struct AnswerBodyTests {
    // Bodies whose shape surprised clients: Pr0Ger/PyAPNs2#61,
    // jazzband/django-push-notifications#650, matrix-org/sygnal#304.
    @Test(arguments: [
        (#"{"reason":"BadDeviceToken"}"#, "BadDeviceToken"),
        (#" { "reason" : "BadDeviceToken" } "#, "BadDeviceToken"),
        ("\n{\t\"reason\"\r:\n\"X\"}\n", "X"),
        (#"{"reason":""}"#, ""),
        (#"{"timestamp":1794268800000,"reason":"Unregistered"}"#, "Unregistered"),
        (#"{"a":{"reason":"inner"},"reason":"outer"}"#, "outer"),
        (#"{"a":[1,2,[{}],{"b":null}],"reason":"X","z":true}"#, "X"),
        (#"{"a":"\"reason\":\"no\"","reason":"X"}"#, "X"),
        (#"{"a":"\\","reason":"X"}"#, "X"),
        (#"{"reason":"first","reason":"second"}"#, "first"),
        (#"{"reason":null,"reason":"X"}"#, "X"),
        (#"{"reason":"a\"b"}"#, #"a\"b"#),
    ])
    func theReasonIsFound(_ json: String, _ reason: String) {
        #expect(Self.reason(json) == reason)
    }

    @Test(arguments: [
        "", " ", "{}", "[]", "null", "5", #""reason""#, #"{"reason":5}"#, #"{"reason":null}"#,
        #"{"reason":{}}"#, #"{"reason":["X"]}"#, #"{"Reason":"X"}"#, #"{"reasons":"X"}"#,
        #"{"reaso":"X"}"#, #"[{"reason":"X"}]"#, "<html><body>503</body></html>", "upstream error",
        #"{"reason":"X"#, #"{"reason":"X""#, #"{"reason":"X","#, #"{"reason":"X",}"#,
        #"{"reason":"X"}}"#, #"{"reason":"X"}{"#, #"{"reason" "X"}"#, #"{reason:"X"}"#,
        #"{"reason":"X" "a":1}"#, #"{"a":,"reason":"X"}"#, #"{"a":[1,"reason":"X"}"#,
        #"{"a":"unfinished\"#, #"{"reason":"X","a":[1,2}"#, #"{"reason":"X","a":{"b"}}"#, "{",
        "{,}",
        "\u{FEFF}{\"reason\":\"X\"}",
    ])
    func whatIsNotAWholeObjectWithAReasonGivesNone(_ json: String) {
        #expect(Self.reason(json) == nil)
    }

    @Test(arguments: [
        ("1794268800000", 1_794_268_800_000), (#""1794268800000""#, 1_794_268_800_000),
        ("1230768000000", 1_230_768_000_000), ("9999999999999", 9_999_999_999_999),
    ])
    func aTimeMayBeANumberOrText(_ value: String, _ milliseconds: Int64) {
        #expect(Self.timestamp(value) == milliseconds)
    }

    // A 410 without a time, with zero, or with something else instead must not be taken for a
    // time: Pr0Ger/PyAPNs2#61, jazzband/django-push-notifications#650.
    @Test(arguments: [
        "0", "-1", "1", "null", "true", "{}", "[1794268800000]", #""""#, #""soon""#, "NaN",
        "1794268800", "1230767999999", "10000000000000", "17942688000000000000", "1.7942688e12",
        "1794268800.00", "-794268800000", "+794268800000", "1794268800000.5", #"" 794268800000""#,
        #""2026-11-10T00:00:00Z""#, "0x94268800000",
    ])
    func whatCannotBeATimeIsNone(_ value: String) {
        #expect(Self.timestamp(value) == nil)
        #expect(Self.reason(#"{"reason":"Unregistered","timestamp":\#(value)}"#) == "Unregistered")
    }

    @Test func aBodyWithoutATimeHasNone() {
        let body = AnswerBody(reading: #"{"reason":"Unregistered"}"#.utf8.span)
        #expect(body.timestampMilliseconds == nil)
    }

    @Test(arguments: [(8191, "X"), (8192, "X"), (8193, nil)] as [(Int, String?)])
    func aBodyThatIsTooLongGivesNothing(_ length: Int, _ expected: String?) {
        let head = #"{"reason":"X","pad":""#
        let json = head + String(repeating: "p", count: length - head.utf8.count - 2) + #""}"#
        #expect(json.utf8.count == length)
        #expect(Self.reason(json) == expected)
    }

    @Test(arguments: [(15, "X"), (16, "X"), (17, nil), (4000, nil)] as [(Int, String?)])
    func aBodyThatIsTooDeepGivesNothing(_ depth: Int, _ expected: String?) {
        let open = String(repeating: "[", count: depth - 1)
        let close = String(repeating: "]", count: depth - 1)
        #expect(Self.reason(#"{"a":\#(open)\#(close),"reason":"X"}"#) == expected)
    }

    @Test func everyTruncationGivesNothing() {
        let json = [UInt8](#"{"reason":"Unregistered","timestamp":1794268800000}"#.utf8)
        for length in 0..<json.count {
            let body = AnswerBody(reading: json.span.extracting(first: length))
            #expect(body == AnswerBody(), "\(length) bytes")
        }
    }

    @Test func anyBytesAreReadWithoutATrap() {
        var generator = SeededGenerator(seed: 20261)
        let alphabet = [UInt8](#"{}[]",:\reason timestamp0123456789null"#.utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0..<60, using: &generator)
            let bytes = (0..<length).compactMap { _ in alphabet.randomElement(using: &generator) }
            let body = AnswerBody(reading: bytes.span)
            if let reason = body.reason { #expect(reason.upperBound < bytes.count) }
        }
    }

    private static func reason(_ json: String) -> String? {
        let bytes = [UInt8](json.utf8)
        return AnswerBody(reading: bytes.span).reason.map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    private static func timestamp(_ value: String) -> Int64? {
        let json = #"{"reason":"Unregistered","timestamp":\#(value)}"#
        return AnswerBody(reading: json.utf8.span).timestampMilliseconds
    }
}
