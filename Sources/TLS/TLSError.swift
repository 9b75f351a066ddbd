/// What went wrong with TLS, or with the cryptography around it.
///
/// Its text is a sentence such as `TLS handshake with push.example: certificate has expired`. It
/// never holds bytes of the conversation, nor a key.
package struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cases that callers tell apart.
    package enum Kind: Sendable, Equatable {
        /// The peer's certificate is not to be trusted, and why: "hostname mismatch".
        case verification(String)
        /// The server does not take the client's certificate, or misses one, and in which words.
        case certificateRefused(String)
        /// The peer broke the protocol, or spoke another one, or sent an alert.
        case `protocol`
        /// The peer has said that it sends nothing more (close_notify).
        case closed
        /// Both sides have no application protocol in common (ALPN).
        case noProtocolAgreed
        /// Files, settings, memory.
        case other
    }

    /// What was attempted: "TLS handshake with".
    package let attempted: String

    /// The host, file or name it was attempted on; nil where there is none.
    package let host: String?

    /// OpenSSL's reasons, the root cause first.
    package let reasons: [String]

    /// What kind of failure it is.
    package let kind: Kind

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - attempted: what was attempted, in words that read well before the host.
    ///   - host: on what; nil where there is none.
    ///   - reasons: OpenSSL's reasons, the root cause first.
    ///   - kind: what kind of failure it is.
    package init(_ attempted: String, _ host: String?, reasons: [String], kind: Kind) {
        self.attempted = attempted
        self.host = host
        self.reasons = reasons
        self.kind = kind
    }

    /// The whole sentence, with the root cause.
    package var description: String {
        let subject = host.map { "\(attempted) \($0)" } ?? attempted
        return "\(subject): \(cause)"
    }

    private var cause: String {
        switch kind {
        case .verification(let reason): reason
        case .certificateRefused(let reason): "the client certificate is refused: \(reason)"
        case .closed: "closed by the peer"
        case .noProtocolAgreed: "no application protocol in common"
        case .protocol, .other: reasons.first ?? "unknown reason"
        }
    }

    /// Describes a call that has just failed, with the reasons that OpenSSL left.
    static func drained(
        _ attempted: String, _ host: String? = nil, kind: Kind = .other
    ) -> TLSError {
        TLSError(attempted, host, reasons: ErrorQueue.drain().map(\.text), kind: kind)
    }
}
