internal import COpenSSL

/// One X.509 certificate.
// Sendable: nobody changes a certificate once it is signed or read, and OpenSSL locks what it
// remembers about one: openssl-threads(7).
@safe
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over one reference to a certificate.
    @unsafe
    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        // Sound: this object owns one reference.
        unsafe X509_free(pointer)
    }

    /// Reads all certificates of a PEM text, at least one.
    static func all(inPEM pem: [UInt8]) throws(TLSError) -> [Certificate] {
        let source = MemoryBIO(pem)
        var certificates: [Certificate] = []
        // Sound: the source is alive; every certificate is owned by what we append.
        while let next = unsafe ErrorQueue.cleared({
            unsafe PEM_read_bio_X509(source.pointer, nil, nil, nil)
        }) {
            unsafe certificates.append(Certificate(takingOwnership: next))
        }
        guard !certificates.isEmpty else { throw .drained("read a certificate") }
        // The end of the text is reported as an error too.
        ERR_clear_error()
        return certificates
    }

    /// Whether a key is the private half of the key in here.
    func belongs(to key: PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        // Sound: both are alive.
        return unsafe X509_check_private_key(pointer, key.pointer) == 1
    }

    /// The certificate in PEM form.
    var pem: [UInt8] {
        let target = MemoryBIO()
        // Sound: both are alive.
        unsafe PEM_write_bio_X509(target.pointer, pointer)
        return target.bytes
    }
}
