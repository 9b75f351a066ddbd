import HTTP2
import Testing

@Suite struct HTTP2ClientTests {
    @Test func aRequestArrivesAsItWasGivenAndItsAnswerComesBack() throws {
        let pair = try Conversation.open()
        pair.serverEvents.onEnded = { server, slot in
            server.respond(
                slot: slot, status: 400, fields: [HTTP2Field("apns-id", "1234")],
                body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        }
        try pair.submit(7, path: "/3/device/abcd", body: Array("{\"aps\":{}}".utf8))
        try pair.pump()

        let request = try #require(pair.serverEvents.complete.first)
        #expect(
            request.fields == [
                ":method=POST", ":scheme=https", ":authority=api.example.com",
                ":path=/3/device/abcd", "apns-topic=com.example.shop", "authorization=bearer abc",
            ])
        #expect(request.body == Array("{\"aps\":{}}".utf8))
        let answer = try #require(pair.clientEvents.answers[7])
        #expect(answer.status == 400)
        #expect(answer.headers == ["apns-id": "1234"])
        #expect(answer.body == Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        #expect(pair.clientEvents.ends == [7: [.ended]])
        #expect(pair.client.openStreams == 0)
        #expect(pair.server.openStreams == 0)
        #expect(pair.serverEvents.closed == [0])
    }

    @Test func anEmptyBodyEndsTheRequestWithItsHeaders() throws {
        let pair = try Conversation.open()
        try pair.submit(0, body: [])
        try pair.pump()
        #expect(pair.serverEvents.complete.first?.body == [])
        #expect(pair.clientEvents.ends == [0: [.ended]])
    }

    @Test func theClientNamesNoPushAndItsBoundsInItsFirstSettings() throws {
        let pair = try Conversation()
        let bytes = try pair.takeFromClient()
        #expect(bytes.starts(with: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        let settings = bytes.dropFirst(24 + 9)
        #expect(Array(settings.prefix(6)) == [0, 2, 0, 0, 0, 0])
        #expect(Array(settings.dropFirst(6).prefix(6)) == [0, 4, 0, 0, 0xFF, 0xFF])
        #expect(Array(settings.dropFirst(12).prefix(6)) == [0, 6, 0, 0, 0x40, 0])
    }

    @Test func noPriorityIsEverSent() throws {
        let pair = try Conversation.open()
        for slot in 0..<20 { try pair.submit(slot) }
        let bytes = try pair.takeFromClient()
        var offset = 0
        while offset < bytes.count {
            let size =
                Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8
                | Int(bytes[offset + 2])
            #expect(bytes[offset + 3] != 2)
            // HEADERS: the PRIORITY flag is 0x20.
            if bytes[offset + 3] == 1 { #expect(bytes[offset + 4] & 0x20 == 0) }
            offset += 9 + size
        }
    }

    @Test func replacedFieldsAreSentWithLaterRequestsOnly() throws {
        let pair = try Conversation.open()
        // Still queued when the fields change.
        try pair.submit(0)
        for round in 0..<3 {
            pair.client.setConstantFields(
                authority: "h\(round)",
                fields: [HTTP2Field("authorization", "bearer \(round)", indexing: .never)])
        }
        try pair.submit(1)
        try pair.pump()
        let fields = pair.serverEvents.complete.map { $0.fields.suffix(1) }
        #expect(fields == [["authorization=bearer abc"], ["authorization=bearer 2"]])
    }

    @Test func tenThousandRequestsEndOnceEach() throws {
        let pair = try Conversation.open()
        var next = 100
        let body = Array(repeating: UInt8(ascii: "x"), count: 200)
        pair.clientEvents.onClosed = { [unowned pair] _, slot in
            guard next < 10_000 else { return }
            next += 1
            try? pair.submit(slot, body: body)
        }
        for slot in 0..<100 { try pair.submit(slot, body: body) }
        try pair.pump()
        #expect(pair.serverEvents.complete.count == 10_000)
        #expect(pair.serverEvents.complete.allSatisfy { $0.body == body })
        let ends = pair.clientEvents.ends.values.flatMap(\.self)
        #expect(ends.count == 10_000)
        #expect(ends.allSatisfy { $0 == .ended })
        #expect(pair.serverEvents.openMost <= 100)
        #expect(pair.client.streamIDsLeft == 1_073_741_824 - 10_000)
    }

    @Test func aPingIsAcknowledged() throws {
        let pair = try Conversation.open()
        pair.client.ping()
        pair.server.ping()
        try pair.pump()
        #expect(pair.clientEvents.pings == 1)
        #expect(pair.serverEvents.pingsReceived == 1)
        #expect(pair.serverEvents.pingsAcknowledged == 1)
    }

    @Test func outputIsHandedOutInFullRecordsAndTheRestLater() throws {
        let pair = try Conversation.open()
        for slot in 0..<30 { try pair.submit(slot, body: Array(repeating: 1, count: 1_000)) }
        let first = try pair.client.takeOutput(maximumBytes: 16_384) { Array($0) }
        let second = try pair.client.takeOutput(maximumBytes: 16_384) { Array($0) }
        let third = try pair.client.takeOutput(maximumBytes: 16_384) { Array($0) }
        #expect(first.count == 16_384)
        #expect(!second.isEmpty && second.count < 16_384)
        #expect(third.isEmpty)
        try pair.feedServer(first + second)
        #expect(pair.serverEvents.complete.count == 30)
    }
}
