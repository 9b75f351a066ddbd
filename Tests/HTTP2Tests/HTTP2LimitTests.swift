import HTTP2
import Testing

/// What the server's SETTINGS and windows do to the client, and the bounds both sides keep.
@Suite struct HTTP2LimitTests {
    @Test func theLimitIsOneUntilSettingsArrive() throws {
        let pair = try Conversation()
        #expect(!pair.client.settingsReceived)
        #expect(pair.client.peerMaxConcurrentStreams == 1)
        try pair.pump()
        #expect(pair.client.settingsReceived)
        #expect(pair.client.peerMaxConcurrentStreams == 100)
        #expect(pair.clientEvents.settings == 1)
    }

    @Test func settingsWithoutALimitMeanNoLimit() throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = nil
        let pair = try Conversation.open(serverOptions: options)
        #expect(pair.client.peerMaxConcurrentStreams == .max)
    }

    /// AndrewBarba/apns2#17: with token authentication the server allows one stream at first.
    @Test(arguments: [0, 1, 2] as [UInt32])
    func noMoreStreamsOpenThanAllowed(limit: UInt32) throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = limit
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<3 { try pair.submit(slot) }
        try pair.pump()
        #expect(pair.server.openStreams == Int(limit))
        #expect(pair.client.openStreams == 3)

        pair.server.setMaxConcurrentStreams(1_000)
        try pair.pump()
        #expect(pair.client.peerMaxConcurrentStreams == 1_000)
        #expect(pair.server.openStreams == 3)
    }

    /// akka/akka-http#774: a limit of zero is legal for a while and nothing special.
    @Test func aLimitOfZeroPausesAndALargerOneResumes() throws {
        let pair = try Conversation.open()
        pair.server.setMaxConcurrentStreams(0)
        try pair.pump()
        #expect(pair.client.peerMaxConcurrentStreams == 0)
        #expect(pair.client.acceptsRequests)
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.ends.isEmpty)
        pair.server.setMaxConcurrentStreams(100)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.ended]])
    }

    /// ostinelli/apnotic#141: a limit of the library's own, 100, was below the server's 1,000.
    @Test(arguments: [100, 101, 1_000])
    func asManyStreamsOpenAsTheServerAllows(count: Int) throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = 1_000
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<count { try pair.submit(slot) }
        try pair.pump()
        #expect(pair.server.openStreams == count)
    }

    @Test(arguments: [1, 10, 4_095, 4_096, 4_097, 65_535] as [Int32])
    func bodiesPassThroughWindowsOfAnySize(window: Int32) throws {
        var options = HTTP2ServerOptions()
        options.initialWindowBytes = window
        let pair = try Conversation.open(serverOptions: options)
        let body = (0..<4_096).map { UInt8($0 % 251) }
        for slot in 0..<5 { try pair.submit(slot, body: body) }
        try pair.pump()
        #expect(pair.serverEvents.complete.map(\.body) == Array(repeating: body, count: 5))
        #expect(pair.clientEvents.ends.values.allSatisfy { $0 == [.ended] })
    }

    @Test func largeBodiesOfManyStreamsPassTheConnectionWindow() throws {
        let pair = try Conversation.open()
        let body = (0..<4_096).map { UInt8($0 % 251) }
        for slot in 0..<100 { try pair.submit(slot, body: body) }
        try pair.pump()
        #expect(pair.serverEvents.complete.count == 100)
        #expect(pair.serverEvents.complete.allSatisfy { $0.body == body })
    }

    /// n - 1, n and n + 1 bytes, counted as the RFC does.
    @Test(arguments: [(-1, HTTP2StreamEnd.ended), (0, .ended), (1, .reset(code: 11))])
    func anAnswersHeaderListIsBounded(excess: Int, end: HTTP2StreamEnd) throws {
        var options = HTTP2ClientOptions()
        options.headerListBytesMax = 1_000
        let pair = try Conversation.open(clientOptions: options)
        // ":status" and "200" and 32, then "x" and 32.
        let filler = String(repeating: "v", count: 1_000 - 42 - 33 + excess)
        pair.serverEvents.onEnded = { server, slot in
            server.respond(slot: slot, status: 200, fields: [HTTP2Field("x", filler)])
        }
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [end]])
    }

    @Test func aRequestsHeaderListIsBounded() throws {
        var options = HTTP2ClientOptions()
        options.headerEncoder = .nghttp2
        let pair = try Conversation.open(clientOptions: options)
        pair.client.setConstantFields(
            authority: "h", fields: [HTTP2Field("x", String(repeating: "v", count: 17_000))])
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.reset(code: 11)]])
        #expect(pair.serverEvents.complete.isEmpty)
    }

    /// dotnet/runtime#130997: acknowledgements queued without bound.
    @Test(arguments: [RawFrame.ping, RawFrame.emptySettings])
    func aFloodOfFramesToAcknowledgeEndsTheSession(frame: [UInt8]) throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        _ = try pair.takeFromClient()
        let error = #expect(throws: HTTP2Error.self) {
            try pair.feedClient((0..<1_500).flatMap { _ in frame })
        }
        #expect(error?.reason.contains("Flooding") == true)
        pair.client.tearDown()
        #expect(pair.clientEvents.ends == [0: [.sessionEnded]])
    }

    /// nodejs/node#17969: a guard against floods broke honest traffic.
    @Test func politePingsDoNoHarm() throws {
        let pair = try Conversation.open()
        for _ in 0..<100 {
            try pair.feedClient((0..<50).flatMap { _ in RawFrame.ping })
            _ = try pair.takeFromClient()
        }
        #expect(pair.client.failure == nil)
        #expect(pair.client.acceptsRequests)
    }
}
