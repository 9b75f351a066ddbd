internal import COpenSSL
internal import Glibc

/// What a push certificate says of itself.
package struct CertificateFacts: Sendable, Equatable {
    /// Its common name, such as "Apple Push Services: com.example.shop".
    package let subject: String

    /// From when it is valid, in seconds since 1970 UTC.
    package let notBeforeSeconds: Int64

    /// Until when it is valid, in seconds since 1970 UTC.
    package let notAfterSeconds: Int64

    /// The day on which it ends, in UTC: `2026-12-05`.
    package let lastDay: String

    /// The topics it is for: those of Apple's list, else the subject's UID, which is the bundle id.
    /// Empty: it names none.
    package let topics: [String]

    /// The environments it is marked for; none in certificates that are not Apple's.
    package let marks: AppleMarks

    init(_ certificate: Certificate) {
        let pointer = unsafe certificate.pointer
        // Sound, here and below: what is asked for belongs to the certificate, which lives on.
        let name = unsafe X509_get_subject_name(pointer)
        subject = unsafe Self.part(NID_commonName, of: name) ?? "a certificate without a name"
        let begin = unsafe Self.moment(X509_get0_notBefore(pointer))
        var end = unsafe Self.moment(X509_get0_notAfter(pointer))
        lastDay = unsafe Self.day(end)
        var start = unsafe begin
        notBeforeSeconds = unsafe Int64(timegm(&start))
        notAfterSeconds = unsafe Int64(timegm(&end))
        let listed =
            unsafe Self.extensionValue(AppleTopics.objectIdentifier, of: pointer)
            .map(AppleTopics.topics) ?? []
        let identity = unsafe Self.part(NID_userId, of: name)
        topics = listed.isEmpty ? identity.map { [$0] } ?? [] : listed
        marks = AppleMarks(
            AppleMarks.all.filter { mark in
                unsafe Self.extensionValue(mark.objectIdentifier, of: pointer) != nil
            }.map(\.mark))
    }

    /// The first part of a kind in a name; nil if there is none.
    @unsafe
    private static func part(_ kind: Int32, of name: OpaquePointer?) -> String? {
        let index = unsafe X509_NAME_get_index_by_NID(name, kind, -1)
        guard index >= 0 else { return nil }
        let data = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index))
        // Whatever kind of string it is, UTF-8 is made of it.
        var text: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&text, data)
        defer {
            unsafe CRYPTO_free(text, nil, 0)
            ERR_clear_error()
        }
        guard let text = unsafe text, count > 0 else { return nil }
        return unsafe SafeName.text(UnsafeBufferPointer(start: text, count: Int(count)))
    }

    /// The bytes inside an extension; nil if it is not there.
    @unsafe
    private static func extensionValue(
        _ identifier: String, of certificate: OpaquePointer
    ) -> [UInt8]? {
        let object = unsafe OBJ_txt2obj(identifier, 1)
        defer {
            unsafe ASN1_OBJECT_free(object)
            ERR_clear_error()
        }
        let index = unsafe X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0 else { return nil }
        let value = unsafe X509_EXTENSION_get_data(X509_get_ext(certificate, index))
        return unsafe Array(
            UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
    }

    @unsafe
    private static func moment(_ time: UnsafePointer<ASN1_TIME>?) -> tm {
        var moment = unsafe tm()
        // A time that can't be read leaves 1900, and such a certificate has expired.
        _ = unsafe ASN1_TIME_to_tm(time, &moment)
        ERR_clear_error()
        return unsafe moment
    }

    private static func day(_ moment: tm) -> String {
        let numbers = unsafe [moment.tm_year + 1900, moment.tm_mon + 1, moment.tm_mday]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }
}
