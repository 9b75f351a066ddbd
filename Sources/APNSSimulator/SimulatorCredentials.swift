internal import LinuxIO
package import TLS

/// Keys and certificates made for one simulator: what a sender needs lies in files, what the
/// simulator needs stays in memory.
package struct SimulatorCredentials: Sendable {
    /// Id of the signing key: ten characters.
    package let keyID: String
    /// Id of the team: ten characters.
    package let teamID: String
    /// The signing key in PEM, `AuthKey_<KEYID>.p8`, readable by its owner only.
    package let keyFile: String
    /// The certificate of the authority that a sender has to trust, `simulator-ca.pem`.
    package let authorityFile: String
    /// The server's certificate and key, and the authority's certificate.
    package let certificates: CertificateSet
    /// Accepts the provider tokens that the key signs.
    package let rule: CredentialRule

    /// Makes everything anew and writes the two files, replacing old ones of the same name.
    ///
    /// - Parameters:
    ///   - directory: Where; made if it is missing, for its owner only.
    ///   - hosts: Names and addresses that the server's certificate is for.
    /// - Returns: The credentials.
    /// - Throws: `SimulatorError` if a file cannot be written or OpenSSL fails.
    package static func make(
        in directory: String, hosts: [String] = ["localhost", "127.0.0.1", "::1"]
    ) throws(SimulatorError) -> SimulatorCredentials {
        let keyID = randomID()
        let teamID = randomID()
        let keyFile = "\(directory)/AuthKey_\(keyID).p8"
        let authorityFile = "\(directory)/simulator-ca.pem"
        let made = try makeKeys(hosts: hosts)
        do {
            try FileContents.makeDirectory(directory, mode: 0o700)
            try FileContents.write(
                authorityFile, made.certificates.caCertificatePEM, mode: 0o644)
            try FileContents.write(keyFile, made.signingKeyPEM, mode: 0o600)
        } catch {
            throw .system(error)
        }
        let verifier = made.verifier
        let rule = CredentialRule(keyID: keyID, teamID: teamID) { message, signature in
            verifier.verifiesES256(message: message, signature: signature)
        }
        return SimulatorCredentials(
            keyID: keyID, teamID: teamID, keyFile: keyFile, authorityFile: authorityFile,
            certificates: made.certificates, rule: rule)
    }

    private struct Keys {
        let certificates: CertificateSet
        let signingKeyPEM: [UInt8]
        let verifier: VerifyingKey
    }

    private static func makeKeys(hosts: [String]) throws(SimulatorError) -> Keys {
        do {
            let certificates = try CertificateSet.make(hosts: hosts, validDays: validDays)
            let key = try SigningKey.generate()
            return Keys(
                certificates: certificates, signingKeyPEM: key.privatePEM,
                verifier: try VerifyingKey(pem: key.publicPEM))
        } catch {
            throw .tls(error)
        }
    }

    /// A demo outlives no week; a forgotten authority should not outlive it for long.
    private static let validDays = 7

    /// Ten characters of the kind Apple's ids have.
    private static func randomID() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
        let characters = SecureRandom.bytes(10).map { alphabet[Int($0) % alphabet.count] }
        return String(decoding: characters, as: UTF8.self)
    }
}
