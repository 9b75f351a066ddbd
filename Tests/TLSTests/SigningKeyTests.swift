import Glibc
import TLS
import Testing

@Suite struct SigningKeyTests {
    static func key() throws -> String {
        String(decoding: try SigningKey.generate().privatePEM, as: UTF8.self)
    }

    /// The base64 of a PEM text, without its lines.
    static func body(_ pem: String) -> String {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    static func refusal(_ text: String) throws -> String {
        try refusal(Array(text.utf8))
    }

    static func refusal(_ bytes: [UInt8]) throws -> String {
        try #require(throws: KeyError.self) {
            try SigningKey(pem: bytes, source: "key.p8")
        }.description
    }

    // MARK: - Forms that work

    // node-apn/node-apn#650, novuhq/novu#2341, parcelvoy/platform#474: keys that came through forms
    // and environment variables. kylebrowning/APNSwift#141: base64 that is not wrapped.
    static let forms: [(name: String, form: @Sendable (String) -> String)] = [
        ("as Apple writes it", { $0 }),
        ("CRLF", { replaced($0, "\r\n") }),
        ("CR", { replaced($0, "\r") }),
        ("backslash n", { replaced($0, "\\n") }),
        ("backslash r backslash n", { replaced($0, "\\r\\n") }),
        ("byte-order mark", { "\u{FEFF}" + $0 }),
        ("no last newline", { String($0.dropLast()) }),
        ("blanks around", { "\n  " + $0 + "  \n\n" }),
        ("indented", { "  " + replaced($0, "\n  ") }),
        ("all on one line", { replaced($0, " ") }),
        ("no newline at all", { replaced($0, "") }),
        (
            "one long line",
            { "-----BEGIN PRIVATE KEY-----\n\(body($0))\n-----END PRIVATE KEY-----" }
        ),
        ("in quotes", { "\"" + replaced($0, "\\n") + "\"" }),
        ("after attributes", { "Bag Attributes\n    friendlyName: Schlüssel\n" + $0 }),
    ]

    static func replaced(_ text: String, _ lineEnd: String) -> String {
        text.split(separator: "\n").map { $0 + lineEnd }.joined()
    }

    @Test(arguments: forms.indices) func keyWorksInThisForm(index: Int) throws {
        let (name, form) = Self.forms[index]
        let original = try Self.key()
        let expected = try SigningKey(pem: Array(original.utf8), source: "key.p8").publicKeyPEM
        let key = try SigningKey(pem: Array(form(original).utf8), source: "key.p8")
        #expect(key.publicKeyPEM == expected, "\(name)")
    }

