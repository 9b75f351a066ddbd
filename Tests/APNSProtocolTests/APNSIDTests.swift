import APNSProtocol
import Testing

@Suite struct APNSIDTests {
    // APNs often writes the id in upper case, and some answers carry none: Pr0Ger/PyAPNs2#146,
    // AndrewBarba/apns2#95, jchambers/pushy#559.
    @Test(arguments: [
        "01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF",
    ])
    func anIDIsReadInEitherCase(_ text: String) {
        let id = Self.read(text)
        #expect(id == APNSID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF))
    }

    @Test(arguments: [
        "eabeae54-14a8-11e5-b60b-1697f925ec7b", "00000000-0000-0000-0000-000000000001",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "10000000-0000-0000-8000-000000000000",
    ])
    func anIDWritesAsItWasRead(_ text: String) {
        var output: [UInt8] = []
        Self.read(text)?.append(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "", "not-a-uuid", "0123456789abcdef0123456789abcdef",
        "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdef0",
        "01234567-89ab-cdef-0123-456789abcdeg", "0123456-789ab-cdef-0123-456789abcdef",
        "01234567_89ab_cdef_0123_456789abcdef",
    ])
    func anythingElseIsNoID(_ text: String) {
        #expect(Self.read(text) == nil)
    }

    private static func read(_ text: String) -> APNSID? { APNSID(reading: text.utf8.span) }
}
