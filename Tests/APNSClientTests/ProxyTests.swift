import APNSProtocol
import LinuxIO
import SendPolicy
import TestSupport
import Testing

@testable import APNSClient

/// A client behind an HTTP proxy.
@Suite struct ProxyTests {
    private func send(
        _ count: Int32, through manner: ConnectProxy.Manner,
        change: (inout PushClientConfiguration) -> Void = { _ in }
    ) throws -> (ends: PushEnds.State, server: ScriptedServer.Log, proxy: ConnectProxy.Log) {
        let bench = try PushBench { _ in [.answer(200)] }
        let proxy = try ConnectProxy(upstream: bench.server.port, manner)
        let (ends, log) = try bench.send(count) {
            $0.proxy = PushProxy(host: "127.0.0.1", port: proxy.port)
            // Nothing listens there: only the proxy leads on.
            $0.port = 1
            change(&$0)
        }
        return (ends, log, proxy.stop())
    }

    @Test func everythingGoesThroughTheProxy() throws {
        let (ends, server, proxy) = try send(500, through: .open()) { $0.connections = 3 }
        #expect(ends.failure == nil)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 500)
        #expect(server.connections == proxy.connections)
        #expect(Set(proxy.heads.map { $0.prefix(24) }) == ["CONNECT 127.0.0.1:1 HTTP"])
    }

    @Test(
        arguments: [
            (.answer("HTTP/1.1 403 Forbidden\r\n\r\n"), "refused the tunnel: 403 Forbidden"),
            (.close, "closed the connection instead of opening the tunnel"),
        ] as [(ConnectProxy.Manner, String)])
    func aRefusalEndsBoundedAndNamesTheProxy(
        manner: ConnectProxy.Manner, text: String
    ) throws {
        let (ends, server, proxy) = try send(3, through: manner)
        guard case .unreachable(let why) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(why.hasPrefix("the proxy 127.0.0.1:"))
        #expect(why.hasSuffix(text))
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
        #expect(server.connections == 0)
        #expect(proxy.connections <= 4)
    }

    @Test(
        arguments: [.silent, .answer("HTTP/1.1 200 OK\r\n", closes: false)] as [ConnectProxy.Manner]
    )
    func aProxyThatTakesTooLongIsGivenUpAtTheOpeningsDeadline(
        manner: ConnectProxy.Manner
    ) throws {
        let (ends, server, proxy) = try send(3, through: manner) {
            $0.limits.openingNanoseconds = 200_000_000
            $0.firstPace.failuresMax = 2
        }
        guard case .unreachable(let why) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(why.contains(": the proxy 127.0.0.1:"))
        #expect(why.hasSuffix("did not open the tunnel"))
        #expect(server.connections == 0)
        #expect(proxy.connections <= 2)
    }

    @Test func aProxyWhoseNameIsUnknownIsNamed() throws {
        let (ends, _, _) = try send(1, through: .open()) {
            $0.proxy = PushProxy(host: "proxy.invalid", port: 3128)
            $0.lookUp = { (host, _) throws(SystemError) in
                throw SystemError("resolve", host, explanation: "no such host")
            }
        }
        #expect(
            ends.failure
                == .unreachable(
                    "the proxy proxy.invalid:3128 can't be reached: resolve proxy.invalid: "
                        + "no such host"))
    }

    /// The proxy's name is no name for the server: TLS is verified for the host behind it.
    @Test func theHostsCertificateIsAskedFor() throws {
        let (ends, server, _) = try send(2, through: .open()) { $0.host = "api.push.example" }
        guard case .untrusted = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(server.visits.isEmpty)
    }

    @Test(arguments: [("proxy.example", "proxy.example:3128"), ("::1", "[::1]:3128")])
    func aProxyIsWrittenAsPeopleDo(host: String, text: String) {
        #expect(PushProxy(host: host, port: 3128).description == text)
    }
}
