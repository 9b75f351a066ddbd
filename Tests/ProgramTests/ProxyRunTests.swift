import APNSSimulator
import TestSupport
import Testing

/// Runs through an HTTP proxy.
@Suite struct ProxyRunTests {
    @Test func aRunGoesThroughTheProxy() throws {
        try Scene.with { scene in
            let proxy = try ConnectProxy(upstream: scene.port, .open())
            // Nothing listens at port 1: only the proxy leads on.
            try scene.configure(port: 1, proxy: "http://127.0.0.1:\(proxy.port)")
            try scene.importDevices(300)
            try scene.campaign(preflight: "probe: all")
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try scene.value("SELECT accepted FROM report.run_summary") == "300")
            #expect(try scene.sumHolds())
            let log = proxy.stop()
            #expect(log.connections > 0)
            #expect(log.heads.allSatisfy { $0.hasPrefix("CONNECT 127.0.0.1:1 HTTP/1.1\r\n") })
        }
    }

    @Test func aProxyThatRefusesIsNamed() throws {
        try Scene.with { scene in
            let answer = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"
            let proxy = try ConnectProxy(.answer(answer))
            try scene.configure(proxy: "http://127.0.0.1:\(proxy.port)")
            try scene.importDevices(5)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json", "--quiet")
            #expect(result.status == 69, "\(result.errors)")
            let words = "refused the tunnel: 407 Proxy Authentication Required"
            #expect(result.errors.contains("the proxy 127.0.0.1:\(proxy.port) \(words)"))
            #expect(result.errors.contains("apns.production.proxy"), "\(result.errors)")
            #expect(try scene.activeDevices() == 5)
            #expect(scene.simulator.snapshot().connectionsOpened == 0)
            _ = proxy.stop()
        }
    }
}
