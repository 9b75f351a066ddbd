import TLS
import Testing

@Suite struct TLSSessionTests {
    @Test(arguments: ["push.example", "127.0.0.1", "::1"])
    func bothSidesAgree(name: String) throws {
        let conversation = try TLSConversation(name: name)
        let ends = try conversation.shakeHands()
        #expect(ends.client == nil && ends.server == nil)
        #expect(conversation.client.negotiatedProtocol == "h2")
        #expect(conversation.server.negotiatedProtocol == "h2")
        #expect(conversation.client.version == "TLSv1.3")
    }

    @Test func bytesTravelBothWays() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let (client, server) = (conversation.client, conversation.server)
        try TLSConversation.write(Array("question".utf8), to: client)
        conversation.deliver(from: client, to: server)
        #expect(try TLSConversation.readAll(server) == Array("question".utf8))
        try TLSConversation.write(Array("answer".utf8), to: server)
        conversation.deliver(from: server, to: client)
        #expect(try TLSConversation.readAll(client) == Array("answer".utf8))
        #expect(!client.hasPendingCiphertext && !server.hasPendingCiphertext)
    }

    /// Around the size of a record, and far above it.
    @Test(arguments: [1, 16_383, 16_384, 16_385, 1_000_003])
    func largeDataArrivesWhole(count: Int) throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try TLSConversation.write(bytes, to: conversation.client)
        conversation.deliver(from: conversation.client, to: conversation.server)
        #expect(try TLSConversation.readAll(conversation.server) == bytes)
    }

    @Test(arguments: [1, 2, 5, 1_000, 16_385])
    func bytesMayArriveInAnyParts(partBytes: Int) throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try TLSConversation.write(bytes, to: conversation.client)
        conversation.deliver(
            from: conversation.client, to: conversation.server, partBytes: partBytes)
        let received = try TLSConversation.readAll(conversation.server, bufferBytes: 777)
        #expect(received == bytes)
    }

    /// The socket takes a part, then more is written behind what is left of it.
    @Test func partlySentBytesKeepTheirOrder() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let (client, server) = (conversation.client, conversation.server)
        var (sent, received): ([UInt8], [UInt8]) = ([], [])
        for round in 0..<200 {
            let bytes = [UInt8](repeating: UInt8(round), count: round * 13 % 4_000 + 1)
            try TLSConversation.write(bytes, to: client)
            sent += bytes
            let count = client.withPendingCiphertext { pending in
                let part = UnsafeRawBufferPointer(rebasing: pending.prefix(1_500))
                server.receive(part)
                return part.count
            }
            client.consumeCiphertext(count)
            received += try TLSConversation.readAll(server)
        }
        conversation.deliver(from: client, to: server)
        received += try TLSConversation.readAll(server)
        #expect(received == sent)
    }

    @Test func nothingToWriteIsNothingToSend() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        try TLSConversation.write([], to: conversation.client)
        #expect(!conversation.client.hasPendingCiphertext)
        #expect(try TLSConversation.readAll(conversation.client) == [])
    }

    // MARK: - Application protocols

    @Test func clientsProtocolIsRefusedWhenTheServerDoesNotKnowIt() throws {
        let conversation = try TLSConversation(serverProtocols: ["http/1.1"])
        let ends = try conversation.shakeHands()
        #expect(ends.client?.kind == .noProtocolAgreed)
        #expect(ends.server?.kind == .noProtocolAgreed)
        #expect(
            ends.client?.description
                == "TLS handshake with push.example: no application protocol in common")
    }

    @Test func serverMayProceedWithoutAgreement() throws {
        let conversation = try TLSConversation(
            serverProtocols: ["http/1.1"], disagreement: .proceed)
        let ends = try conversation.shakeHands()
        #expect(ends.client == nil)
        #expect(conversation.client.negotiatedProtocol == nil)
    }

    @Test(arguments: [([], ["h2"]), (["h2"], []), ([], [])] as [([String], [String])])
    func sidesWithoutProtocolsAgreeOnNone(client: [String], server: [String]) throws {
        let conversation = try TLSConversation(clientProtocols: client, serverProtocols: server)
        let ends = try conversation.shakeHands()
        #expect(ends.client == nil && ends.server == nil)
        #expect(conversation.client.negotiatedProtocol == nil)
    }

    @Test func otherProtocolIsChosenIfItIsTheOnlyOneInCommon() throws {
        let conversation = try TLSConversation(
            clientProtocols: ["h2", "http/1.1"], serverProtocols: ["http/1.1"])
        _ = try conversation.shakeHands()
        #expect(conversation.client.negotiatedProtocol == "http/1.1")
    }

    // MARK: - Verification

    @Test(arguments: [
        ("other.example", "hostname mismatch"), ("127.0.0.2", "IP address mismatch"),
        ("sub.push.example", "hostname mismatch"),
    ])
    func certificateForAnotherHostIsRefused(name: String, reason: String) throws {
        let ends = try TLSConversation(name: name).shakeHands()
        #expect(ends.client?.kind == .verification(reason))
        #expect(ends.client?.description == "TLS handshake with \(name): \(reason)")
        #expect(ends.client?.host == name)
        // The server hears of it by an alert.
        #expect(ends.server?.kind == .protocol)
    }

    @Test func wildcardCoversOneLabel() throws {
        let certificates = try CertificateSet.make(hosts: ["*.push.example"])
        let inside = try TLSConversation(certificates: certificates, name: "api.push.example")
        #expect(try inside.shakeHands().client == nil)
        let below = try TLSConversation(certificates: certificates, name: "a.b.push.example")
        #expect(try below.shakeHands().client?.kind == .verification("hostname mismatch"))
    }

    @Test func certificateOfAnUnknownAuthorityIsRefused() throws {
        let other = try CertificateSet.make(hosts: ["push.example"])
        let ends = try TLSConversation(trusted: other).shakeHands()
        #expect(ends.client?.kind == .verification("unable to get local issuer certificate"))
        #expect(ends.client?.reasons == ["certificate verify failed"])
    }

    @Test func certificatesOfThisMachineAreNotThatOfATest() throws {
        let certificates = TLSConversation.certificates
        let server = try TLSContext.server(
            certificatePEM: certificates.serverCertificatePEM,
            privateKeyPEM: certificates.serverKeyPEM, protocols: ["h2"])
        let conversation = TLSConversation(
            client: try .client(
                .client(trust: .system, protocols: ["h2"]), serverName: "push.example"),
            server: try .server(server))
        let kind = try conversation.shakeHands().client?.kind
        #expect(kind == .verification("unable to get local issuer certificate"))
    }

    @Test func selfSignedChainIsNamed() throws {
        let authority = TLSConversation.certificates.caCertificatePEM
        #expect(try TLSConversation(chain: authority).shakeHands().client == nil)
        let other = try CertificateSet.make(hosts: ["push.example"])
        let ends = try TLSConversation(trusted: other, chain: authority).shakeHands()
        #expect(
            ends.client?.kind == .verification("self-signed certificate in certificate chain"))
    }

    @Test(arguments: [
        (-10, 5, "certificate has expired"), (5, 10, "certificate is not yet valid"),
    ])
    func certificateOutsideItsTimeIsRefused(begin: Int, days: Int, reason: String) throws {
        let certificates = try CertificateSet.make(
            hosts: ["push.example"], validDays: days, beginsDaysFromNow: begin)
        let ends = try TLSConversation(certificates: certificates).shakeHands()
        #expect(ends.client?.kind == .verification(reason))
    }

    // MARK: - Ends and accidents

    @Test func closeIsToldAfterTheLastBytes() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let (client, server) = (conversation.client, conversation.server)
        try TLSConversation.write([1, 2, 3], to: server)
        server.close()
        conversation.deliver(from: server, to: client)
        var buffer = [UInt8](repeating: 0, count: 10)
        let count = try buffer.withUnsafeMutableBytes { try client.read(into: $0) }
        #expect(count == 3)
        let error = try #require(throws: TLSError.self) { try TLSConversation.readAll(client) }
        #expect(error.kind == .closed)
        #expect(error.description == "TLS conversation with push.example: closed by the peer")
        // Our side may still speak, and then end in order.
        try TLSConversation.write([4], to: client)
        client.close()
        conversation.deliver(from: client, to: server)
    }

    @Test func closeBeforeTheHandshakeSaysNothing() throws {
        let conversation = try TLSConversation()
        conversation.client.close()
        #expect(!conversation.client.hasPendingCiphertext)
    }

    @Test func writingBeforeTheHandshakeIsAnError() throws {
        let conversation = try TLSConversation()
        let error = try #require(throws: TLSError.self) {
            try TLSConversation.write([1], to: conversation.server)
        }
        #expect(error.description.hasSuffix("written to before the handshake"))
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP ready\r\n",
        "\u{16}\u{3}garbage",
        String(repeating: "\0", count: 100),
    ])
    func clientRefusesAnythingButTLS(text: String) throws {
        let conversation = try TLSConversation()
        #expect(try conversation.client.handshake() == false)
        Array(text.utf8).withUnsafeBytes { conversation.client.receive($0) }
        let error = try #require(throws: TLSError.self) { try conversation.client.handshake() }
        #expect(error.kind == .protocol)
        #expect(!error.reasons.isEmpty)
        #expect(!error.description.contains("Bad Request"))
    }

    @Test func serverRefusesAnythingButTLS() throws {
        let conversation = try TLSConversation()
        Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { conversation.server.receive($0) }
        let error = try #require(throws: TLSError.self) { try conversation.server.handshake() }
        #expect(error.description == "TLS handshake with a client: http request")
    }

    @Test func changedBytesEndTheConversation() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        let (client, server) = (conversation.client, conversation.server)
        try TLSConversation.write(Array("pay 1".utf8), to: client)
        var bytes = client.withPendingCiphertext { Array($0) }
        bytes[bytes.count - 1] ^= 1
        bytes.withUnsafeBytes { server.receive($0) }
        let error = try #require(throws: TLSError.self) { try TLSConversation.readAll(server) }
        #expect(error.kind == .protocol)
        #expect(error.reasons == ["decryption failed or bad record mac"])
        // The alert is there to be sent, and closing adds nothing to it.
        let alert = server.withPendingCiphertext { $0.count }
        #expect(alert > 0)
        server.close()
        #expect(server.withPendingCiphertext { $0.count } == alert)
    }

    @Test func errorsOfOneSessionAreNotAnothers() throws {
        let (bad, good) = (try TLSConversation(), try TLSConversation())
        Array("garbage garbage".utf8).withUnsafeBytes { bad.server.receive($0) }
        #expect(throws: TLSError.self) { try bad.server.handshake() }
        let ends = try good.shakeHands()
        #expect(ends.client == nil && ends.server == nil)
    }

    /// Sessions are never resumed: nobody hands out a ticket.
    @Test func serverSendsNoTickets() throws {
        let conversation = try TLSConversation()
        _ = try conversation.shakeHands()
        #expect(!conversation.server.hasPendingCiphertext)
        #expect(!conversation.client.hasPendingCiphertext)
    }
}
