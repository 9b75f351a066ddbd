internal import COpenSSL

/// A client certificate with its key: whom a client claims to be in the TLS handshake.
///
/// It is read from PEM (certificate and key in one file or in two, the authorities' certificates
/// may stand there too) or from PKCS#12, which is what a `.p12` file is. Nobody is ever asked for
/// a password.
///
/// *Ownership and thread*: any number of contexts may use one, on any thread.
package final class ClientIdentity: Sendable {
    /// A file's name, for messages, and its contents.
    package struct File: Sendable {
        let name: String
        let bytes: [UInt8]

        /// A file that was read.
        ///
        /// - Parameters:
        ///   - name: as the user knows it.
        ///   - bytes: all of it.
        package init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// What the certificate says of itself.
    package let facts: CertificateFacts

    let certificate: Certificate
    /// The certificates between it and its authority.
    let chain: [Certificate]
    let key: PrivateKey

    /// Reads certificate and key, and makes sure that they belong together.
    ///
    /// - Parameters:
    ///   - certificateFile: PEM or PKCS#12.
    ///   - keyFile: the key in PEM form; nil: it stands in the same file.
    ///   - passwordFile: holds what opens the bag or the key, and perhaps a last line break; nil:
    ///     no password.
    /// - Throws: `IdentityError` that names the file and what is wrong with it.
    package init(
        certificateFile: File, keyFile: File? = nil, passwordFile: File? = nil
    ) throws(IdentityError) {
        let password = try passwordFile.map { (file) throws(IdentityError) in
            try Password(file)
        }
        let found: (key: PrivateKey, certificates: [Certificate])
        // A PKCS#12 bag, like every binary form here, begins with a sequence.
        if certificateFile.bytes.first == 0x30 {
            if keyFile != nil { throw IdentityError(certificateFile.name, .bagWithKeyFile) }
            found = try KeyBag.open(certificateFile, password)
        } else {
            found = try Self.readPEM(certificateFile, keyFile, password)
        }
        let (key, certificates) = found
        // Files list the authority first now and then; the certificate of the key is ours.
        guard let own = certificates.firstIndex(where: { $0.belongs(to: key) }) else {
            throw IdentityError(
                keyFile?.name ?? certificateFile.name, .keyOfAnother(file: certificateFile.name))
        }
        self.key = key
        certificate = certificates[own]
        chain = certificates.indices.filter { $0 != own }.map { certificates[$0] }
        facts = CertificateFacts(certificate)
    }

    private static func readPEM(
        _ file: File, _ keyFile: File?, _ password: Password?
    ) throws(IdentityError) -> (PrivateKey, [Certificate]) {
        let text = withoutMark(file.bytes)
        let holdsKey = text.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil
        let certificates: [Certificate]
        do {
            certificates = try Certificate.all(inPEM: text)
        } catch {
            let isCut = text.firstRange(of: Array("-----BEGIN CERTIFICATE".utf8)) != nil
            let fault: IdentityError.Fault =
                isCut ? .damaged : holdsKey ? .onlyAKey : .notACertificate
            throw IdentityError(file.name, fault)
        }
        if keyFile == nil, !holdsKey { throw IdentityError(file.name, .noKey) }
        return (try readKey(keyFile ?? file, password), certificates)
    }

    private static func readKey(
        _ file: File, _ password: Password?
    ) throws(IdentityError) -> PrivateKey {
        if file.bytes.first == 0x30 { throw IdentityError(file.name, .bagWithKeyFile) }
        let text = withoutMark(file.bytes)
        guard text.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil else {
            throw IdentityError(file.name, .noKey)
        }
        // "BEGIN ENCRYPTED PRIVATE KEY", or "Proc-Type: 4,ENCRYPTED" of RFC 1421.
        let isEncrypted = text.firstRange(of: Array("ENCRYPTED".utf8)) != nil
        if isEncrypted, password == nil { throw IdentityError(file.name, .passwordNeeded) }
        do {
            return try PrivateKey(pem: text, password: password?.bytes, attempted: "read a key")
        } catch {
            if isEncrypted, let password {
                throw IdentityError(file.name, .wrongPassword(file: password.file))
            }
            throw IdentityError(file.name, .damaged)
        }
    }

    /// Drops a byte-order mark, before which OpenSSL would not see the first line.
    private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    }
}

/// What opens a bag or a key, and the file it came from.
struct Password {
    let file: String
    /// Without the line break at its end.
    let bytes: [UInt8]

    init(_ source: ClientIdentity.File) throws(IdentityError) {
        var text = source.bytes[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        guard text.allSatisfy({ $0 != 0 && $0 != UInt8(ascii: "\n") }) else {
            throw IdentityError(source.name, .notAPassword)
        }
        file = source.name
        bytes = Array(text)
    }
}
