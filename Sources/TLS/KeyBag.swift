internal import COpenSSL

/// A PKCS#12 bag: a certificate, its key and perhaps its chain, under a password.
///
/// Keychains still encrypt with RC2, which OpenSSL 3 keeps in its provider "legacy". That one is
/// loaded into a library context of its own, which lives as long as the bag is read, so that
/// nothing else of the process can use old algorithms.
///
/// *C:* `PKCS12_parse`. *Source:* RFC 7292; OSSL_PROVIDER-legacy(7).
enum KeyBag {
    /// Opens a bag.
    ///
    /// - Parameters:
    ///   - file: the bag.
    ///   - password: what opens it; nil: none, or an empty one.
    /// - Returns: the key and at least one certificate.
    /// - Throws: `IdentityError` that says why it can't be used.
    static func open(
        _ file: ClientIdentity.File, _ password: Password?
    ) throws(IdentityError) -> (key: PrivateKey, certificates: [Certificate]) {
        // Sound, in this function: what is made here is freed here, the bag before its context;
        // a provider that is not installed is NULL, and unloading NULL does nothing.
        let library = unsafe OSSL_LIB_CTX_new()
        let usual = unsafe OSSL_PROVIDER_load(library, "default")
        let old = unsafe OSSL_PROVIDER_load(library, "legacy")
        var bag = unsafe PKCS12_init_ex(NID_pkcs7_data, library, nil)
        defer {
            unsafe PKCS12_free(bag)
            if let old = unsafe old { unsafe OSSL_PROVIDER_unload(old) }
            if let usual = unsafe usual { unsafe OSSL_PROVIDER_unload(usual) }
            unsafe OSSL_LIB_CTX_free(library)
            ERR_clear_error()
        }
        let source = MemoryBIO(file.bytes)
        // What can't be read is freed by the call, and `bag` is NULL then.
        guard unsafe d2i_PKCS12_bio(source.pointer, &bag) != nil else {
            throw IdentityError(file.name, kindOfOtherBinary(file.bytes))
        }
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var others: OpaquePointer?
        let text = (password?.bytes ?? []) + [0]
        let isOpen = ErrorQueue.cleared {
            // Sound: the text ends with a zero and holds no other.
            unsafe text.withUnsafeBytes { text in
                unsafe PKCS12_parse(
                    bag, text.bindMemory(to: CChar.self).baseAddress, &key, &certificate, &others)
                    == 1
            }
        }
        guard isOpen else {
            throw IdentityError(file.name, fault(ErrorQueue.drain(), password))
        }
        let found = unsafe Found(key: key, certificate: certificate, others: others)
        return try unsafe found.carriedOver(file.name)
    }

    /// Says why a bag did not open.
    private static func fault(
        _ entries: [ErrorQueue.Entry], _ password: Password?
    ) -> IdentityError.Fault {
        let texts = entries.map(\.text)
        if texts.contains("mac absent") { return .bagWithoutCheck }
        // The check over the whole comes first where there is one; else decrypting fails.
        let signs = ["mac verify failure", "bad decrypt", "pkcs12 cipherfinal error"]
        if texts.contains(where: signs.contains) {
            return password.map { .wrongPassword(file: $0.file) } ?? .passwordNeeded
        }
        return texts.contains { $0.contains("unsupported") } ? .unknownEncryption : .damaged
    }

    private static func kindOfOtherBinary(_ bytes: [UInt8]) -> IdentityError.Fault {
        let source = MemoryBIO(bytes)
        // Sound: what is read is freed at once, NULL too.
        let certificate = unsafe d2i_X509_bio(source.pointer, nil)
        defer { unsafe X509_free(certificate) }
        return unsafe certificate == nil ? .damaged : .onlyABinaryCertificate
    }
}

/// What came out of a bag; all of it may be missing.
@unsafe
private struct Found {
    let key: OpaquePointer?
    let certificate: OpaquePointer?
    let others: OpaquePointer?

    /// Makes the same objects in the library context that TLS uses, and frees these.
    func carriedOver(
        _ file: String
    ) throws(IdentityError) -> (key: PrivateKey, certificates: [Certificate]) {
        // Sound: every object is owned by the bag's reader and freed here: by the wrappers, or with
        // the stack, whose entries get a reference more for their wrapper.
        let foundKey = unsafe key.map { unsafe PrivateKey(takingOwnership: $0) }
        var found = unsafe certificate.map { [unsafe Certificate(takingOwnership: $0)] } ?? []
        for index in 0..<(unsafe max(0, shim_sk_X509_num(others))) {
            guard let other = unsafe shim_sk_X509_value(others, index) else { continue }
            unsafe X509_up_ref(other)
            unsafe found.append(Certificate(takingOwnership: other))
        }
        unsafe shim_sk_X509_free_all(others)
        guard !found.isEmpty else { throw IdentityError(file, .notACertificate) }
        guard let foundKey else { throw IdentityError(file, .noKey) }
        do {
            return (
                try PrivateKey(pem: foundKey.privatePEM, attempted: "take over a key"),
                try Certificate.all(inPEM: found.flatMap(\.pem))
            )
        } catch {
            throw IdentityError(file, .damaged)
        }
    }
}
