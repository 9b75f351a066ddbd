internal import COpenSSL

/// A certificate authority of one's own with one server certificate: for tests, and for servers on
/// this machine that stand in for Apple's. Nothing of it is ever committed or kept.
package struct CertificateSet: Sendable {
    /// The authority's certificate, for `TLSTrust.file`.
    package let caCertificatePEM: [UInt8]

    /// The server's certificate.
    package let serverCertificatePEM: [UInt8]

    /// The server's private key, not encrypted.
    package let serverKeyPEM: [UInt8]

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
        let authorityKey = try PrivateKey.generate()
        let authorityName = "Local authority \(SecureRandom.uint64())"
        let draft = try CertificateDraft(subject: authorityName, issuer: authorityName)
        // Longer than any certificate under it.
        draft.setValidity(beginsDaysFromNow: -3_650, validDays: 7_300)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE")
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        let authority = try draft.signed(subjectKey: authorityKey, issuerKey: authorityKey)

        let serverKey = try PrivateKey.generate()
        let leaf = try CertificateDraft(subject: "Local server", issuer: authorityName)
        leaf.setValidity(beginsDaysFromNow: beginsDaysFromNow, validDays: validDays)
        try leaf.add(NID_basic_constraints, "critical,CA:FALSE")
        try leaf.add(NID_ext_key_usage, "serverAuth")
        try leaf.add(NID_subject_alt_name, try alternativeNames(hosts))
        let server = try leaf.signed(subjectKey: serverKey, issuerKey: authorityKey)
        return CertificateSet(
            caCertificatePEM: authority.pem, serverCertificatePEM: server.pem,
            serverKeyPEM: serverKey.privatePEM)
    }

    /// Writes hosts as OpenSSL's configuration has them: "DNS:push.example,IP:127.0.0.1".
    private static func alternativeNames(_ hosts: [String]) throws(TLSError) -> String {
        var names: [String] = []
        for host in hosts {
            // Anything else could be read as more configuration.
            let isPlain = host.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "-.:*".utf8.contains(byte)
            }
            guard isPlain, !host.isEmpty else {
                throw TLSError(
                    "make a certificate for", host, reasons: ["not a host name"], kind: .other)
            }
            let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 < UInt8(ascii: ":") }
            names.append(isAddress ? "IP:\(host)" : "DNS:\(host)")
        }
        return names.joined(separator: ",")
    }
}
