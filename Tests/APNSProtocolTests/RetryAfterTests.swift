import APNSProtocol
import Testing

@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("0", 0), ("30", 30), ("86400", 86_400), ("86401", 86_400), ("999999999", 86_400),
        ("", nil), ("1234567890", nil), ("-1", nil), ("1.5", nil), (" 3", nil),
        ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
    ])
    func onlyPlainSecondsAreRead(text: String, expected: Int?) {
        let bytes = Array(text.utf8)
        let seconds = RetryAfter.seconds(reading: bytes.span)
        #expect(seconds == expected)
    }
}
