import TLS
import Testing

/// Client and server in memory, the client with a certificate.
@Suite struct ClientCertificateTests {
    private static let app = "com.example.shop"

    private struct Meeting {
        let conversation: TLSConversation
        let ends: TLSConversation.Ends
        /// What the client hears when it reads after the handshake.
        let clientsReading: TLSError?
    }

    /// Lets a client meet a server that asks for certificates of `trusted`.
    private static func meet(
        _ issued: LocalAuthority.Issued?, trusted: LocalAuthority?
    ) throws -> Meeting {
        let set = TLSConversation.certificates
        let trust = TemporaryFile(set.caCertificatePEM)
        let identity = try issued.map { issued in
            try ClientIdentity(
                certificateFile: .init("push.pem", issued.certificatePEM + issued.keyPEM))
        }
        let conversation = TLSConversation(
            client: try .client(
                .client(trust: .file(trust.path), protocols: ["h2"], identity: identity),
                serverName: "push.example"),
            server: try .server(
                .server(
                    certificatePEM: set.serverCertificatePEM, privateKeyPEM: set.serverKeyPEM,
                    protocols: ["h2"], clientAuthorityPEM: trusted?.certificatePEM)))
        let ends = try conversation.shakeHands()
        var reading: TLSError?
        do {
            _ = try TLSConversation.readAll(conversation.client)
        } catch let error as TLSError {
            reading = error
        }
        return Meeting(conversation: conversation, ends: ends, clientsReading: reading)
    }

    @Test func theServerLearnsWhoTheClientIs() throws {
        let authority = try LocalAuthority.make()
        let issued = try authority.clientCertificate(app: Self.app, topics: [Self.app, "b"])
        let meeting = try Self.meet(issued, trusted: authority)
        #expect(meeting.ends.client == nil && meeting.ends.server == nil)
        let peer = try #require(meeting.conversation.server.peerCertificate)
        #expect(peer.subject == "Apple Push Services: com.example.shop")
        #expect(peer.topics == [Self.app, "b"])
        #expect(meeting.conversation.client.peerCertificate?.subject == "Local server")
        try TLSConversation.write(Array("question".utf8), to: meeting.conversation.client)
        meeting.conversation.deliver(
            from: meeting.conversation.client, to: meeting.conversation.server)
        let received = try TLSConversation.readAll(meeting.conversation.server)
        #expect(received == Array("question".utf8))
    }

    @Test func aClientWithoutCertificateIsLetIn() throws {
        let meeting = try Self.meet(nil, trusted: try .make())
        #expect(meeting.ends.client == nil && meeting.ends.server == nil)
        #expect(meeting.conversation.server.peerCertificate == nil)
        #expect(meeting.clientsReading == nil)
    }

    @Test func aServerThatDoesNotAskLearnsNothing() throws {
        let issued = try LocalAuthority.make().clientCertificate(app: Self.app, topics: [])
        let meeting = try Self.meet(issued, trusted: nil)
        #expect(meeting.ends.client == nil && meeting.ends.server == nil)
        #expect(meeting.conversation.server.peerCertificate == nil)
    }

    /// In TLS 1.3 the client hears of the refusal only when it reads.
    @Test func certificatesOfOtherAuthoritiesAreRefused() throws {
        let issued = try LocalAuthority.make().clientCertificate(app: Self.app, topics: [])
        let meeting = try Self.meet(issued, trusted: try .make())
        guard case .verification = meeting.ends.server?.kind else {
            Issue.record("the server's end is \(String(describing: meeting.ends.server))")
            return
        }
        #expect(meeting.clientsReading?.kind == .certificateRefused("tlsv1 alert unknown ca"))
        #expect(
            meeting.clientsReading?.description
                == "TLS conversation with push.example: the client certificate is refused: "
                + "tlsv1 alert unknown ca")
    }

    @Test(arguments: [(-10, 5, "certificate has expired"), (5, 10, "certificate is not yet valid")])
    func certificatesOutOfTheirTimeAreRefused(begins: Int, days: Int, why: String) throws {
        let authority = try LocalAuthority.make()
        let issued = try authority.clientCertificate(
            app: Self.app, topics: [], validDays: days, beginsDaysFromNow: begins)
        let meeting = try Self.meet(issued, trusted: authority)
        #expect(meeting.ends.server?.kind == .verification(why))
        guard case .certificateRefused = meeting.clientsReading?.kind else {
            Issue.record("the client read \(String(describing: meeting.clientsReading))")
            return
        }
    }

    @Test func theClientsChainIsSentToo() throws {
        let authority = try LocalAuthority.make()
        let issued = try authority.clientCertificate(app: Self.app, topics: [])
        let whole = LocalAuthority.Issued(
            certificatePEM: authority.certificatePEM + issued.certificatePEM, keyPEM: issued.keyPEM)
        let meeting = try Self.meet(whole, trusted: authority)
        #expect(meeting.ends.server == nil)
        #expect(meeting.conversation.server.peerCertificate?.topics == [Self.app])
    }
}
