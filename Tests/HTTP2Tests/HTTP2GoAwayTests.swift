import HTTP2
import Testing

/// The end of a session: announced, by a breach of protocol, or by tearing it down.
@Suite struct HTTP2GoAwayTests {
    @Test(arguments: [0, 1, 2, 3])
    func streamsAboveTheLastOneWereNotProcessed(answered: Int) throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<3 { try pair.submit(slot) }
        try pair.pump()
        let last = answered == 0 ? 0 : Int32(answered * 2 - 1)
        pair.server.goAway(
            lastStreamID: last, errorCode: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        try pair.pump()
        for slot in 0..<3 {
            #expect(pair.clientEvents.ends[slot] == (slot < answered ? nil : [.notProcessed]))
        }
        let goAway = try #require(pair.clientEvents.goAways.first)
        #expect(goAway == (last, 0, #"{"reason":"Shutdown"}"#))
        #expect(!pair.client.acceptsRequests)
        #expect(throws: HTTP2Error.self) { try pair.submit(9) }

        for slot in 0..<answered { pair.server.respond(slot: slot, status: 200) }
        try pair.pump()
        for slot in 0..<answered { #expect(pair.clientEvents.ends[slot] == [.ended]) }
        #expect(pair.client.isFinished)
        #expect(pair.server.isFinished)
        #expect(pair.client.failure == nil)
    }

    /// amphp/http-client#276: clients closed at once and lost answers that were still to come.
    @Test func aGoAwayInTwoStepsLosesNothing() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<4 { try pair.submit(slot) }
        try pair.pump()
        pair.server.shutDownNotice()
        try pair.pump()
        #expect(pair.clientEvents.goAways.first?.last == .max)
        #expect(!pair.client.acceptsRequests)
        #expect(pair.clientEvents.ends.isEmpty)
        pair.server.respond(slot: 0, status: 200)
        try pair.pump()
        pair.server.goAway(lastStreamID: 5)
        try pair.pump()
        #expect(pair.clientEvents.goAways.map(\.last) == [.max, 5])
        pair.server.respond(slot: 1, status: 200)
        pair.server.respond(slot: 2, status: 410)
        try pair.pump()
        #expect(
            pair.clientEvents.ends == [
                0: [.ended], 1: [.ended], 2: [.ended], 3: [.notProcessed],
            ])
        #expect(pair.client.isFinished)
    }

    @Test func queuedRequestsAreReportedAtOnceByAGoAway() throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = 1
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<3 { try pair.submit(slot) }
        try pair.pump()
        pair.server.goAway()
        try pair.pump()
        #expect(pair.clientEvents.ends == [1: [.notProcessed], 2: [.notProcessed]])
        pair.server.respond(slot: 0, status: 200)
        try pair.pump()
        #expect(
            pair.clientEvents.ends == [
                0: [.ended], 1: [.notProcessed], 2: [.notProcessed],
            ])
        #expect(pair.client.isFinished)
    }

    @Test func theErrorOfAGoAwayIsKeptApart() throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        _ = try pair.takeFromClient()
        try pair.feedClient(
            RawFrame.goAway(last: 0, code: 11, "Maximum active streams violated"))
        let goAway = try #require(pair.clientEvents.goAways.first)
        #expect(goAway == (0, 11, "Maximum active streams violated"))
        #expect(pair.clientEvents.ends == [0: [.notProcessed]])
        #expect(pair.client.failure == nil)
        #expect(pair.client.isFinished)
    }

    @Test func ourOwnGoAwayTakesNoMoreRequestsButWaitsForAnswers() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { _, _ in }
        try pair.submit(0)
        pair.client.goAway()
        #expect(!pair.client.acceptsRequests)
        try pair.pump()
        #expect(pair.serverEvents.goAways == [0])
        #expect(!pair.client.isFinished)
        pair.server.respond(slot: 0, status: 200)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.ended]])
        #expect(pair.client.isFinished)
        #expect(pair.client.failure == nil)
    }

    @Test func tearingDownTellsWhatNeverLeftFromWhatMayHaveArrived() throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = 2
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<4 { try pair.submit(slot) }
        try pair.pump()
        pair.client.tearDown()
        #expect(
            pair.clientEvents.ends == [
                0: [.sessionEnded], 1: [.sessionEnded], 2: [.notProcessed], 3: [.notProcessed],
            ])
        pair.client.tearDown()
        pair.client.cancel(slot: 0)
        pair.client.ping()
        pair.client.goAway()
        try pair.feedClient(RawFrame.ping)
        #expect(try pair.takeFromClient().isEmpty)
        #expect(pair.client.isFinished)
        #expect(pair.client.openStreams == 0)
        #expect(throws: HTTP2Error.self) { try pair.submit(0) }

        pair.server.tearDown()
        #expect(pair.serverEvents.closed == [nil, nil])
    }

    @Test func tearingDownInsideACallbackReportsEachRequestOnce() throws {
        let pair = try Conversation.open()
        for slot in 0..<5 { try pair.submit(slot) }
        pair.clientEvents.onStatus = { [unowned pair] slot in
            if slot == 2 { pair.client.tearDown() }
        }
        try pair.pump()
        #expect(
            pair.clientEvents.ends == [
                0: [.ended], 1: [.ended], 2: [.sessionEnded], 3: [.sessionEnded],
                4: [.sessionEnded],
            ])
    }

    @Test func tearingDownTheServerInsideACallbackIsSafe() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { server, slot in if slot == 1 { server.tearDown() } }
        for slot in 0..<3 { try pair.submit(slot) }
        try pair.pump()
        #expect(pair.serverEvents.open.isEmpty)
        #expect(pair.serverEvents.closed == [nil, nil, nil])
    }

    @Test func aBreachOfProtocolEndsTheSessionWithAReason() throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        _ = try pair.takeFromClient()
        // DATA on a stream that does not exist yet.
        try pair.feedClient(RawFrame.data(stream: 99, [1]))
        let bytes = try pair.takeFromClient()
        #expect(bytes[3] == 7)
        #expect(pair.client.failure?.code == 1)
        #expect(pair.client.isFinished)
        pair.client.tearDown()
        #expect(pair.clientEvents.ends == [0: [.sessionEnded]])
    }

    @Test func somethingThatIsNotHTTP2IsAnError() throws {
        let pair = try Conversation()
        #expect(throws: HTTP2Error.self) {
            try pair.feedServer(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        }
        #expect(pair.server.failure != nil)
    }
}
