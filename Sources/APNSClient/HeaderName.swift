/// Names of answer headers, compared as bytes.
enum HeaderName {
    private static let apnsID: StaticString = "apns-id"

    /// Whether `name` is `apns-id`. HTTP/2 names are lower case (RFC 9113, section 8.2).
    static func isAPNSID(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count == apnsID.utf8CodeUnitCount else { return false }
        // Sound: a static string's bytes live for the whole program.
        let wanted = unsafe UnsafeRawBufferPointer(
            start: apnsID.utf8Start, count: apnsID.utf8CodeUnitCount)
        return unsafe name.elementsEqual(wanted)
    }
}
