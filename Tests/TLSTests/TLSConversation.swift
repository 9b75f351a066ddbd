import Glibc
import TLS
import Testing

/// A client and a server that talk in memory.
final class TLSConversation {
    let client: TLSSession
    let server: TLSSession

    init(client: TLSSession, server: TLSSession) {
        (self.client, self.server) = (client, server)
    }

    /// Makes both sides with a certificate for `hosts`, the client asking for `name`.
    convenience init(
        certificates: CertificateSet = TLSConversation.certificates,
        trusted: CertificateSet? = nil, chain: [UInt8] = [],
        name: String = "push.example", clientProtocols: [String] = ["h2"],
        serverProtocols: [String] = ["h2"], disagreement: TLSDisagreement = .refuse
    ) throws {
        let trust = TemporaryFile((trusted ?? certificates).caCertificatePEM)
        let clientContext = try TLSContext.client(
            trust: .file(trust.path), protocols: clientProtocols)
        let serverContext = try TLSContext.server(
            certificatePEM: certificates.serverCertificatePEM + chain,
            privateKeyPEM: certificates.serverKeyPEM, protocols: serverProtocols,
            disagreement: disagreement)
        self.init(
            client: try .client(clientContext, serverName: name),
            server: try .server(serverContext))
    }

    /// Made once: nobody changes it.
    static let certificates: CertificateSet = {
        do {
            return try CertificateSet.make(hosts: ["push.example", "127.0.0.1", "::1"])
        } catch {
            preconditionFailure("no certificates: \(error)")
        }
    }()

    /// How a handshake ended: nil for a side that finished.
    struct Ends {
        var client: TLSError?
        var server: TLSError?
    }

    /// Runs the handshake until both sides have finished or failed.
    func shakeHands() throws -> Ends {
        var ends = Ends()
        var (clientIsDone, serverIsDone) = (false, false)
        for _ in 0..<20 where !(clientIsDone && serverIsDone) {
            if !clientIsDone {
                (clientIsDone, ends.client) = step(client)
                deliver(from: client, to: server)
            }
            if !serverIsDone {
                (serverIsDone, ends.server) = step(server)
                deliver(from: server, to: client)
            }
        }
        try #require(clientIsDone && serverIsDone, "the handshake does not end")
        // The client of TLS 1.3 is done first: what the server says next is for its reading.
        return ends
    }

    private func step(_ session: TLSSession) -> (Bool, TLSError?) {
        do {
            return (try session.handshake(), nil)
        } catch {
            return (true, error)
        }
    }

    /// Carries everything pending over, in parts of at most `partBytes`.
    func deliver(from sender: TLSSession, to receiver: TLSSession, partBytes: Int = .max) {
        while sender.hasPendingCiphertext {
            let count = sender.withPendingCiphertext { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(partBytes))
                receiver.receive(part)
                return part.count
            }
            sender.consumeCiphertext(count)
        }
    }

    /// Reads everything that has arrived.
    static func readAll(_ session: TLSSession, bufferBytes: Int = 16_384) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: bufferBytes)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try session.read(into: $0) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    static func write(_ bytes: [UInt8], to session: TLSSession) throws {
        try bytes.withUnsafeBytes { try session.write($0) }
    }
}

/// A file that is gone when nobody refers to it any more.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8]) {
        var template = Array("/tmp/sortie-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        precondition(descriptor >= 0)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        precondition(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    deinit {
        unlink(path)
    }
}
