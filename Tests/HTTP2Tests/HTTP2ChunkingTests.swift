import HTTP2
import Testing

/// However the network cuts the bytes, the same things are told.
@Suite struct HTTP2ChunkingTests {
    private struct Record: Equatable {
        var answers: [Int: ClientRecorder.Answer]
        var ends: [Int: [HTTP2StreamEnd]]
        var requests: [ServerRecorder.Request]
    }

    private static func converse(chunk: () -> Int) throws -> Record {
        var options = HTTP2ServerOptions()
        options.initialWindowBytes = 100
        options.maxConcurrentStreams = 7
        let pair = try Conversation(serverOptions: options)
        pair.serverEvents.onEnded = { [unowned pair] server, slot in
            // By stream: windows reopen at moments that depend on the chunks, and with them the
            // order in which requests are complete.
            let number = pair.serverEvents.open[slot].map { Int($0.streamID / 2) } ?? 0
            switch number % 5 {
            case 0: server.reset(slot: slot, errorCode: 7)
            case 1: server.respond(slot: slot, status: 200)
            case 2: server.respond(slot: slot, status: 410, body: Array("gone \(number)".utf8))
            case 3: server.reset(slot: slot, errorCode: 2)
            default:
                server.sendHead(slot: slot, status: 103)
                server.respond(slot: slot, status: 503, fields: [HTTP2Field("n", "\(number)")])
            }
        }
        for slot in 0..<40 {
            try pair.submit(
                slot, path: "/3/device/\(slot)", body: (0..<slot * 13).map { UInt8($0 & 255) })
        }
        try pair.pump(chunk: chunk)
        return Record(
            answers: pair.clientEvents.answers, ends: pair.clientEvents.ends,
            requests: pair.serverEvents.complete.sorted { $0.streamID < $1.streamID })
    }

    @Test func singleBytesTellTheSameAsWholeBuffers() throws {
        let whole = try Self.converse(chunk: { .max })
        #expect(whole.requests.count == 40)
        #expect(whole.ends.count == 40)
        #expect(whole.ends.values.allSatisfy { $0.count == 1 })
        #expect(try Self.converse(chunk: { 1 }) == whole)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func randomChunksTellTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let whole = try Self.converse(chunk: { .max })
        let cut = try Self.converse(chunk: { Int.random(in: 1...40, using: &generator) })
        #expect(cut == whole, "seed \(seed)")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func noiseNeverLosesARequest(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let pair = try Conversation.open()
        for slot in 0..<20 { try pair.submit(slot) }
        let toServer = try pair.takeFromClient()
        try pair.feedServer(toServer)
        var toClient = try pair.takeFromServer()
        for _ in 0..<5 {
            let place = Int.random(in: 0..<toClient.count, using: &generator)
            toClient[place] = UInt8.random(in: 0...255, using: &generator)
        }
        // Whatever the noise did, an error or not, each request is reported once.
        try? pair.feedClient(toClient)
        _ = try? pair.takeFromClient()
        pair.client.tearDown()
        #expect(pair.clientEvents.ends.count == 20, "seed \(seed)")
        #expect(pair.clientEvents.ends.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
    }
}
