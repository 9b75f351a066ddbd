import Testing

@testable import APNSSimulator

@Suite struct FastSessionTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// A frame: length, kind, flags, stream, payload (RFC 9113, section 4.1).
    private static func frame(
        _ kind: UInt8, _ flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags]
            + [0, 0, 0, stream] + payload
    }

    private static func request(stream: UInt8, body: Int) -> [UInt8] {
        frame(1, 0x4, stream: stream, [0x83, 0x87])
            + frame(0, 0x1, stream: stream, [UInt8](repeating: 7, count: body))
    }

    private static func session() -> FastSession {
        var session = FastSession(streamsMax: 1_000)
        session.output.removeAll()
        return session
    }

    @Test func itBeginsWithItsStreamLimit() {
        let session = FastSession(streamsMax: 1_000)
        #expect(session.output == Self.frame(4, 0, [0, 3, 0, 0, 0x03, 0xE8]))
    }

    @Test(arguments: [1, 2, 9, 10, 1_000])
    func requestsAreAnsweredAndCountedHoweverTheBytesAreCut(piece: Int) throws {
        var session = Self.session()
        let bytes =
            Self.preface + Self.frame(4) + Self.request(stream: 1, body: 200)
            + Self.request(stream: 3, body: 0) + Self.frame(1, 0x5, stream: 5, [0x83])
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = Array(bytes[start..<min(start + piece, bytes.count)])
            try session.receive(part.span)
        }
        let answers = [1, 3, 5].flatMap { Self.frame(1, 0x5, stream: $0, [0x88]) }
        #expect(session.output == Self.frame(4, 0x1) + answers)
        #expect(session.requests == 3)
        #expect(session.bodyBytes == 200)
        #expect(session.headerBlockBytes == 5)
        #expect(session.streamsOpen == 0)
        #expect(session.streamsOpenMax == 1)
    }

    private static func device(_ token: String, stream: UInt8, padding: UInt8? = nil) -> [UInt8] {
        let path = "/3/device/" + token
        var block = [0x83, 0x04, UInt8(path.utf8.count)] + Array(path.utf8)
        if let padding {
            block = [padding] + block + [UInt8](repeating: 0, count: Int(padding))
        }
        return frame(1, padding == nil ? 0x5 : 0xD, stream: stream, block)
    }

    @Test func theDeadAreToldFromTheLivingByTheirPath() throws {
        let fates = TokenFates(
            shares: TokenShares(dead: 0.5), seed: 7, referenceMilliseconds: 1_700_000_000_000)
        var session = FastSession(streamsMax: 1_000, fates: fates)
        session.output.removeAll()
        var expected: [UInt8] = []
        var bytes = Self.preface
        for number in 0..<60 {
            let token = String(repeating: String(number + 10, radix: 36), count: 16)
            let stream = UInt8(2 * number + 1)
            bytes += Self.device(token, stream: stream, padding: number % 3 == 0 ? 4 : nil)
            if case .dead(let timestamp) = fates.fate(of: token) {
                let body = "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}"
                expected += Self.frame(1, 0x4, stream: stream, [0x08, 0x03, 0x34, 0x31, 0x30])
                expected += Self.frame(0, 0x1, stream: stream, Array(body.utf8))
            } else {
                expected += Self.frame(1, 0x5, stream: stream, [0x88])
            }
        }
        try session.receive(bytes.span)
        #expect(session.output == expected)
        #expect((15...45).contains(session.gone))
        #expect(session.requests == 60)
    }

    @Test func withoutRoomInTheClientsWindowThereIsNoBody() throws {
        let fates = TokenFates(
            shares: TokenShares(dead: 1), seed: 7, referenceMilliseconds: 1_700_000_000_000)
        var session = FastSession(streamsMax: 1_000, fates: fates)
        try session.receive(Self.preface.span)
        let bodyBytes = 51
        // The window has room for 65,535 / 51 bodies.
        for number in 0..<1_300 {
            session.output.removeAll()
            let request = Self.device("aa", stream: 1)
            try session.receive(request.span)
            let hasBody = session.output.count > 14
            #expect(hasBody == (number < 65_535 / bodyBytes))
        }
        let window = Self.frame(8, 0, [0, 0, 0, UInt8(bodyBytes)])
        try session.receive(window.span)
        session.output.removeAll()
        let request = Self.device("aa", stream: 1)
        try session.receive(request.span)
        #expect(session.output.count == 14 + 9 + bodyBytes)
    }

    @Test func aPingComesBackAndItsAnswerDoesNot() throws {
        var session = Self.session()
        let payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let bytes = Self.preface + Self.frame(6, 0, payload) + Self.frame(6, 1, payload)
        try session.receive(bytes.span)
        #expect(session.output == Self.frame(6, 1, payload))
    }

    @Test func theConnectionsWindowIsGivenBackFromHalfOfIt() throws {
        var session = Self.session()
        let half = [UInt8](repeating: 0, count: 16_384)
        let bytes =
            Self.preface + Self.frame(1, 0x4, stream: 1, []) + Self.frame(0, 0x1, stream: 1, half)
            + Self.frame(1, 0x4, stream: 3, []) + Self.frame(0, 0x1, stream: 3, half)
        try session.receive(bytes.span)
        let window = Self.frame(8, 0, [0, 0, 0x80, 0])
        let answers = [1, 3].map { Self.frame(1, 0x5, stream: $0, [0x88]) }
        #expect(session.output == answers[0] + window + answers[1])
    }

    @Test func aBodyInSeveralFramesGetsItsStreamsWindowBack() throws {
        var session = Self.session()
        let bytes =
            Self.preface + Self.frame(1, 0x4, stream: 1, [])
            + Self.frame(0, 0, stream: 1, [1, 2, 3])
        try session.receive(bytes.span)
        #expect(session.output == Self.frame(8, 0, stream: 1, [0, 0, 0, 3]))
        #expect(session.streamsOpen == 1)
    }

    @Test func aResetStreamIsAbandoned() throws {
        var session = Self.session()
        let bytes =
            Self.preface + Self.frame(1, 0x4, stream: 1, [])
            + Self.frame(3, 0, stream: 1, [0, 0, 0, 8])
        try session.receive(bytes.span)
        #expect(session.streamsAbandoned == 1)
        #expect(session.streamsOpen == 0)
    }

    @Test(arguments: [
        (Array("GET / HTTP/1.1\r\n".utf8), FastSession.Failure.noPreface),
        (preface + [0, 0x40, 1, 0, 0, 0, 0, 0, 1], .frameTooLong),
        (preface + frame(7, 0, [0, 0, 0, 0, 0, 0, 0, 0]), .goAway),
    ])
    func whatCanNotGoOnIsSaid(bytes: [UInt8], failure: FastSession.Failure) {
        var session = Self.session()
        #expect(throws: failure) { try session.receive(bytes.span) }
    }

    @Test func theLongestFrameIsTaken() throws {
        var session = Self.session()
        let bytes = Self.preface + [0, 0x40, 0, 0, 0x1, 0, 0, 0, 1]
        try session.receive(bytes.span)
        #expect(session.bodyBytes == 16_384)
    }
}
