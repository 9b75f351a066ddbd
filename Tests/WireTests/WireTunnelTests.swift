import Glibc
import HTTP2
import LinuxIO
import TLS
import TestSupport
import Testing
import Wire

/// Connections through an HTTP proxy.
@Suite struct WireTunnelTests {
    /// A client that goes through a proxy to a server of that name.
    private func client(
        _ loop: Loopback, proxyPort: UInt16, host: String = "apns.example", port: UInt16 = 443
    ) throws -> ClientSide {
        try loop.connect(
            serverName: host, port: proxyPort,
            through: WireTunnel(host: host, port: port, proxy: "proxy.example:3128"))
    }

    private func upstream(_ loop: Loopback) throws -> UInt16 {
        try #require(loop.listener?.port)
    }

    @Test(
        arguments: [
            .open(), .open(isSlow: true),
            .open(
                answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nAge: 9\r\n\r\n"),
        ] as [ConnectProxy.Manner])
    func requestsGoThroughTheTunnel(manner: ConnectProxy.Manner) throws {
        let loop = try Loopback(hosts: ["apns.example"])
        let proxy = try ConnectProxy(upstream: try upstream(loop), manner)
        let client = try client(loop, proxyPort: proxy.port)
        try loop.run { client.wire?.http2.settingsReceived == true }
        for slot in 0..<100 { try client.submit(slot) }
        client.wire?.flush()
        try loop.run { client.ends.count == 100 }
        #expect(client.ends.allSatisfy { $0 == .ended })
        #expect(client.wire?.stage == .open)
        client.wire?.close()
        try loop.run { loop.connections.first?.closures.count == 1 }
        let log = proxy.stop()
        #expect(
            log.heads == ["CONNECT apns.example:443 HTTP/1.1\r\nHost: apns.example:443\r\n\r\n"])
        #expect(log.bytesUp > 0)
    }

    @Test func anIPv6TargetStandsInBrackets() throws {
        let loop = try Loopback(hosts: ["::1"])
        let proxy = try ConnectProxy(upstream: try upstream(loop), .open())
        let client = try client(loop, proxyPort: proxy.port, host: "::1", port: 2197)
        try loop.run { client.opened == 1 }
        #expect(proxy.stop().heads.first?.hasPrefix("CONNECT [::1]:2197 HTTP/1.1\r\n") == true)
    }

    static let refusals: [(ConnectProxy.Manner, String)] = [
        (
            .answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
            "the proxy proxy.example:3128 refused the tunnel: 403 Forbidden"
        ),
        (
            .answer("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", closes: false),
            "the proxy proxy.example:3128 refused the tunnel: 407 Proxy Authentication Required"
        ),
        (
            .answer("220 mail.example ESMTP\r\n", closes: false),
            "the proxy proxy.example:3128 does not answer as an HTTP proxy does"
        ),
        (
            .answer("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 9_000), closes: false),
            "the proxy proxy.example:3128 answered with a head of more than 8192 bytes"
        ),
        (
            .close,
            "the proxy proxy.example:3128 closed the connection instead of opening the tunnel"
        ),
        (
            .answer("HTTP/1.1 200 OK\r\n"),
            "the proxy proxy.example:3128 closed the connection instead of opening the tunnel"
        ),
    ]

    @Test(arguments: refusals.indices) func withoutATunnelNothingIsSent(index: Int) throws {
        let (manner, text) = Self.refusals[index]
        let loop = try Loopback(hosts: ["apns.example"])
        let proxy = try ConnectProxy(manner)
        let client = try client(loop, proxyPort: proxy.port)
        try client.submit(0)
        try loop.run { !client.closures.isEmpty }
        #expect(client.closures.map(\.description) == [text])
        #expect(client.ends == [.notProcessed])
        #expect(client.opened == 0)
        #expect(client.wire?.stage == .tunnelling)
        #expect(proxy.stop().bytesUp == 0)
        #expect(try heldSockets(port: proxy.port) == 0)
    }

    /// Deadlines are the owner's; the stage tells it what was waited for.
    @Test func aSilentProxyIsGivenUpByAbortOnly() throws {
        let loop = try Loopback(hosts: ["apns.example"])
        let proxy = try ConnectProxy(.silent)
        let client = try client(loop, proxyPort: proxy.port)
        try loop.run { client.wire?.stage == .tunnelling }
        #expect(client.closures.isEmpty)
        client.wire?.close()
        #expect(client.closures.map(\.description) == ["closed by this side"])
        _ = proxy.stop()
    }

    @Test func aProxyThatIsNotThereIsNamed() throws {
        let loop = try Loopback(hosts: ["apns.example"])
        let proxy = try ConnectProxy(.silent)
        let port = proxy.port
        _ = proxy.stop()
        let client = try client(loop, proxyPort: port)
        try loop.run { !client.closures.isEmpty }
        #expect(
            client.closures.map(\.description) == [
                "the proxy proxy.example:3128 can't be reached: connect to 127.0.0.1:\(port): "
                    + "Connection refused"
            ])
    }

    /// The certificate is judged by the server's name: neither the proxy's nor its address counts.
    @Test(arguments: ["proxy.example", "127.0.0.1"])
    func theCertificateMustBeTheServers(certified: String) throws {
        let loop = try Loopback(hosts: [certified])
        let proxy = try ConnectProxy(upstream: try upstream(loop), .open())
        let client = try client(loop, proxyPort: proxy.port)
        try client.submit(0)
        try loop.run { !client.closures.isEmpty }
        guard case .tls(let error) = client.closures.first, case .verification = error.kind else {
            Issue.record("closed with \(client.closures)")
            return
        }
        #expect(client.ends == [.notProcessed])
        #expect(loop.connections.allSatisfy { $0.requests == 0 })
        _ = proxy.stop()
    }

    /// What comes before TLS has begun is no server's: it is refused by TLS, not by luck.
    @Test func bytesBehindTheAnswerBelongToTLS() throws {
        let loop = try Loopback(hosts: ["apns.example"])
        let proxy = try ConnectProxy(.answer("HTTP/1.1 200 OK\r\n\r\ngarbage!", closes: false))
        let client = try client(loop, proxyPort: proxy.port)
        try loop.run { !client.closures.isEmpty }
        guard case .tls = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
        _ = proxy.stop()
    }
}
