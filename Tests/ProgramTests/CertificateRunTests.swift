import APNSSimulator
import LinuxIO
import TLS
import TestSupport
import Testing

/// Runs with a client certificate instead of a signing key.
@Suite struct CertificateRunTests {
    private static let authority: LocalAuthority = {
        do {
            return try LocalAuthority.make()
        } catch {
            preconditionFailure("no authority: \(error)")
        }
    }()

    /// A scene whose simulator takes certificates of our authority, and looks at no token.
    private static func withScene(_ body: (Scene) throws -> Void) throws {
        try Scene.with(
            change: { configuration in
                configuration.credential = nil
                configuration.clientAuthorityPEM = authority.certificatePEM
                configuration.transcriptRequestsMax = 100
            }, body)
    }

    private static func configure(
        _ scene: Scene, _ issued: LocalAuthority.Issued, mode: UInt32 = 0o600
    ) throws {
        try FileContents.write(
            "\(scene.folder.path)/push.pem", issued.certificatePEM + issued.keyPEM, mode: mode)
        try scene.configure(credential: "certificate_file: push.pem")
    }

    private static func issue(
        topics: [String] = [Scene.app], marks: AppleMarks = [.sandbox, .production],
        validDays: Int = 300, beginsDaysFromNow: Int = -1
    ) throws -> LocalAuthority.Issued {
        try authority.clientCertificate(
            app: Scene.app, topics: topics, marks: marks, validDays: validDays,
            beginsDaysFromNow: beginsDaysFromNow)
    }

    @Test func aRunWithACertificateSendsNoToken() throws {
        try Self.withScene { scene in
            try Self.configure(scene, try Self.issue())
            try scene.importDevices(200)
            try scene.campaign(preflight: "probe: all")
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(!result.errors.contains("warning"))
            let headers = scene.simulator.transcript().flatMap(\.fields)
            #expect(headers.contains { $0.name == "apns-topic" })
            #expect(!headers.contains { $0.name == "authorization" })
            #expect(try scene.sumHolds())
        }
    }

    @Test func warningsComeBeforeTheRun() throws {
        try Self.withScene { scene in
            try Self.configure(scene, try Self.issue(validDays: 20), mode: 0o644)
            try scene.importDevices(5)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("push.pem can be read by other users"))
            #expect(result.errors.contains("days; renew it on Apple"), "\(result.errors)")
        }
    }

    /// What must not get as far as a connection, and a word of its message.
    static let refused: [(word: String, make: @Sendable () throws -> LocalAuthority.Issued)] = [
        ("expired on", { try issue(validDays: 5, beginsDaysFromNow: -10) }),
        ("it is for com.example.other", { try issue(topics: ["com.example.other"]) }),
        ("is for sandbox only", { try issue(marks: .sandbox) }),
    ]

    @Test(arguments: refused.indices) func whatCanNotWorkIsNotTried(index: Int) throws {
        let (word, make) = Self.refused[index]
        try Self.withScene { scene in
            try Self.configure(scene, try make())
            try scene.importDevices(5)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json", "--quiet")
            #expect(result.status == 78, "\(result.errors)")
            #expect(result.errors.contains(word), "\(result.errors)")
            #expect(scene.simulator.snapshot().connectionsOpened == 0)
        }
    }

    @Test func aCertificateThatTheServerRefusesStopsTheRun() throws {
        try Self.withScene { scene in
            let other = try LocalAuthority.make()
            try Self.configure(
                scene, try other.clientCertificate(app: Scene.app, topics: [Scene.app]))
            try scene.importDevices(50)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json", "--quiet")
            #expect(result.status == 77, "\(result.errors)")
            #expect(result.errors.contains("Certificate Apple Push Services: com.example.shop"))
            #expect(try scene.activeDevices() == 50)
        }
    }

    @Test func aBagIsOpenedWithItsPasswordFile() throws {
        try Self.withScene { scene in
            try Self.configure(scene, try Self.issue())
            let folder = scene.folder.path
            let made = try ChildProcess.run(
                "/usr/bin/openssl",
                [
                    "pkcs12", "-export", "-legacy", "-in", "\(folder)/push.pem", "-out",
                    "\(folder)/push.p12", "-passout", "pass:geheim",
                ], untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
            #expect(made.isSuccess)
            try scene.folder.write("password", "geheim\n")
            try scene.configure(
                credential: "certificate_file: push.p12, password_file: password")
            try scene.importDevices(5)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 0, "\(result.errors)")
            try scene.folder.write("password", "Geheim\n")
            let wrong = try scene.program.run("run", "sale.json", "--occurrence", "other")
            #expect(wrong.status == 78)
            #expect(wrong.errors.contains("/password does not open it"), "\(wrong.errors)")
            #expect(!wrong.errors.contains("eheim"))
        }
    }
}
