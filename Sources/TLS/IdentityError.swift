/// Files that can't be used as a client certificate: which one, what is wrong, what to do.
///
/// Its text names files, and nothing of what is in them.
package struct IdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    package enum Fault: Sendable, Equatable {
        /// Nothing in the file is a certificate, a key or a PKCS#12 bag.
        case notACertificate
        /// A private key stands there alone, as in a `.p8` file.
        case onlyAKey
        /// The certificate's key is missing.
        case noKey
        /// A certificate in binary form, as the developer site offers it, without its key.
        case onlyABinaryCertificate
        /// Binary data, most likely a PKCS#12 bag, stands where PEM belongs: as the key's file, or
        /// beside one.
        case bagWithKeyFile
        /// The file is protected by a password, and none was given.
        case passwordNeeded
        /// The password of the named file does not open it.
        case wrongPassword(file: String)
        /// The password file holds more than one line, or a zero byte.
        case notAPassword
        /// The key belongs to another certificate than the one in the named file.
        case keyOfAnother(file: String)
        /// It is encrypted in a way that this machine's OpenSSL can't undo.
        case unknownEncryption
        /// A PKCS#12 bag without the check over the whole (MAC) that OpenSSL wants.
        case bagWithoutCheck
        /// The file was cut off or changed.
        case damaged
    }

    /// The file, as the user named it.
    package let file: String

    /// What is wrong with it.
    package let fault: Fault

    /// The whole sentence.
    package var description: String { "\(file): \(explanation)" }

    init(_ file: String, _ fault: Fault) {
        self.file = file
        self.fault = fault
    }

    private var explanation: String {
        switch fault {
        case .notACertificate:
            "found no certificate; export it with its key as .p12, or as PEM"
        case .onlyAKey:
            "found a private key and no certificate; a .p8 key is named as key_file, with its "
                + "key_id and team_id"
        case .noKey:
            "found a certificate without its key; name the key's file as certificate_key_file, or "
                + "export both together as .p12"
        case .onlyABinaryCertificate:
            "found a certificate without its key, as the developer site offers it; export it "
                + "together with its key from the keychain as .p12"
        case .bagWithKeyFile:
            "found binary data where PEM text belongs; a .p12 file holds certificate and key "
                + "together: name it as certificate_file, and leave certificate_key_file out"
        case .passwordNeeded:
            "it is protected by a password; put the password into a file that only you can read, "
                + "and name that as password_file"
        case .wrongPassword(let other):
            "the password in \(other) does not open it"
        case .notAPassword:
            "a password file holds one line, the password, and nothing else"
        case .keyOfAnother(let other):
            "the key does not belong to the certificate in \(other)"
        case .unknownEncryption:
            "it is encrypted in a way that this machine's OpenSSL can't undo; convert it where it "
                + "can be opened: openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem"
        case .bagWithoutCheck:
            "it has no integrity check (MAC), which this machine's OpenSSL wants; export it again"
        case .damaged:
            "it is damaged; copy or export it again"
        }
    }
}
