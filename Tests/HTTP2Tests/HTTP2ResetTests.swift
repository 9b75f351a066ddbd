import HTTP2
import Testing

/// Streams that end in unusual ways: each request is reported closed once, with the right word.
@Suite struct HTTP2ResetTests {
    @Test(
        arguments: [
            (7, HTTP2StreamEnd.notProcessed), (0, .reset(code: 0)), (2, .reset(code: 2)),
            (8, .reset(code: 8)), (99, .reset(code: 99)),
        ] as [(UInt32, HTTP2StreamEnd)])
    func aResetByTheServerIsReportedWithItsCode(code: UInt32, end: HTTP2StreamEnd) throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { $0.reset(slot: $1, errorCode: code) }
        try pair.submit(0)
        try pair.submit(1)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [end], 1: [end]])
        #expect(pair.client.acceptsRequests)
    }

    /// jchambers/pushy#476: a refused stream was reset a second time with another code.
    @Test func aSecondResetOfAStreamIsIgnored() throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        _ = try pair.takeFromClient()
        try pair.feedClient(
            RawFrame.reset(stream: 1, code: 7) + RawFrame.reset(stream: 1, code: 5))
        #expect(pair.clientEvents.ends == [0: [.notProcessed]])
        #expect(pair.client.failure == nil)
    }

    @Test(arguments: [0, 5, 7, 8] as [UInt32])
    func aResetAfterACompleteAnswerChangesNothing(code: UInt32) throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { $0.respond(slot: $1, status: 200, resetAfter: code) }
        try pair.submit(0)
        try pair.pump()
        try pair.feedClient(RawFrame.reset(stream: 1, code: code))
        #expect(pair.clientEvents.ends == [0: [.ended]])
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.ended, .ended]])
    }

    /// curl/curl#986, httpwg/http2-spec#618: an answer before the body, then RST_STREAM(NO_ERROR).
    @Test(arguments: [nil, 0, 8] as [UInt32?], [0, 10] as [Int32])
    func anEarlyAnswerCountsAndFreesTheStream(resetAfter: UInt32?, window: Int32) throws {
        var options = HTTP2ServerOptions()
        options.initialWindowBytes = window
        options.maxConcurrentStreams = 1
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onFields = { server, slot in
            server.respond(
                slot: slot, status: 400, body: Array("early".utf8), resetAfter: resetAfter)
        }
        pair.serverEvents.onEnded = { _, _ in }
        for slot in 0..<3 { try pair.submit(slot, body: Array(repeating: 1, count: 300)) }
        try pair.pump()
        for slot in 0..<3 {
            #expect(pair.clientEvents.answers[slot]?.status == 400)
            #expect(pair.clientEvents.answers[slot]?.body == Array("early".utf8))
            #expect(pair.clientEvents.ends[slot] == [.ended])
        }
        #expect(pair.server.openStreams == 0)
    }

    @Test func anAnswerWithoutAnEndStaysOpenUntilItIsCancelled() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { $0.sendHead(slot: $1, status: 200) }
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.answers[0]?.status == 200)
        #expect(pair.clientEvents.ends.isEmpty)
        pair.client.cancel(slot: 0)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.reset(code: 8)]])
        #expect(pair.serverEvents.closed == [8])
    }

    @Test func aSlowAnswerAfterCancellingIsIgnored() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { _, _ in }
        try pair.submit(0)
        try pair.pump()
        pair.client.cancel(slot: 0)
        pair.client.cancel(slot: 0)
        _ = try pair.takeFromClient()
        pair.server.respond(slot: 0, status: 200)
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.ends == [0: [.reset(code: 8)]])
        #expect(pair.clientEvents.answers[0] == nil)
    }

    @Test func cancellingAQueuedRequestReportsThatItNeverLeft() throws {
        var options = HTTP2ServerOptions()
        options.maxConcurrentStreams = 1
        let pair = try Conversation.open(serverOptions: options)
        pair.serverEvents.onEnded = { _, _ in }
        try pair.submit(0)
        try pair.submit(1)
        try pair.pump()
        pair.client.cancel(slot: 1)
        pair.client.cancel(slot: 1)
        #expect(pair.clientEvents.ends.isEmpty)
        try pair.pump()
        #expect(pair.clientEvents.ends == [1: [.notProcessed]])
        // The slot carries another request while nghttp2 still holds the withdrawn one.
        try pair.submit(1)
        pair.server.setMaxConcurrentStreams(10)
        pair.serverEvents.onEnded = { $0.respond(slot: $1, status: 200) }
        try pair.pump()
        #expect(pair.clientEvents.ends == [1: [.notProcessed, .ended]])
    }

    @Test func informationalAnswersAndTrailersAreNotReported() throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        _ = try pair.takeFromClient()
        try pair.feedClient(
            RawFrame.headers(stream: 1, [(":status", "100"), ("a", "1")])
                + RawFrame.headers(stream: 1, [(":status", "103"), ("b", "2")])
                + RawFrame.headers(stream: 1, [(":status", "410"), ("c", "3")])
                + RawFrame.data(stream: 1, Array("gone".utf8))
                + RawFrame.headers(stream: 1, [("d", "4")], end: true))
        let answer = try #require(pair.clientEvents.answers[0])
        #expect(answer.status == 410)
        #expect(answer.headers == ["c": "3"])
        #expect(answer.body == Array("gone".utf8))
        #expect(pair.clientEvents.ends == [0: [.ended]])
    }

    @Test func anInformationalAnswerBeforeTheAnswerIsSentByTheServer() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onFields = { $0.sendHead(slot: $1, status: 103) }
        try pair.submit(0)
        try pair.pump()
        #expect(pair.clientEvents.answers[0]?.status == 200)
        #expect(pair.clientEvents.ends == [0: [.ended]])
    }

    @Test(arguments: [[("status", "200")], [(":status", "2x0")], [(":status", "200"), ("A", "b")]])
    func aMalformedAnswerResetsItsStreamOnly(fields: [(String, String)]) throws {
        let pair = try Conversation.open()
        try pair.submit(0)
        try pair.submit(1)
        _ = try pair.takeFromClient()
        try pair.feedClient(RawFrame.headers(stream: 1, fields, end: true))
        _ = try pair.takeFromClient()
        try pair.feedClient(RawFrame.headers(stream: 3, [(":status", "200")], end: true))
        #expect(pair.clientEvents.ends == [0: [.reset(code: 1)], 1: [.ended]])
        #expect(pair.client.failure == nil)
    }
}
