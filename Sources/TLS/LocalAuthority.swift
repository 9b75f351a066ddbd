internal import COpenSSL

/// A certificate authority of one's own, for tests and for servers on this machine that stand in
/// for Apple's. Its key is never written anywhere.
package struct LocalAuthority: Sendable {
    /// A certificate with its key, both in PEM form.
    package struct Issued: Sendable {
        /// The certificate.
        package let certificatePEM: [UInt8]
        /// Its private key, not encrypted.
        package let keyPEM: [UInt8]

        /// A certificate and its key.
        package init(certificatePEM: [UInt8], keyPEM: [UInt8]) {
            self.certificatePEM = certificatePEM
            self.keyPEM = keyPEM
        }
    }

    /// The authority's own certificate.
    package let certificatePEM: [UInt8]

    private let name: String
    private let key: PrivateKey

    /// Makes an authority with a new key on P-256.
    ///
    /// - Returns: an authority that nobody trusts yet.
    /// - Throws: `TLSError` only if there is no memory or no randomness.
    package static func make() throws(TLSError) -> LocalAuthority {
        let key = try PrivateKey.generate()
        let name = "Local authority \(SecureRandom.uint64())"
        let draft = try CertificateDraft(subject: name, issuer: name)
        // Longer than any certificate under it.
        draft.setValidity(beginsDaysFromNow: -3_650, validDays: 7_300)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE")
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        let certificate = try draft.signed(subjectKey: key, issuerKey: key)
        return LocalAuthority(certificatePEM: certificate.pem, name: name, key: key)
    }

    /// Certifies a server.
    ///
    /// - Parameters:
    ///   - hosts: the DNS names and IP addresses that the certificate is for.
    ///   - validDays: how many days after its beginning it ends.
    ///   - beginsDaysFromNow: when it begins to be valid; negative for the past.
    /// - Returns: the certificate with a new key.
    /// - Throws: `TLSError` when a host is neither a name nor an address.
    package func serverCertificate(
        hosts: [String], validDays: Int = 30, beginsDaysFromNow: Int = -1
    ) throws(TLSError) -> Issued {
        let draft = try CertificateDraft(subject: "Local server", issuer: name)
        draft.setValidity(beginsDaysFromNow: beginsDaysFromNow, validDays: validDays)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE")
        try draft.add(NID_ext_key_usage, "serverAuth")
        try draft.add(NID_subject_alt_name, try Self.alternativeNames(hosts))
        return try issue(draft)
    }

    /// Certifies a client in the form of Apple's certificates for pushing.
    ///
    /// - Parameters:
    ///   - app: the bundle id: the subject's UID, and a part of its name.
    ///   - topics: what the certificate lists; empty: it has no list, as older ones.
    ///   - marks: the flags of the environments that are set.
    ///   - validDays: how many days after its beginning it ends.
    ///   - beginsDaysFromNow: when it begins to be valid. With -10 and 5 valid days it has expired.
    /// - Returns: the certificate with a new key.
    /// - Throws: `TLSError` only if there is no memory or no randomness.
    package func clientCertificate(
        app: String, topics: [String], marks: AppleMarks = [.sandbox, .production],
        validDays: Int = 300, beginsDaysFromNow: Int = -1
    ) throws(TLSError) -> Issued {
        let draft = try CertificateDraft(subject: "Apple Push Services: \(app)", issuer: name)
        draft.addToSubject("UID", app)
        draft.setValidity(beginsDaysFromNow: beginsDaysFromNow, validDays: validDays)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE")
        try draft.add(NID_ext_key_usage, "clientAuth")
        for mark in AppleMarks.all where marks.contains(mark.mark) {
            try draft.add(objectIdentifier: mark.objectIdentifier, der: AppleMarks.der)
        }
        if !topics.isEmpty {
            try draft.add(
                objectIdentifier: AppleTopics.objectIdentifier, der: AppleTopics.der(topics))
        }
        return try issue(draft)
    }

    private func issue(_ draft: CertificateDraft) throws(TLSError) -> Issued {
        let key = try PrivateKey.generate()
        let certificate = try draft.signed(subjectKey: key, issuerKey: self.key)
        return Issued(certificatePEM: certificate.pem, keyPEM: key.privatePEM)
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
