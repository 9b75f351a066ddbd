/// A certificate authority of one's own with one server certificate: for tests, and for servers on
/// this machine that stand in for Apple's. Nothing of it is ever committed or kept.
package struct CertificateSet: Sendable {
    /// The authority's certificate, for `TLSTrust.file`.
    package let caCertificatePEM: [UInt8]

    /// The server's certificate.
    package let serverCertificatePEM: [UInt8]

    /// The server's private key, not encrypted.
    package let serverKeyPEM: [UInt8]

    /// Names what was made earlier; nothing is checked.
    ///
    /// - Parameters:
    ///   - caCertificatePEM: the authority's certificate.
    ///   - serverCertificatePEM: the server's certificate.
    ///   - serverKeyPEM: the server's private key, not encrypted.
    package init(caCertificatePEM: [UInt8], serverCertificatePEM: [UInt8], serverKeyPEM: [UInt8]) {
        self.caCertificatePEM = caCertificatePEM
        self.serverCertificatePEM = serverCertificatePEM
        self.serverKeyPEM = serverKeyPEM
    }

    /// Makes new keys and certificates, all on P-256.
    ///
    /// - Parameters:
    ///   - hosts: the DNS names and IP addresses that the server's certificate is for.
    ///   - validDays: how many days after its beginning it ends.
    ///   - beginsDaysFromNow: when the server's certificate begins to be valid; negative for the
    ///     past. With -10 and 5 valid days it has expired.
    /// - Returns: the set.
    /// - Throws: `TLSError` when a host is neither a name nor an address.
    package static func make(
        hosts: [String], validDays: Int = 30, beginsDaysFromNow: Int = -1
    ) throws(TLSError) -> CertificateSet {
        let authority = try LocalAuthority.make()
        let server = try authority.serverCertificate(
            hosts: hosts, validDays: validDays, beginsDaysFromNow: beginsDaysFromNow)
        return CertificateSet(
            caCertificatePEM: authority.certificatePEM, serverCertificatePEM: server.certificatePEM,
            serverKeyPEM: server.keyPEM)
    }
}
