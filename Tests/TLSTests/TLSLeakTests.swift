import Glibc
import TLS
import Testing

/// Runs in a process of its own, where nothing else takes memory or descriptors.
@Suite struct TLSLeakTests {
    @Test func sessionsLeaveNeitherMemoryNorDescriptors() async {
        await #expect(processExitsWith: .success) {
            let certificates = TLSConversation.certificates
            let trust = TemporaryFile(certificates.caCertificatePEM)
            let client = try TLSContext.client(trust: .file(trust.path), protocols: ["h2"])
            let server = try TLSContext.server(
                certificatePEM: certificates.serverCertificatePEM,
                privateKeyPEM: certificates.serverKeyPEM, protocols: ["h2"])
            func converse(_ count: Int) throws {
                for number in 0..<count {
                    // Every third ends in a failed handshake: failures must not leak either.
                    let name = number % 3 == 0 ? "other.example" : "push.example"
                    let conversation = TLSConversation(
                        client: try .client(client, serverName: name),
                        server: try .server(server))
                    let ends = try conversation.shakeHands()
                    if ends.client != nil { continue }
                    try TLSConversation.write(Array("question".utf8), to: conversation.client)
                    conversation.deliver(from: conversation.client, to: conversation.server)
                    _ = try TLSConversation.readAll(conversation.server)
                    conversation.client.close()
                }
            }
            try converse(100)
            let before = Resources.now()
            try converse(Resources.sessions)
            let after = Resources.now()
            #expect(after.descriptors == before.descriptors)
            // A session holds some 50 kB: even the failed ones alone would be twice as much as
            // this.
            // Sanitizers keep memory of their own.
            let growth = after.residentBytes - before.residentBytes
            #expect(Resources.isSanitized || growth < 4 << 20, "grown by \(growth) bytes")
        }
    }

    @Test func identitiesLeaveNeitherMemoryNorDescriptors() async {
        await #expect(processExitsWith: .success) {
            let issued = ClientIdentityTests.issued
            let pem = issued.certificatePEM + issued.keyPEM
            let file = TemporaryFile(pem)
            let bag = OpenSSLTool.runBytes(
                "pkcs12 -export -legacy -passout pass:secret -in \(file.path)")
            func read(_ count: Int) {
                for number in 0..<count {
                    // Every second password is wrong: failures must not leak either.
                    let password = number % 2 == 0 ? "secret" : "Secret"
                    let identity = try? ClientIdentity(
                        certificateFile: .init("bag", bag),
                        passwordFile: .init("pw", Array(password.utf8)))
                    #expect((identity == nil) == (password == "Secret"))
                    #expect(throws: Never.self) {
                        try ClientIdentity(certificateFile: .init("pem", pem))
                    }
                }
            }
            read(50)
            let before = Resources.now()
            read(200)
            let after = Resources.now()
            #expect(after.descriptors == before.descriptors)
            // A library context with its providers is some 100 kB: 20 MB if each were kept.
            let growth = after.residentBytes - before.residentBytes
            #expect(Resources.isSanitized || growth < 4 << 20, "grown by \(growth) bytes")
        }
    }
}

/// What this process holds.
struct Resources {
    let descriptors: Int
    let residentBytes: Int

    static let sessions = getenv("SORTIE_LEAK_SESSIONS").flatMap { Int(String(cString: $0)) } ?? 500

    static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    static func now() -> Resources {
        var count = 0
        if let directory = opendir("/proc/self/fd") {
            while readdir(directory) != nil { count += 1 }
            closedir(directory)
        }
        var fields = [Int](repeating: 0, count: 2)
        if let file = fopen("/proc/self/statm", "r") {
            var line = [CChar](repeating: 0, count: 100)
            fgets(&line, 100, file)
            fclose(file)
            let text = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
            fields = text.split(separator: " ").prefix(2).map { Int($0) ?? 0 }
        }
        return Resources(descriptors: count, residentBytes: fields[1] * Int(getpagesize()))
    }
}
