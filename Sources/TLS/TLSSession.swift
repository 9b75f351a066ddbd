internal import COpenSSL

/// One TLS conversation without a socket: ciphertext in, ciphertext out, plaintext in between.
///
/// *Ownership and thread*: one thread at a time. Call `handshake` until it answers true, feeding
/// what arrives to `receive` in between; then `read` and `write`. After every one of these calls,
/// failed ones too, send what `withPendingCiphertext` shows: an alert may be in it that tells the
/// peer what was wrong. After an error that is not `.closed` only that is left to do.
///
/// *C:* `SSL_new`, with BIOs of our own on both sides.
@safe
package final class TLSSession {
    private let ssl: OpaquePointer
    private let context: TLSContext
    private let host: String?
    private let incoming: UnsafeMutablePointer<CiphertextBuffer>
    private let outgoing: UnsafeMutablePointer<CiphertextBuffer>
    private var isBroken = false

    /// Begins a session with buffers and no role yet.
    private init(_ context: TLSContext, host: String?) throws(TLSError) {
        // Sound: the session is freed in deinit, or not made at all.
        let ssl = unsafe ErrorQueue.cleared { unsafe SSL_new(context.pointer) }
        guard let ssl = unsafe ssl else { throw .drained("begin TLS with", host) }
        unsafe self.ssl = unsafe ssl
        self.context = context
        self.host = host
        unsafe incoming = .allocate(capacity: 1)
        unsafe incoming.initialize(to: CiphertextBuffer())
        unsafe outgoing = .allocate(capacity: 1)
        unsafe outgoing.initialize(to: CiphertextBuffer())
        let reader = unsafe BufferBIO.make(incoming)
        let writer = unsafe BufferBIO.make(outgoing)
        // The session owns both BIOs from here on, and frees NULL as well.
        unsafe SSL_set_bio(ssl, reader, writer)
        let isComplete = unsafe reader != nil && writer != nil
        guard isComplete else { throw .drained("begin TLS with", host) }
    }

    deinit {
        // Sound: the session goes first, with the BIOs that point at the buffers.
        unsafe SSL_free(ssl)
        unsafe incoming.pointee.free()
        unsafe outgoing.pointee.free()
        unsafe incoming.deallocate()
        unsafe outgoing.deallocate()
    }

    /// Begins the connecting side of a session; the first `handshake` writes the hello.
    ///
    /// The certificate must be valid for the name. A DNS name is also told to the server (SNI); an
    /// address is not, RFC 6066 forbids it.
    ///
    /// - Parameters:
    ///   - context: from `TLSContext.client`.
    ///   - serverName: a DNS name or an IP address.
    /// - Returns: the session.
    /// - Throws: `TLSError` when the name can't be one.
    package static func client(
        _ context: TLSContext, serverName: String
    ) throws(TLSError) -> TLSSession {
        let session = try TLSSession(context, host: serverName)
        guard session.expect(serverName) else { throw .drained("begin TLS with", serverName) }
        // Sound: the session is alive.
        unsafe SSL_set_connect_state(session.ssl)
        return session
    }

    /// Begins the accepting side of a session.
    ///
    /// - Parameter context: from `TLSContext.server`.
    /// - Returns: the session.
    /// - Throws: `TLSError` only if there is no memory.
    package static func server(_ context: TLSContext) throws(TLSError) -> TLSSession {
        let session = try TLSSession(context, host: nil)
        // Sound: the session is alive.
        unsafe SSL_set_accept_state(session.ssl)
        return session
    }

    /// Says whose certificate must be presented.
    private func expect(_ name: String) -> Bool {
        ErrorQueue.cleared {
            // Sound: the parameters belong to the session; names are copied during the calls.
            let parameters = unsafe SSL_get0_param(ssl)
            if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return true }
            ERR_clear_error()
            // "push*.example" is not something a public authority should certify.
            unsafe X509_VERIFY_PARAM_set_hostflags(
                parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            return unsafe X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
                && shim_SSL_set_tlsext_host_name(ssl, name) == 1
        }
    }

    // MARK: - The conversation

    /// Takes the handshake as far as the received bytes allow.
    ///
    /// - Returns: true when it is finished; false when more input is needed.
    /// - Throws: `TLSError`, with `.verification` when the server is not who it should be.
    ///
    /// *C:* `SSL_do_handshake`.
    package func handshake() throws(TLSError) -> Bool {
        // Sound: the session is alive and this is its thread.
        let answer = ErrorQueue.cleared { unsafe SSL_do_handshake(ssl) }
        if answer == 1 { return true }
        try check(answer, "TLS handshake with")
        return false
    }

    /// The application protocol both sides agreed on (ALPN); nil if none, or not yet.
    ///
    /// *C:* `SSL_get0_alpn_selected`.
    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        // Sound: the name belongs to the session and is copied here.
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name = unsafe name else { return nil }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The version spoken, such as "TLSv1.3".
    ///
    /// *C:* `SSL_get_version`.
    package var version: String {
        // Sound: the answer is a constant of the library.
        unsafe String(cString: SSL_get_version(ssl))
    }

    /// What the certificate that the peer showed says of itself, after the handshake; nil if it
    /// showed none. A client without a certificate may still be welcome.
    ///
    /// *C:* `SSL_get1_peer_certificate`.
    package var peerCertificate: CertificateFacts? {
        // Sound: the call makes a reference, which the wrapper owns.
        guard let pointer = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
        return unsafe CertificateFacts(Certificate(takingOwnership: pointer))
    }

    /// Takes over bytes that came from the peer; then call `handshake` or `read`.
    ///
    /// - Parameter ciphertext: copied; may be any part of the stream.
    package func receive(_ ciphertext: UnsafeRawBufferPointer) {
        guard let start = ciphertext.baseAddress else { return }
        // Sound: the buffer lives as long as self; the length is the pointer's own.
        unsafe incoming.pointee.append(start, ciphertext.count)
    }

    /// Decrypts at most one record; call it until it answers 0.
    ///
    /// - Parameter buffer: where to put plaintext; not empty, best 16 KiB, the size of a record.
    /// - Returns: the number of bytes; 0 when more input is needed.
    /// - Throws: `TLSError`, with `.closed` when the peer has ended its side in order.
    ///
    /// *C:* `SSL_read`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        let length = Int32(clamping: buffer.count)
        // Sound: at most `length` bytes are written.
        let count = ErrorQueue.cleared { unsafe SSL_read(ssl, buffer.baseAddress, length) }
        if count > 0 { return Int(count) }
        try check(count, "TLS conversation with")
        return 0
    }

    /// Encrypts all of `plaintext`, in records as full as they go; the handshake is finished.
    ///
    /// - Parameter plaintext: the bytes; may be empty.
    /// - Throws: `TLSError` when the session is over.
    ///
    /// *C:* `SSL_write`.
    package func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        if plaintext.count == 0 { return }
        // Sound: the bytes are read during the call. Our BIO takes everything, so it never ends
        // half-way.
        let count = ErrorQueue.cleared {
            unsafe SSL_write(ssl, plaintext.baseAddress, Int32(plaintext.count))
        }
        if count <= 0 {
            try check(count, "TLS conversation with")
            throw TLSError(
                "TLS conversation with", host, reasons: ["written to before the handshake"],
                kind: .other)
        }
    }

    /// Says to the peer that nothing more comes (close_notify), unless the session broke.
    ///
    /// *C:* `SSL_shutdown`.
    package func close() {
        // Sound: the session is alive. Shutting down after a fatal error is forbidden by
        // SSL_shutdown(3), and before the end of a handshake it is an error.
        guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
        _ = ErrorQueue.cleared { unsafe SSL_shutdown(ssl) }
        ERR_clear_error()
    }

    // MARK: - Ciphertext for the socket

    /// Whether there are bytes to send.
    package var hasPendingCiphertext: Bool {
        // Sound: the buffer lives as long as self.
        unsafe outgoing.pointee.count > 0
    }

    /// Lends the bytes to send, straight from where OpenSSL put them.
    ///
    /// - Parameter body: may use the bytes until it returns; not another call on this session.
    /// - Returns: what `body` returned.
    package func withPendingCiphertext<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        // Sound: nothing touches the buffer while `body` runs.
        unsafe body(outgoing.pointee.bytes)
    }

    /// Drops the bytes that the socket has taken.
    ///
    /// - Parameter count: at most what `withPendingCiphertext` showed.
    package func consumeCiphertext(_ count: Int) {
        // Sound: the buffer lives as long as self, and checks the count.
        unsafe outgoing.pointee.consume(count)
    }

    // MARK: - Failures

    /// Turns a failed call into an error; returns if it only needs more input.
    ///
    /// *C:* `SSL_get_error`, with an error queue that was empty before the call.
    private func check(_ answer: Int32, _ attempted: String) throws(TLSError) {
        // Sound: the session is alive, and no other call came in between.
        switch unsafe SSL_get_error(ssl, answer) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return
        case SSL_ERROR_ZERO_RETURN:
            throw TLSError(attempted, host ?? "a client", reasons: [], kind: .closed)
        default:
            isBroken = true
            let entries = ErrorQueue.drain()
            throw TLSError(
                attempted, host ?? "a client", reasons: entries.map(\.text),
                kind: kind(of: entries))
        }
    }

    private func kind(of entries: [ErrorQueue.Entry]) -> TLSError.Kind {
        let reasons = entries.map(\.reason)
        if reasons.contains(SSL_R_CERTIFICATE_VERIFY_FAILED) {
            // Sound: the result belongs to the session; the text is a constant of the library.
            let result = unsafe SSL_get_verify_result(ssl)
            return .verification(unsafe String(cString: X509_verify_cert_error_string(result)))
        }
        let disagreements = [
            SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL,
        ]
        if reasons.contains(where: disagreements.contains) { return .noProtocolAgreed }
        // Only the connecting side has a certificate that its peer may refuse by choice.
        if host != nil, let refusal = entries.first(where: { Self.refusals.contains($0.reason) }) {
            return .certificateRefused(refusal.text)
        }
        return entries.isEmpty ? .other : .protocol
    }

    /// Alerts with which a server says that it does not take our certificate, or misses one.
    private static let refusals: Set<Int32> = [
        SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
        SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
        SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
        SSL_R_TLSV1_ALERT_ACCESS_DENIED, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,
    ]
}
