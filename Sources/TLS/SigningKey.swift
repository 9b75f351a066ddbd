internal import COpenSSL

/// The private key that signs with ES256: ECDSA on the curve P-256 with SHA-256.
///
/// *Ownership and thread*: any number of threads may sign at once.
///
/// *Source:* RFC 7518, section 3.4.
package final class SigningKey: Sendable {
    private let key: PrivateKey

    /// Reads a key from the contents of a `.p8` file; SEC1 ("EC PRIVATE KEY") works too.
    ///
    /// Never asks for a password, and never touches the network.
    ///
    /// - Parameters:
    ///   - pem: the whole file; see `KeyText` for what is tolerated.
    ///   - source: the file's name, for the error's text.
    /// - Throws: `KeyError` that says what was found instead of a P-256 private key.
    package init(pem: [UInt8], source: String) throws(KeyError) {
        let text = try KeyText(pem, file: source)
        let damaged = KeyError(
            source, found: "a damaged key", advice: "copy the .p8 file again as a whole")
        guard let der = Self.decoded(text.digits), let key = Self.key(der: der, label: text.label)
        else { throw damaged }
        if let kind = key.otherKind { throw KeyError(source, found: kind) }
        guard key.isConsistent else { throw damaged }
        self.key = key
    }

    /// Makes a new key, for tests and for servers that stand in for Apple's.
    ///
    /// - Returns: the private key as a `.p8` file has it, and its public half, both in PEM form.
    /// - Throws: `TLSError` only if there is no memory or no randomness.
    package static func generate() throws(TLSError) -> (privatePEM: [UInt8], publicPEM: [UInt8]) {
        let key = try PrivateKey.generate()
        return (key.privatePEM, key.publicPEM)
    }

    /// The public half in PEM form.
    package var publicKeyPEM: [UInt8] { key.publicPEM }

    /// Signs a message.
    ///
    /// - Parameter message: the bytes; they are hashed with SHA-256 here.
    /// - Returns: 64 bytes: R and S, each 32 bytes, big-endian, padded with zeros at the left.
    /// - Throws: `TLSError` only if there is no memory or no randomness.
    ///
    /// *C:* `EVP_DigestSign`, whose DER answer is taken apart. *Source:* RFC 7518, section 3.4.
    package func signES256(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        // A P-256 signature in DER has at most 72 bytes; the call checks against the length.
        var der = [UInt8](repeating: 0, count: 128)
        var length = der.count
        let isSigned = ErrorQueue.cleared {
            // Sound: the context is freed below; lengths are those of the arrays.
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            return unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
                && EVP_DigestSign(context, &der, &length, message, message.count) == 1
        }
        guard isSigned, let raw = ECDSASignature.raw(der: Array(der[..<length])) else {
            throw .drained("sign")
        }
        return raw
    }

    /// Decodes base64; nil if it is none.
    private static func decoded(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count % 4 == 0, !digits.isEmpty else { return nil }
        var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3)
        // Sound: three bytes are written for every four digits. *C:* EVP_DecodeBlock counts the
        // padding as bytes.
        let count = ErrorQueue.cleared {
            unsafe EVP_DecodeBlock(&bytes, digits, Int32(digits.count))
        }
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard count >= padding else { return nil }
        return Array(bytes[..<(Int(count) - padding)])
    }

    /// Reads PKCS#8 or SEC1; nil if it is neither.
    private static func key(der: [UInt8], label: String) -> PrivateKey? {
        defer { ERR_clear_error() }
        // Sound: the parsers read at most the array's bytes; what they make is freed or owned.
        return unsafe der.withUnsafeBufferPointer { der -> PrivateKey? in
            var next = der.baseAddress
            ERR_clear_error()
            var key: OpaquePointer?
            if label == "PRIVATE KEY" {
                let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &next, der.count)
                unsafe key = unsafe info.flatMap { unsafe EVP_PKCS82PKEY($0) }
                unsafe PKCS8_PRIV_KEY_INFO_free(info)
            } else {
                unsafe key = unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &next, der.count)
            }
            return unsafe key.map { unsafe PrivateKey(takingOwnership: $0) }
        }
    }
}
