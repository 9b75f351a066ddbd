internal import CNGHTTP2

/// A failure of a whole HTTP/2 session, or a call that the session refuses.
///
/// A refusal by the peer of one request is never thrown: it arrives as an ``HTTP2StreamEnd``.
package struct HTTP2Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, as a phrase: "reading frames from the peer".
    package let attempted: String

    /// The number nghttp2 gave (`nghttp2_error`, negative), or the HTTP/2 error code (RFC 9113,
    /// section 7, positive) of the GOAWAY with which this side ended the session.
    package let code: Int32

    /// The reason in words. Never contains a header value or a body.
    package let reason: String

    /// The whole sentence: what was attempted, why it failed, and the number.
    package var description: String { "\(attempted): \(reason) (\(code))" }

    init(attempted: String, code: Int32, reason: String) {
        self.attempted = attempted
        self.code = code
        self.reason = reason
    }

    /// Turns a failed return code of nghttp2 into an error.
    ///
    /// - C: `nghttp2_strerror`
    init(attempted: String, libraryCode: Int32) {
        // Sound: nghttp2_strerror returns a constant, NUL-terminated string for every number.
        let reason = unsafe String(cString: nghttp2_strerror(libraryCode))
        self.init(attempted: attempted, code: libraryCode, reason: reason)
    }

    /// Throws unless `code` is zero or positive; returns it otherwise.
    @discardableResult
    static func check(_ code: Int, _ attempted: String) throws(HTTP2Error) -> Int {
        guard code >= 0 else {
            throw HTTP2Error(attempted: attempted, libraryCode: Int32(truncatingIfNeeded: code))
        }
        return code
    }
}
