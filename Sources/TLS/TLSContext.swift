internal import COpenSSL

/// Whom a client believes.
package enum TLSTrust: Sendable, Equatable {
    /// The certificate authorities of this machine.
    case system
    /// The certificate authorities in one PEM file, and no others.
    case file(String)
}

/// What a server does with a client whose protocols it speaks none of.
package enum TLSDisagreement: Sendable {
    /// Ends the handshake with the alert no_application_protocol, as RFC 7301 asks.
    case refuse
    /// Goes on without an agreed protocol.
    case proceed
}

/// What the TLS sessions of one role have in common; sessions are made from it on any thread.
///
/// TLS 1.2 is the least. Sessions are never resumed and nothing is sent before the handshake is
/// over (0-RTT), because such bytes can be replayed, and a replayed request is a second push.
///
/// *C:* `SSL_CTX_new`.
// Sendable: the pointer and the list are set before init returns and only read afterwards, and an
// SSL_CTX that nobody changes may make sessions on any thread: openssl-threads(7).
@safe
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The protocols in the form of RFC 7301: each with its length in front.
    private let protocols: [UInt8]
    private let disagreement: TLSDisagreement

    private init(
        takingOwnership pointer: OpaquePointer, protocols: [String], disagreement: TLSDisagreement
    ) {
        unsafe self.pointer = unsafe pointer
        self.protocols = Self.wireForm(protocols)
        self.disagreement = disagreement
    }

    deinit {
        // Sound: made in `make`, freed here only; sessions hold a reference of their own.
        unsafe SSL_CTX_free(pointer)
    }

    /// Prepares for connecting: the server must prove who it is.
    ///
    /// - Parameters:
    ///   - trust: whom to believe.
    ///   - protocols: the application protocols to offer (ALPN), the best first, such as "h2".
    ///   - identity: the certificate to show when the server asks for one; nil: none.
    /// - Returns: a context for `TLSSession.client`.
    /// - Throws: `TLSError` when the trusted certificates can't be read, or OpenSSL finds the
    ///   certificate too weak.
    package static func client(
        trust: TLSTrust, protocols: [String], identity: ClientIdentity? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try unsafe make(
            TLS_client_method(), protocols: protocols, disagreement: .proceed)
        try context.load(trust)
        if let identity {
            try context.use([identity.certificate] + identity.chain, of: "the client")
            try context.use(identity.key, of: "the client")
        }
        // Sound: the context is alive, and the list is copied.
        unsafe SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        let list = context.protocols
        // This function alone answers 0 when it went well: SSL_CTX_set_alpn_protos(3).
        if unsafe !list.isEmpty
            && SSL_CTX_set_alpn_protos(context.pointer, list, UInt32(list.count)) != 0
        {
            throw .drained("offer protocols")
        }
        // AES-128 first: as safe for this purpose as AES-256, and a third cheaper. A server that
        // has an order of its own ignores this one. Failure would leave OpenSSL's order.
        unsafe SSL_CTX_set_ciphersuites(
            context.pointer,
            "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        return context
    }

    /// Prepares for accepting.
    ///
    /// - Parameters:
    ///   - certificatePEM: the server's certificate, and those between it and the authority.
    ///   - privateKeyPEM: the certificate's key, not encrypted.
    ///   - protocols: the application protocols it speaks (ALPN), the best first.
    ///   - disagreement: what to do with a client that offers others only.
    ///   - clientAuthorityPEM: whose certificates clients may show; one of another authority ends
    ///     the handshake, and a client without any is let in. nil: clients are not asked.
    /// - Returns: a context for `TLSSession.server`.
    /// - Throws: `TLSError` when certificate or key are unusable, or do not belong together.
    package static func server(
        certificatePEM: [UInt8], privateKeyPEM: [UInt8], protocols: [String],
        disagreement: TLSDisagreement = .refuse, clientAuthorityPEM: [UInt8]? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try unsafe make(
            TLS_server_method(), protocols: protocols, disagreement: disagreement)
        try context.use(Certificate.all(inPEM: certificatePEM), of: "the server")
        try context.use(
            PrivateKey(pem: privateKeyPEM, attempted: "read the server's key"), of: "the server")
        if let clientAuthorityPEM {
            try context.ask(forCertificatesOf: Certificate.all(inPEM: clientAuthorityPEM))
        }
        // Sound: the context outlives its sessions, each of which holds it, so the argument of the
        // callback is valid whenever a handshake runs.
        unsafe SSL_CTX_set_alpn_select_cb(
            context.pointer, selectProtocol, Unmanaged.passUnretained(context).toOpaque())
        return context
    }

    private static func make(
        _ method: OpaquePointer?, protocols: [String], disagreement: TLSDisagreement
    ) throws(TLSError) -> TLSContext {
        // Sound: the method is a constant of the library; the context is owned by what we return.
        let pointer = unsafe ErrorQueue.cleared { unsafe SSL_CTX_new(method) }
        guard let pointer = unsafe pointer else { throw .drained("prepare TLS") }
        let context = unsafe TLSContext(
            takingOwnership: pointer, protocols: protocols, disagreement: disagreement)
        guard unsafe shim_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION) == 1 else {
            throw .drained("require TLS 1.2")
        }
        unsafe SSL_CTX_set_options(pointer, shim_SSL_options())
        // No resumption on either side: TLS 1.3 tickets, TLS 1.2 tickets, session ids.
        unsafe SSL_CTX_set_num_tickets(pointer, 0)
        unsafe shim_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        // Whole bursts are taken out of the buffer at once instead of each record in two parts.
        // SSL_MODE_RELEASE_BUFFERS stays off: it would free and allocate 16 KiB per record to save
        // them in idle sessions, of which we have some dozens at most.
        unsafe shim_SSL_CTX_set_read_ahead(pointer, 1)
        return context
    }

    private func load(_ trust: TLSTrust) throws(TLSError) {
        switch trust {
        case .system:
            let isLoaded = ErrorQueue.cleared {
                // Sound: the context is alive.
                unsafe SSL_CTX_set_default_verify_paths(pointer) == 1
            }
            if !isLoaded { throw .drained("load this machine's certificate authorities") }
        case .file(let path):
            let isLoaded = ErrorQueue.cleared {
                // Sound: the context is alive, the path is lent for the call.
                unsafe SSL_CTX_load_verify_file(pointer, path) == 1
            }
            if !isLoaded { throw .drained("load certificate authorities from", path) }
        }
    }

    /// Sets the first certificate as one's own, the others as its chain.
    private func use(_ certificates: [Certificate], of owner: String) throws(TLSError) {
        for (index, certificate) in certificates.enumerated() {
            let isUsed = ErrorQueue.cleared {
                if index == 0 {
                    // Sound: both are alive; the context takes a reference of its own.
                    return unsafe SSL_CTX_use_certificate(pointer, certificate.pointer) == 1
                }
                // Sound: this call takes over one reference, which is made for it.
                unsafe X509_up_ref(certificate.pointer)
                return unsafe shim_SSL_CTX_add_extra_chain_cert(pointer, certificate.pointer) == 1
            }
            guard isUsed else { throw .drained("use \(owner)'s certificate") }
        }
    }

    private func use(_ key: PrivateKey, of owner: String) throws(TLSError) {
        let isUsed = ErrorQueue.cleared {
            // Sound: both are alive; the context takes a reference of its own to the key.
            unsafe SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1
                && SSL_CTX_check_private_key(pointer) == 1
        }
        guard isUsed else { throw .drained("use \(owner)'s key") }
    }

    /// Lets clients prove who they are, but does not require it, like Apple's servers.
    private func ask(forCertificatesOf authorities: [Certificate]) throws(TLSError) {
        for authority in authorities {
            let isTrusted = ErrorQueue.cleared {
                // Sound: all are alive; the store takes a reference, the list of names a copy.
                unsafe X509_STORE_add_cert(
                    SSL_CTX_get_cert_store(pointer), authority.pointer) == 1
                    && SSL_CTX_add_client_CA(pointer, authority.pointer) == 1
            }
            guard isTrusted else { throw .drained("trust the clients' authority") }
        }
        // Sound: the context is alive.
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    }

    private static func wireForm(_ protocols: [String]) -> [UInt8] {
        protocols.flatMap { name in
            precondition((1...255).contains(name.utf8.count), "not a protocol name")
            return [UInt8(name.utf8.count)] + Array(name.utf8)
        }
    }

    // MARK: - Choosing a protocol

    /// Answers a client's offer; the handshake's thread.
    fileprivate func select(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?,
        from offer: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        guard let chosen = unsafe chosen, let length = unsafe length else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        if protocols.isEmpty { return SSL_TLSEXT_ERR_NOACK }
        var found: UnsafeMutablePointer<UInt8>?
        // Sound: the answer points into the offer: the client's list is the one whose entries are
        // handed out, so that nothing of ours must stay in place afterwards.
        let answer = unsafe protocols.withUnsafeBufferPointer { ours in
            unsafe SSL_select_next_proto(
                &found, length, offer.baseAddress, UInt32(offer.count), ours.baseAddress,
                UInt32(ours.count))
        }
        guard answer == OPENSSL_NPN_NEGOTIATED else {
            return disagreement == .refuse ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_NOACK
        }
        unsafe chosen.pointee = unsafe UnsafePointer(found)
        return SSL_TLSEXT_ERR_OK
    }
}

/// OpenSSL asks the server which of the client's protocols it wants.
private func selectProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ count: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    // Sound: `server` passed the context, which every session keeps alive.
    let context = unsafe Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
    return unsafe context.select(
        chosen, length, from: UnsafeBufferPointer(start: offer, count: Int(count)))
}
