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
    ///   - keepsKeys: Go on with what an earlier call of this kind left there, if one did, and
    ///     leave everything for a later one: the server's key too.
    /// - Returns: The credentials.
    /// - Throws: `SimulatorError` if a file cannot be written or read, or OpenSSL fails.
    package static func make(
        in directory: String, hosts: [String] = ["localhost", "127.0.0.1", "::1"],
        keepsKeys: Bool = false
    ) throws(SimulatorError) -> SimulatorCredentials {
        do {
            if keepsKeys, let kept = try KeptKeys.read(in: directory) {
                return try SimulatorCredentials(kept, in: directory)
            }
        } catch {
            throw .system(error)
        }
        let keys = try makeKeys(hosts: hosts)
        let made = KeptKeys(
            certificates: keys.certificates, keyID: randomID(), teamID: randomID())
        do {
            try FileContents.makeDirectory(directory, mode: 0o700)
            try FileContents.write(
                authorityFile(directory), made.certificates.caCertificatePEM, mode: 0o644)
            try FileContents.write(
                keyFile(directory, made.keyID), keys.signingKeyPEM, mode: 0o600)
            if keepsKeys { try made.write(in: directory) }
            return try SimulatorCredentials(made, in: directory)
        } catch {
            throw .system(error)
        }
    }

    /// The signing key is read back from its file.
    private init(_ keys: KeptKeys, in directory: String) throws(SystemError) {
        let keyFile = Self.keyFile(directory, keys.keyID)
        let verifier: VerifyingKey
        do {
            let pem = try FileContents.read(keyFile, limitBytes: Self.keyBytesMax)
            let key = try SigningKey(pem: pem, source: keyFile)
            verifier = try VerifyingKey(pem: key.publicKeyPEM)
        } catch {
            throw SystemError("read", keyFile, explanation: "\(error)")
        }
        keyID = keys.keyID
        teamID = keys.teamID
        self.keyFile = keyFile
        authorityFile = Self.authorityFile(directory)
        certificates = keys.certificates
        rule = CredentialRule(keyID: keyID, teamID: teamID) { message, signature in
            verifier.verifiesES256(message: message, signature: signature)
        }
    }

    private static let keyBytesMax = 10_000

    private static func keyFile(_ directory: String, _ keyID: String) -> String {
        "\(directory)/AuthKey_\(keyID).p8"
    }

    private static func authorityFile(_ directory: String) -> String {
        "\(directory)/simulator-ca.pem"
    }

    private static func makeKeys(
        hosts: [String]
    ) throws(SimulatorError) -> (certificates: CertificateSet, signingKeyPEM: [UInt8]) {
        do {
            let certificates = try CertificateSet.make(hosts: hosts, validDays: validDays)
            return (certificates, try SigningKey.generate().privatePEM)
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
