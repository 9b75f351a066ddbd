internal import COpenSSL

/// A certificate that is being filled in and not yet signed.
///
/// *C:* `X509_new` and its setters.
struct CertificateDraft {
    private let certificate: Certificate

    /// Begins a certificate of version 3 with a random serial number.
    init(subject: String, issuer: String) throws(TLSError) {
        // Sound: the certificate is owned by the object made of it.
        guard let pointer = unsafe X509_new() else { throw .drained("make a certificate") }
        certificate = unsafe Certificate(takingOwnership: pointer)
        // Positive, and never zero: RFC 5280, 4.1.2.2.
        let serial = SecureRandom.uint64() >> 1 | 1
        // Sound: the certificate is alive; names are copied. Version 2 means v3: X509_set_version.
        unsafe X509_set_version(pointer, 2)
        unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial)
        unsafe Self.add("CN", subject, to: X509_get_subject_name(pointer))
        unsafe Self.add("CN", issuer, to: X509_get_issuer_name(pointer))
    }

    /// Adds a part to the subject's name, such as "UID".
    func addToSubject(_ field: String, _ value: String) {
        // Sound: the name belongs to the certificate.
        unsafe Self.add(field, value, to: X509_get_subject_name(certificate.pointer))
    }

    private static func add(_ field: String, _ value: String, to name: OpaquePointer?) {
        // Sound: the name belongs to the certificate, the text is copied. -1: it ends with NUL.
        unsafe X509_NAME_add_entry_by_txt(
            name, field, MBSTRING_UTF8, Array(value.utf8) + [0], -1, -1, 0)
    }

    /// Sets from when until when it is valid.
    func setValidity(beginsDaysFromNow: Int, validDays: Int) {
        let pointer = unsafe certificate.pointer
        // Sound: both times belong to the certificate; nil means now.
        unsafe X509_time_adj_ex(X509_getm_notBefore(pointer), Int32(beginsDaysFromNow), 0, nil)
        unsafe X509_time_adj_ex(
            X509_getm_notAfter(pointer), Int32(beginsDaysFromNow + validDays), 0, nil)
    }

    /// Adds an extension in OpenSSL's configuration form, x509v3_config(5).
    func add(_ identifier: Int32, _ value: String) throws(TLSError) {
        // Sound: the extension is copied into the certificate and freed here.
        let made = unsafe ErrorQueue.cleared {
            unsafe X509V3_EXT_conf_nid(nil, nil, identifier, value)
        }
        guard let made = unsafe made else { throw .drained("make a certificate for", value) }
        unsafe X509_add_ext(certificate.pointer, made, -1)
        unsafe X509_EXTENSION_free(made)
    }

    /// Adds an extension that OpenSSL has no name for.
    func add(objectIdentifier: String, der: [UInt8]) throws(TLSError) {
        let isAdded = ErrorQueue.cleared {
            // Sound: all three are made and freed here; the certificate takes a copy.
            let object = unsafe OBJ_txt2obj(objectIdentifier, 1)
            let value = unsafe ASN1_OCTET_STRING_new()
            defer {
                unsafe ASN1_OBJECT_free(object)
                unsafe ASN1_OCTET_STRING_free(value)
            }
            guard unsafe ASN1_OCTET_STRING_set(value, der, Int32(der.count)) == 1 else {
                return false
            }
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
            defer { unsafe X509_EXTENSION_free(made) }
            return unsafe X509_add_ext(certificate.pointer, made, -1) == 1
        }
        if !isAdded { throw .drained("make a certificate with", objectIdentifier) }
    }

    /// Puts the public key in and signs the whole.
    func signed(subjectKey: PrivateKey, issuerKey: PrivateKey) throws(TLSError) -> Certificate {
        let isSigned = ErrorQueue.cleared {
            // Sound: all are alive; the certificate takes a reference to the public key.
            unsafe X509_set_pubkey(certificate.pointer, subjectKey.pointer) == 1
                && X509_sign(certificate.pointer, issuerKey.pointer, EVP_sha256()) > 0
        }
        guard isSigned else { throw .drained("sign a certificate") }
        return certificate
    }
}
