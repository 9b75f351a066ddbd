import HTTP2
import LinuxIO
import Testing
import Wire

/// Servers that leave, at all sorts of moments.
@Suite struct WireServerTests {
    /// jchambers/pushy#184: the server dropped the connection right after answering.
    @Test(arguments: [true, false])
    func answersBeforeACloseAllArrive(announced: Bool) throws {
        let loop = try Loopback()
        loop.prepare = { side in
            side.onEnded = { side, slot in
                side.connection?.http2.respond(slot: slot, status: 200)
                if side.requests == 10 { side.connection?.close(announced: announced) }
            }
        }
        let client = try loop.connected()
        for slot in 0..<100 { try client.submit(slot) }
        client.wire?.flush()
        try loop.run { client.closures.count == 1 }
        #expect(client.ends.count == 100)
        #expect(client.statuses.count >= 10)
        #expect(client.ends.filter { $0 == .ended }.count == client.statuses.count)
        #expect(client.goAways == (announced ? 1 : 0))
        try loop.run { loop.connections[0].closures.count == 1 }
    }

    /// The connection breaks after a random number of requests, rudely or politely, again and
    /// again; every request is reported once, and only answers that were given count as such.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func oddMomentsLoseNoRequest(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let loop = try Loopback()
        for _ in 0..<5 {
            let last = Int.random(in: 0...60, using: &generator)
            let isRude = Bool.random(using: &generator)
            var answered = 0
            loop.prepare = { side in
                side.onEnded = { side, slot in
                    guard side.requests <= last else {
                        if isRude { side.connection?.abort() } else { side.connection?.close() }
                        return
                    }
                    answered += 1
                    side.connection?.http2.respond(slot: slot, status: 200, body: [1, 2, 3])
                }
            }
            let client = try loop.connected()
            for slot in 0..<100 { try client.submit(slot, body: Array(repeating: 0, count: 900)) }
            client.wire?.flush()
            try loop.run { client.closures.count == 1 }
            #expect(client.ends.count == 100, "seed \(seed), last \(last)")
            let ended = client.ends.filter { $0 == .ended }.count
            #expect(isRude ? ended <= answered : ended == answered, "seed \(seed)")
        }
    }

    @Test func aGoAwayDrainsAndThenClosesBothSides() throws {
        let loop = try Loopback()
        loop.prepare = { side in
            side.onEnded = { side, slot in
                if side.requests == 3 { side.connection?.http2.goAway(lastStreamID: 5) }
                if side.requests <= 3 { side.connection?.http2.respond(slot: slot, status: 200) }
            }
        }
        let client = try loop.connected()
        for slot in 0..<5 { try client.submit(slot) }
        client.wire?.flush()
        try loop.run { client.closures.count == 1 }
        #expect(client.ends.filter { $0 == .ended }.count == 3)
        #expect(client.ends.filter { $0 == .notProcessed }.count == 2)
        try loop.run { loop.connections[0].closures.count == 1 }
    }

    @Test func answersOutsideACallbackAreSentByFlush() throws {
        let loop = try Loopback()
        loop.prepare = { side in side.onEnded = { _, _ in } }
        let client = try loop.connected()
        try client.submit(0)
        client.wire?.flush()
        try loop.run { loop.connections[0].requests == 1 }
        let connection = try #require(loop.connections[0].connection)
        connection.http2.respond(slot: 0, status: 410)
        connection.flush()
        try loop.run { client.ends == [.ended] }
        #expect(client.statuses[0] == 410)
    }

    /// dotnet/runtime#130997: a peer that floods and does not read.
    @Test func aServerThatFloodsAndDoesNotReadIsDropped() throws {
        let loop = try Loopback()
        let client = try loop.connected()
        try client.submit(0)
        let server = try #require(loop.connections[0].connection)
        loop.connections[0].onEnded = { _, _ in }
        client.wire?.flush()
        try loop.run { loop.connections[0].requests == 1 }
        // In one burst, so that the client has no chance to acknowledge in between.
        for _ in 0..<5_000 { server.http2.ping() }
        server.flush()
        try loop.run { client.closures.count == 1 }
        guard case .http2 = client.closures.first else {
            Issue.record("closed with \(client.closures)")
            return
        }
        #expect(client.ends == [.sessionEnded])
    }
}