    // DCIT/perl-CryptX#28: the older form of the same key.
    @Test func sec1KeysWork() throws {
        let file = TemporaryFile(try SigningKey.generate().privatePEM)
        let sec1 = OpenSSLTool.run("ec -in \(file.path)")
        #expect(sec1.contains("BEGIN EC PRIVATE KEY"))
        let key = try SigningKey(pem: Array(sec1.utf8), source: "key.pem")
        #expect(
            String(decoding: key.publicKeyPEM, as: UTF8.self)
                == OpenSSLTool.run("pkey -in \(file.path) -pubout"))
        let generated = OpenSSLTool.run("ecparam -name prime256v1 -genkey")
        #expect(generated.contains("BEGIN EC PARAMETERS"))
        _ = try SigningKey(pem: Array(generated.utf8), source: "key.pem")
    }

    // MARK: - Things that are no key

    @Test(arguments: [
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", "an RSA key"),
        ("genrsa -traditional 2048", "an RSA key"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "a P-384 key"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521", "a P-521 key"),
        ("ecparam -name secp384r1 -genkey", "a P-384 key"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "a key on another curve"),
        ("genpkey -algorithm ED25519", "an Ed25519 or Ed448 key"),
    ])
    func otherKindsOfKeysAreNamed(command: String, found: String) throws {
        let text = OpenSSLTool.run(command)
        #expect(text.contains("PRIVATE KEY"))
        let refusal = try Self.refusal(text)
        #expect(refusal.hasPrefix("key.p8: found \(found), not a signing key"))
    }

    // sideshow/apns2#100, node-apn/node-apn#477: files of other kinds given as the key.
    @Test func publicKeysAndCertificatesAreNamed() throws {
        let publicKey = try SigningKey.generate().publicPEM
        #expect(try Self.refusal(publicKey).contains("found a public key,"))
        let certificate = TLSConversation.certificates.serverCertificatePEM
        #expect(try Self.refusal(certificate).contains("found a certificate,"))
        let file = TemporaryFile(try SigningKey.generate().privatePEM)
        let request = OpenSSLTool.run("req -new -key \(file.path) -subj /CN=x")
        #expect(try Self.refusal(request).contains("found a certificate request,"))
    }

    /// Standard input of the tests is not a terminal everywhere, so a prompt would not show: the
    /// text proves that the file was refused before anybody could be asked.
    @Test(arguments: [
        "pkcs8 -topk8 -v2 aes-256-cbc -passout pass:secret -in",
        "ec -aes256 -passout pass:secret -in",
    ])
    func encryptedKeysAreNamedAndNobodyIsAsked(command: String) throws {
        let file = TemporaryFile(try SigningKey.generate().privatePEM)
        let text = OpenSSLTool.run("\(command) \(file.path)")
        #expect(text.contains("ENCRYPTED"))
        #expect(try Self.refusal(text).contains("found a key that is encrypted with a password,"))
        // Under a wrong label it is just damaged, and still nobody is asked.
        let hidden = text.split(separator: "\n").filter { !$0.contains("ENCRYPTED") }
            .filter { !$0.hasPrefix("-----") }.joined(separator: "\n")
        for label in ["PRIVATE KEY", "EC PRIVATE KEY"] {
            let relabelled = "-----BEGIN \(label)-----\n\(hidden)\n-----END \(label)-----\n"
            #expect(try Self.refusal(relabelled).contains("found a damaged key,"))
        }
    }

    @Test func binaryFilesAreNamed() throws {
        let file = TemporaryFile(try SigningKey.generate().privatePEM)
        let certificate = TemporaryFile(TLSConversation.certificates.serverCertificatePEM)
        let der = OpenSSLTool.runBytes("pkcs8 -topk8 -nocrypt -outform DER -in \(file.path)")
        let bag = OpenSSLTool.runBytes(
            "pkcs12 -export -nokeys -passout pass:secret -in \(certificate.path)")
        for bytes in [der, bag] {
            #expect(bytes.count > 50)
            #expect(try Self.refusal(bytes).contains("found binary data, such as a .p12"))
        }
    }

    @Test(arguments: [
        ("", "found an empty file"),
        (" \n\r\n\t", "found an empty file"),
        ("\u{FEFF}\n", "found an empty file"),
        ("not a key at all", "found text without a line -----BEGIN PRIVATE KEY-----"),
        ("{\"key\": 1}", "found text without a line -----BEGIN PRIVATE KEY-----"),
        ("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCg==", "encoded in base64 once more"),
        ("-----BEGIN PRIVATE KEY-----\nMIGH", "found a PEM text without its END line"),
        ("-----BEGIN PRIVATE KEY", "found a PEM text without its END line"),
        (
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", "found a damaged key"
        ),
        // a2/passcards-swift#3: base64 of something that is no key crashed a library.
        (
            "-----BEGIN PRIVATE KEY-----\naGVsbG8gd29ybGQh\n-----END PRIVATE KEY-----",
            "found a damaged key"
        ),
        (
            "-----BEGIN EC PRIVATE KEY-----\naGVsbG8gd29ybGQh\n-----END EC PRIVATE KEY-----",
            "found a damaged key"
        ),
        ("-----BEGIN PRIVATE KEY-----\n????\n-----END PRIVATE KEY-----", "found a damaged key"),
        ("-----BEGIN PRIVATE KEY-----\n====\n-----END PRIVATE KEY-----", "found a damaged key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", "OpenSSH"),
        ("-----BEGIN PGP MESSAGE-----\nAAAA\n-----END PGP MESSAGE-----", "of another kind"),
    ])
    func otherTextsAreExplained(text: String, explanation: String) throws {
        let refusal = try Self.refusal(text)
        #expect(refusal.contains(explanation))
        #expect(refusal.hasPrefix("key.p8: "))
    }

    @Test func utf16IsNamed() throws {
        let units = try Self.key().utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try Self.refusal([0xFF, 0xFE] + units).contains("found text in UTF-16"))
    }

    /// Whatever is cut off or changed: an error or a key, never a crash, and no key text in it.
    @Test func damagedKeysNeverShowTheirText() throws {
        let pem = try Self.key()
        let body = Self.body(pem)
        let lines = ("-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----\n")
        for length in 0..<body.count {
            let text = lines.0 + body.prefix(length) + lines.1
            let refusal = try Self.refusal(text)
            #expect(length < 8 || !refusal.contains(body.prefix(8)))
        }
        for index in body.indices {
            var changed = body
            changed.replaceSubrange(index...index, with: body[index] == "A" ? "B" : "A")
            do {
                _ = try SigningKey(pem: Array((lines.0 + changed + lines.1).utf8), source: "k")
            } catch {
                #expect(!error.description.contains(body.prefix(8)))
            }
        }
    }

    // MARK: - Signatures

    /// One number in 256 begins with a zero byte, which DER leaves out and the raw form must not.
    @Test func signaturesAreAlways64BytesAndVerify() throws {
        let pair = try SigningKey.generate()
        let key = try SigningKey(pem: pair.privatePEM, source: "key.p8")
        let verifier = try VerifyingKey(pem: pair.publicPEM)
        #expect(key.publicKeyPEM == pair.publicPEM)
        var leadingZeros = 0
        for number in 0..<3_000 {
            let message = Array("message \(number)".utf8)
            let signature = try key.signES256(message)
            try #require(signature.count == 64)
            try #require(verifier.verifiesES256(message: message, signature: signature))
            if signature[0] == 0 || signature[32] == 0 { leadingZeros += 1 }
        }
        // 23 are expected; none has a chance of one in ten thousand million.
        #expect(leadingZeros > 0)
    }

    @Test func anyChangeMakesASignatureWrong() throws {
        let pair = try SigningKey.generate()
        let key = try SigningKey(pem: pair.privatePEM, source: "key.p8")
        let verifier = try VerifyingKey(pem: pair.publicPEM)
        let message = Array("message".utf8)
        let signature = try key.signES256(message)
        #expect(!verifier.verifiesES256(message: message + [0], signature: signature))
        #expect(!verifier.verifiesES256(message: message, signature: signature.dropLast()))
        #expect(!verifier.verifiesES256(message: message, signature: signature + [0]))
        #expect(!verifier.verifiesES256(message: message, signature: []))
        for index in 0..<64 {
            var changed = signature
            changed[index] ^= 1
            #expect(!verifier.verifiesES256(message: message, signature: changed))
        }
        let other = try VerifyingKey(pem: try SigningKey.generate().publicPEM)
        #expect(!other.verifiesES256(message: message, signature: signature))
    }

    @Test func emptyMessageCanBeSigned() throws {
        let pair = try SigningKey.generate()
        let signature = try SigningKey(pem: pair.privatePEM, source: "k").signES256([])
        let verifier = try VerifyingKey(pem: pair.publicPEM)
        #expect(verifier.verifiesES256(message: [], signature: signature))
    }

    @Test func verifyingNeedsAP256PublicKey() throws {
        let wrong = OpenSSLTool.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384")
        let file = TemporaryFile(Array(wrong.utf8))
        let publicKey = OpenSSLTool.run("pkey -in \(file.path) -pubout")
        let error = try #require(throws: TLSError.self) {
            try VerifyingKey(pem: Array(publicKey.utf8))
        }
        #expect(error.description == "read a public key: found a P-384 key")
        #expect(throws: TLSError.self) { try VerifyingKey(pem: []) }
    }

    @Test func manyThreadsMaySignAtOnce() async throws {
        let pair = try SigningKey.generate()
        let key = try SigningKey(pem: pair.privatePEM, source: "key.p8")
        let verifier = try VerifyingKey(pem: pair.publicPEM)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let message = Array("task \(task)".utf8)
                    return try (0..<50).allSatisfy { _ in
                        verifier.verifiesES256(
                            message: message, signature: try key.signES256(message))
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}

/// The system's own tool makes the files that people give by mistake.
enum OpenSSLTool {
    static func run(_ arguments: String) -> String {
        String(decoding: runBytes(arguments), as: UTF8.self)
    }

    static func runBytes(_ arguments: String) -> [UInt8] {
        let command = "openssl \(arguments) 2>/dev/null </dev/null"
        guard let stream = popen(command, "r") else { return [] }
        defer { pclose(stream) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }
}
