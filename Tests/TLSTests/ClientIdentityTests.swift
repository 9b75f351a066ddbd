import Glibc
import TLS
import Testing

@Suite struct ClientIdentityTests {
    static let app = "com.example.shop"

    /// Made once: nobody changes it.
    static let issued: LocalAuthority.Issued = {
        do {
            return try LocalAuthority.make().clientCertificate(app: app, topics: [app])
        } catch {
            preconditionFailure("no certificate: \(error)")
        }
    }()

    private static let certificate = issued.certificatePEM
    private static let key = issued.keyPEM

    /// A bag made by the system's own tool.
    private static func bag(_ options: String, password: String = "secret") -> [UInt8] {
        let file = TemporaryFile(certificate + key)
        return OpenSSLTool.runBytes(
            "pkcs12 -export \(options) -passout 'pass:\(password)' -in \(file.path)")
    }

    private static func encryptedKey(_ command: String) -> [UInt8] {
        let file = TemporaryFile(key)
        return OpenSSLTool.runBytes("\(command) -passout pass:secret -in \(file.path)")
    }

    private static func identity(
        _ certificate: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws(IdentityError) -> ClientIdentity {
        try ClientIdentity(
            certificateFile: .init("push.pem", certificate), keyFile: key.map { .init("key", $0) },
            passwordFile: password.map { .init("pw", Array($0.utf8)) })
    }

    private static func refusal(
        _ certificate: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws -> IdentityError {
        try #require(throws: IdentityError.self) {
            try identity(certificate, key: key, password: password)
        }
    }

    // MARK: - Forms that work

    static let pairs: [(name: String, certificate: [UInt8], key: [UInt8]?)] = {
        let windows = String(decoding: certificate + key, as: UTF8.self)
            .split(separator: "\n").joined(separator: "\r\n")
        let authority = TLSConversation.certificates.caCertificatePEM
        return [
            ("one file", certificate + key, nil), ("the key first", key + certificate, nil),
            ("two files", certificate, key), ("the key in both", certificate + key, key),
            ("an authority first", authority + certificate, key),
            ("CRLF", Array(windows.utf8), nil),
            ("byte-order marks", [0xEF, 0xBB, 0xBF] + certificate, [0xEF, 0xBB, 0xBF] + key),
        ]
    }()

    @Test(arguments: pairs.indices) func pemPairsWork(index: Int) throws {
        let pair = Self.pairs[index]
        let identity = try Self.identity(pair.certificate, key: pair.key)
        #expect(identity.facts.topics == [Self.app], "\(pair.name)")
    }

    /// Keychains still encrypt with RC2 and triple DES, as `-legacy` does.
    @Test(arguments: ["", "-legacy", "-legacy -descert", "-keypbe NONE -certpbe NONE"])
    func bagsWork(options: String) throws {
        let bag = Self.bag(options)
        for password in ["secret", "secret\n", "secret\r\n"] {
            let identity = try Self.identity(bag, password: password)
            #expect(identity.facts.subject == "Apple Push Services: com.example.shop")
        }
    }

    @Test(arguments: ["pkcs8 -topk8 -v2 aes-256-cbc", "ec -aes256"])
    func encryptedKeysWorkWithTheirPassword(command: String) throws {
        let encrypted = Self.encryptedKey(command)
        _ = try Self.identity(Self.certificate, key: encrypted, password: "secret\n")
        _ = try Self.identity(Self.certificate + encrypted, password: "secret")
    }

    @Test func bagsWithoutAPasswordNeedNone() throws {
        _ = try Self.identity(Self.bag("", password: ""))
        _ = try Self.identity(Self.bag("", password: ""), password: "\n")
    }

    @Test func passwordsMayHaveBlanksAndAccents() throws {
        let password = " pässwort mit Lücken "
        _ = try Self.identity(Self.bag("", password: password), password: password + "\n")
    }

    @Test func rsaCertificatesWork() throws {
        let key = OpenSSLTool.runBytes("genrsa 2048")
        let file = TemporaryFile(key)
        let certificate = OpenSSLTool.runBytes("req -x509 -new -key \(file.path) -subj /CN=x")
        #expect(try Self.identity(certificate, key: key).facts.subject == "x")
    }

    // MARK: - Things that are none

    // sideshow/apns2#100, node-apn/node-apn#477: files of other kinds.
    @Test func otherFilesAreNamed() throws {
        let sideways = TLSConversation.certificates.serverKeyPEM
        let file = TemporaryFile(Self.certificate)
        let binary = OpenSSLTool.runBytes("x509 -outform DER -in \(file.path)")
        let noKey = OpenSSLTool.runBytes(
            "pkcs12 -export -nokeys -passout pass:secret -in \(file.path)")
        let refusals: [(IdentityError, IdentityError.Fault)] = [
            (try Self.refusal(Self.key), .onlyAKey),
            (try Self.refusal(Self.certificate), .noKey),
            (try Self.refusal(Self.certificate, key: Self.certificate), .noKey),
            (try Self.refusal(binary), .onlyABinaryCertificate),
            (try Self.refusal([]), .notACertificate),
            (try Self.refusal(Array("text".utf8)), .notACertificate),
            (try Self.refusal([0x30]), .damaged),
            (try Self.refusal(Array(Self.bag("").dropLast(20)), password: "secret"), .damaged),
            (try Self.refusal(Array(Self.certificate.dropLast(40))), .damaged),
            (try Self.refusal(Self.certificate, key: Array(Self.key.dropLast(40))), .damaged),
            (try Self.refusal(Self.bag(""), key: Self.key), .bagWithKeyFile),
            (try Self.refusal(Self.certificate, key: Self.bag("")), .bagWithKeyFile),
            (try Self.refusal(noKey, password: "secret"), .noKey),
            (try Self.refusal(Self.certificate, key: sideways), .keyOfAnother(file: "push.pem")),
            (try Self.refusal(Self.certificate + sideways), .keyOfAnother(file: "push.pem")),
        ]
        for (error, fault) in refusals { #expect(error.fault == fault, "\(error)") }
    }

    @Test func wrongAndMissingPasswordsAreTold() throws {
        for secret in [Self.bag(""), Self.bag("-legacy")] {
            let wrong = try Self.refusal(secret, password: "Secret")
            #expect(wrong.fault == .wrongPassword(file: "pw"))
            #expect(wrong.description == "push.pem: the password in pw does not open it")
            #expect(try Self.refusal(secret).fault == .passwordNeeded)
        }
        let key = Self.encryptedKey("pkcs8 -topk8 -v2 aes-256-cbc")
        #expect(try Self.refusal(Self.certificate, key: key).fault == .passwordNeeded)
        let wrong = try Self.refusal(Self.certificate, key: key, password: "Secret")
        #expect(wrong == (try Self.refusal(Self.certificate, key: key, password: "other")))
        #expect(wrong.description == "key: the password in pw does not open it")
    }

    /// OpenSSL before 3.2 opens no bag without a check over the whole; later ones do.
    @Test func bagsWithoutACheckAreExplained() throws {
        do {
            _ = try Self.identity(Self.bag("-nomac"), password: "secret")
        } catch {
            #expect(error.fault == .bagWithoutCheck)
        }
    }

    @Test(arguments: ["secret\n\n", "secret\nmore\n", "\nsecret", "sec\0ret"])
    func passwordFilesHoldOneLine(text: String) throws {
        let error = try Self.refusal(Self.bag(""), password: text)
        #expect(error.description.hasPrefix("pw: a password file holds one line"))
        #expect(!error.description.contains("secret"))
    }

    /// Whatever is changed in a bag: an error or an identity, never a crash.
    @Test func damagedBagsAreRefused() throws {
        let bag = Self.bag("-keypbe NONE -certpbe NONE -nomac")
        for index in stride(from: 0, to: bag.count, by: 7) {
            var changed = bag
            changed[index] ^= 0x55
            do {
                _ = try Self.identity(changed)
            } catch {
                #expect(error.description.hasPrefix("push.pem: "))
            }
        }
        for length in stride(from: 0, to: bag.count, by: 41) {
            #expect(throws: IdentityError.self) {
                try Self.identity(Array(bag.prefix(length)))
            }
        }
        _ = try Self.identity(bag)
    }
}
