import APNSProtocol
import LinuxIO
import SendPolicy
import TLS

@testable import APNSClient

/// Collects the ends of all requests.
final class PushEnds: PushLoopDelegate, Sendable {
    struct State: Sendable {
        var ends: [Int32: PushEnd] = [:]
        var answers: [Int32: PushAnswer] = [:]
        var doubled = 0
        var failure: LoopFailure?
        var notes: [LoopNote] = []
        var texts: [ReasonCode: String] = [:]
        var stopDrain: Int64?
    }

    let state = Monitor(State())

    var stopDrainNanoseconds: Int64? { state.withLock { $0.stopDrain } }

    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd) {
        state.withLock { state in
            if state.ends[entry.ordinal] != nil { state.doubled += 1 }
            state.ends[entry.ordinal] = end
            state.answers[entry.ordinal] = answer
        }
        state.signal()
    }

    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64) {}
    func loopNoted(_ note: LoopNote) {
        state.withLock { $0.notes.append(note) }
        state.signal()
    }

    func loopMetReason(_ code: ReasonCode, text: String) {
        state.withLock { $0.texts[code] = text }
    }

    func loopFailed(_ failure: LoopFailure) {
        state.withLock { $0.failure = failure }
        state.signal()
    }
}

/// A client and a server with a script between them.
struct PushBench {
    let server: ScriptedServer
    let ends = PushEnds()

    init(streams: UInt32? = 100, script: @escaping ScriptedServer.Script) throws {
        server = try ScriptedServer(streams: streams, script: script)
    }

    func configuration() throws -> PushClientConfiguration {
        try Self.configuration(port: server.port, tls: server.clientContext)
    }

    static func configuration(port: UInt16, tls: TLSContext) throws -> PushClientConfiguration {
        let key = try SigningKey(pem: SigningKey.generate().privatePEM, source: "test key")
        let credential = ProviderCredential(
            key: key, identity: ProviderIdentity(keyID: "K1K1K1K1K1", teamID: "T2T2T2T2T2"))
        var configuration = PushClientConfiguration(
            host: "127.0.0.1", port: port, tls: tls, credential: credential,
            head: RequestHead(topic: "com.example.shop", pushType: .alert, priority: .immediate))
        configuration.connections = 1
        configuration.firstPace.pauseNanoseconds = 20_000_000
        configuration.firstPace.spacingNanoseconds = 1_000_000
        configuration.steadyPace = configuration.firstPace
        return configuration
    }

    static func token(_ ordinal: Int32) -> String {
        let digits = String(ordinal, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    static func batch(_ ordinals: ClosedRange<Int32>) -> PushBatch {
        var builder = PushBatchBuilder(capacity: ordinals.count)
        let payload = builder.addPayload(Array(#"{"aps":{"alert":"Sale"}}"#.utf8))
        for ordinal in ordinals {
            builder.add(
                ordinal: ordinal, attempts: 0, token: Array(token(ordinal).utf8).span,
                payload: payload)
        }
        return builder.seal(slice: 0)
    }

    /// Sends to so many and waits for the loop's end.
    func send(
        _ count: Int32, change: (inout PushClientConfiguration) -> Void = { _ in }
    ) throws -> (ends: PushEnds.State, log: ScriptedServer.Log) {
        var configuration = try configuration()
        change(&configuration)
        let client = try PushClient(configuration: configuration, delegate: ends)
        client.submit([Self.batch(1...count)])
        client.finish()
        client.join()
        return (ends.state.withLock { $0 }, server.stop())
    }
}
