import APNSSimulator
import LinuxIO
import TLS
import Testing

/// A simulator that starts again as the same server.
@Suite struct KeptKeysTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/kept-keys-\(ProcessFacts.processID)-\(SecureRandom.uint64())"
        defer {
            for name in (try? FileContents.names(in: folder)) ?? [] {
                try? FileContents.remove("\(folder)/\(name)")
            }
            try? FileContents.remove(folder)
        }
        try body(folder)
    }

    @Test func keptKeysAreTheSameAtTheNextStart() throws {
        try Self.withFolder { folder in
            let first = try SimulatorCredentials.make(in: folder, keepsKeys: true)
            let second = try SimulatorCredentials.make(in: folder, keepsKeys: true)
            #expect(second.keyID == first.keyID)
            #expect(second.teamID == first.teamID)
            #expect(second.keyFile == first.keyFile)
            #expect(
                second.certificates.serverCertificatePEM == first.certificates.serverCertificatePEM)
            #expect(second.certificates.serverKeyPEM == first.certificates.serverKeyPEM)
            #expect(second.certificates.caCertificatePEM == first.certificates.caCertificatePEM)
        }
    }

    @Test func onlyTheOwnerReadsTheServersKey() throws {
        try Self.withFolder { folder in
            _ = try SimulatorCredentials.make(in: folder, keepsKeys: true)
            #expect(try FileContents.modeBits("\(folder)/simulator-server-key.pem") == 0o600)
        }
    }

    @Test func otherwiseKeysAreNewAndTheServersAreNotWritten() throws {
        try Self.withFolder { folder in
            let first = try SimulatorCredentials.make(in: folder)
            let second = try SimulatorCredentials.make(in: folder)
            #expect(second.keyID != first.keyID)
            #expect(second.certificates.serverKeyPEM != first.certificates.serverKeyPEM)
            #expect(!FileContents.exists("\(folder)/simulator-server-key.pem"))
        }
    }
}
