/// Names of answer headers, compared as bytes. HTTP/2 names are lower case (RFC 9113, section 8.2).
enum HeaderName {
    /// The id that APNs gave the push.
    static let apnsID: StaticString = "apns-id"
    /// The server's clock.
    static let date: StaticString = "date"
    /// How long the server wants to be left alone.
    static let retryAfter: StaticString = "retry-after"

    /// Whether the bytes are this name.
    static func `is`(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        guard bytes.count == name.utf8CodeUnitCount else { return false }
        // Sound: a static string's bytes live for the whole program.
        let wanted = unsafe UnsafeRawBufferPointer(
            start: name.utf8Start, count: name.utf8CodeUnitCount)
        return unsafe bytes.elementsEqual(wanted)
    }
}
