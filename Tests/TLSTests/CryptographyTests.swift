import TLS
import Testing

@Suite struct DigestTests {
    // The examples of FIPS 180-2, appendix B.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256OfKnownTexts(text: String, digest: String) {
        let hex = Digest.sha256(Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hex.joined() == digest)
    }
}

@Suite struct SecureRandomTests {
    @Test(arguments: [0, 1, 32]) func givesAsManyBytesAsAsked(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test func doesNotRepeatItself() {
        #expect(Set((0..<1_000).map { _ in SecureRandom.uint64() }).count == 1_000)
    }
}
