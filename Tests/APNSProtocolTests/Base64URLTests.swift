import APNSProtocol
import Testing

@Suite struct Base64URLTests {
    // The vectors of RFC 4648, section 10, without padding, and two of the alphabet's last letters.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
        ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"), ("~~~???", "fn5-Pz8_"),
    ])
    func theStandardsExamplesHold(_ plain: String, _ encoded: String) {
        #expect(encode([UInt8](plain.utf8)) == encoded)
        #expect(decode(encoded) == [UInt8](plain.utf8))
    }

    @Test func whatIsEncodedDecodesToTheSame() {
        var generator = SeededGenerator(seed: 20263)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(decode(encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Z", "Zm9vY", "Zg==", "Zm9+", "Zm9/", "Zm 9", "Zm9\n", "Zh", "Zm9", "é"])
    func aTextOfAnotherFormIsRefused(_ text: String) {
        #expect(decode(text) == nil)
    }

    private func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        Base64URL.append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func decode(_ text: String) -> [UInt8]? { Base64URL.decode(text.utf8.span) }
}
