import TLS
import Testing

@Suite struct TLSContextTests {
    @Test func missingAuthorityFileIsNamed() throws {
        let error = try #require(throws: TLSError.self) {
            try TLSContext.client(trust: .file("/no/such/ca.pem"), protocols: ["h2"])
        }
        #expect(
            error.description
                == "load certificate authorities from /no/such/ca.pem: No such file or directory")
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
    func authorityFileWithoutCertificateIsRefused(text: String) throws {
        let file = TemporaryFile(Array(text.utf8))
        let error = try #require(throws: TLSError.self) {
            try TLSContext.client(trust: .file(file.path), protocols: ["h2"])
        }
        #expect(error.host == file.path)
        #expect(!error.reasons.isEmpty)
    }

    @Test func systemAuthoritiesCanBeLoaded() throws {
        _ = try TLSContext.client(trust: .system, protocols: ["h2"])
    }

    @Test func serverKeyMustBelongToItsCertificate() throws {
        let (first, second) = (
            TLSConversation.certificates, try CertificateSet.make(hosts: ["push.example"])
        )
        let error = try #require(throws: TLSError.self) {
            try TLSContext.server(
                certificatePEM: first.serverCertificatePEM, privateKeyPEM: second.serverKeyPEM,
                protocols: ["h2"])
        }
        #expect(error.description == "use the server's key: key values mismatch")
    }

    @Test func serverNeedsCertificateAndKey() throws {
        let set = TLSConversation.certificates
        #expect(throws: TLSError.self) {
            try TLSContext.server(
                certificatePEM: [], privateKeyPEM: set.serverKeyPEM, protocols: [])
        }
        #expect(throws: TLSError.self) {
            try TLSContext.server(
                certificatePEM: set.serverCertificatePEM, privateKeyPEM: [], protocols: [])
        }
    }

    @Test func certificatesAreForHostsOnly() throws {
        for host in ["", "a,IP:1.2.3.4", "a b", "ä.example"] {
            #expect(throws: TLSError.self) { try CertificateSet.make(hosts: [host]) }
        }
    }
}
