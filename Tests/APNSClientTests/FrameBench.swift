import APNSProtocol
import LinuxIO

@testable import APNSClient

/// A client and a server of raw frames.
struct FrameBench {
    let server: FrameServer
    let ends = PushEnds()

    init(
        protocols: [String] = ["h2"], isPlain: Bool = false, script: @escaping FrameServer.Script
    ) throws {
        server = try FrameServer(protocols: protocols, isPlain: isPlain, script: script)
    }

    /// Sends to so many and waits for the loop's end.
    func send(
        _ count: Int32, change: (inout PushClientConfiguration) -> Void = { _ in }
    ) throws -> (ends: PushEnds.State, log: FrameServer.Log) {
        var configuration = try PushBench.configuration(
            port: server.port, tls: server.clientContext)
        change(&configuration)
        let client = try PushClient(configuration: configuration, delegate: ends)
        client.submit([PushBench.batch(1...count)])
        client.finish()
        client.join()
        return (ends.state.withLock { $0 }, server.stop())
    }
}
