internal import COpenSSL

/// A key pair of any kind, or the public half of one.
///
/// *C:* `EVP_PKEY`.
// Sendable: nobody changes a key after init, and OpenSSL lets threads share one for reading:
// openssl-threads(7).
@safe
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over one reference to a key.
    @unsafe
    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        // Sound: this object owns one reference.
        unsafe EVP_PKEY_free(pointer)
    }

    /// Makes a new key on the curve P-256, or on another that OpenSSL knows by name.
    static func generate(curve: String = "P-256") throws(TLSError) -> PrivateKey {
        // Sound: the name is lent for the call; the new key is owned by what we return.
        let key = unsafe ErrorQueue.cleared { unsafe shim_EVP_EC_gen(curve) }
        guard let key = unsafe key else { throw .drained("make a key") }
        return unsafe PrivateKey(takingOwnership: key)
    }

    /// Reads a private key in PEM form; `password` opens it if it is encrypted.
    convenience init(
        pem: [UInt8], password: [UInt8]? = nil, attempted: String
    ) throws(TLSError) {
        let source = MemoryBIO(pem)
        var secret = password.map { $0 + [0] } ?? []
        // Sound: the source is alive, and so is the password, which ends with a zero: without a
        // callback the argument is taken as such a text. The callback asks nobody, so nothing ever
        // waits at a prompt.
        let key = unsafe ErrorQueue.cleared {
            unsafe secret.withUnsafeMutableBytes { secret in
                unsafe secret.isEmpty
                    ? PEM_read_bio_PrivateKey(source.pointer, nil, refusePassword, nil)
                    : PEM_read_bio_PrivateKey(source.pointer, nil, nil, secret.baseAddress)
            }
        }
        guard let key = unsafe key else { throw .drained(attempted) }
        unsafe self.init(takingOwnership: key)
    }

    /// Reads a public key in PEM form.
    convenience init(publicPEM: [UInt8], attempted: String) throws(TLSError) {
        let source = MemoryBIO(publicPEM)
        // Sound: as above.
        let key = unsafe ErrorQueue.cleared {
            unsafe PEM_read_bio_PUBKEY(source.pointer, nil, refusePassword, nil)
        }
        guard let key = unsafe key else { throw .drained(attempted) }
        unsafe self.init(takingOwnership: key)
    }

    /// The private key as unencrypted PKCS#8 in PEM form: what a `.p8` file holds.
    var privatePEM: [UInt8] {
        let target = MemoryBIO()
        // Sound: both are alive. No cipher, so no password either.
        unsafe PEM_write_bio_PKCS8PrivateKey(target.pointer, pointer, nil, nil, 0, nil, nil)
        return target.bytes
    }

    /// The public half in PEM form.
    var publicPEM: [UInt8] {
        let target = MemoryBIO()
        // Sound: both are alive.
        unsafe PEM_write_bio_PUBKEY(target.pointer, pointer)
        return target.bytes
    }

    /// What kind of key it is, as words after "found"; nil for P-256.
    var otherKind: String? {
        // Sound: the key is alive.
        switch unsafe EVP_PKEY_get_base_id(pointer) {
        case EVP_PKEY_EC: break
        case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: return "an RSA key"
        case EVP_PKEY_ED25519, EVP_PKEY_ED448: return "an Ed25519 or Ed448 key"
        case EVP_PKEY_DSA: return "a DSA key"
        default: return "a key of another kind"
        }
        switch curve {
        case "prime256v1": return nil
        case "secp384r1": return "a P-384 key"
        case "secp521r1": return "a P-521 key"
        default: return "a key on another curve"
        }
    }

    /// OpenSSL's name of the curve; nil if it has none.
    private var curve: String? {
        // Longest name known today: 17 bytes ("brainpoolP512t1" and the like).
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        // Sound: at most name.count bytes are written, the NUL among them.
        let isNamed = ErrorQueue.cleared {
            unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1
        }
        ERR_clear_error()
        guard isNamed else { return nil }
        return String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the public half belongs to the private one and both lie on the curve.
    var isConsistent: Bool {
        ErrorQueue.cleared {
            // Sound: the key is alive; the context is freed below.
            guard let check = unsafe EVP_PKEY_CTX_new(pointer, nil) else { return false }
            defer {
                unsafe EVP_PKEY_CTX_free(check)
                ERR_clear_error()
            }
            return unsafe EVP_PKEY_check(check) == 1
        }
    }
}

/// Answers OpenSSL's question for a password: there is none. The default would ask the terminal.
private func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}
