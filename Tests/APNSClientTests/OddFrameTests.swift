import APNSProtocol
import LinuxIO
import Testing

@testable import APNSClient

/// Servers that send frames nobody expects.
@Suite struct OddFrameTests {
    /// Sends SETTINGS, then lets the test answer requests by the number of their stream.
    private static func script(
        settings: [(UInt16, UInt32)] = [(3, 10)],
        onHead: @escaping @Sendable (UInt32, FramePeer) -> Void = { _, _ in },
        onRequest: @escaping @Sendable (UInt32, FramePeer) -> Void
    ) -> FrameServer.Script {
        { event, peer in
            switch event {
            case .opened: peer.send([RawFrame.settings(settings)])
            case .frame(let frame) where frame.kind == .settings && frame.flags == 0:
                peer.send([RawFrame(kind: .settings, flags: RawFrame.acknowledgement)])
            case .frame(let frame) where frame.kind == .headers: onHead(frame.streamID, peer)
            case .frame(let frame)
            where frame.kind == .data && frame.flags & RawFrame.endStream != 0:
                onRequest(frame.streamID, peer)
            default: break
            }
        }
    }

    private static let bad = Array(#"{"reason":"BadDeviceToken"}"#.utf8)

    /// curl/curl#986, httpwg/http2-spec#618, vlang/v#27413: the answer comes before the body could
    /// be sent, followed by RST_STREAM(NO_ERROR). It counts, and the next requests go on.
    @Test func anAnswerBeforeTheBodyCounts() throws {
        let bench = try FrameBench(
            script: Self.script(
                settings: [(3, 10), (4, 10)],
                onHead: { stream, peer in
                    peer.send([
                        RawFrame.answer(stream, 400, ends: false),
                        .data(stream, Self.bad, ends: true),
                        .reset(stream, code: 0),
                    ])
                }, onRequest: { _, _ in }))
        let (ends, log) = try bench.send(30)
        #expect(ends.ends.count == 30)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.rejectedToken(kind: .invalid)) })
        #expect(log.connections == 1)
    }

    /// jchambers/pushy#476: an answer, or a second reset, for a stream that is closed already is
    /// not taken for anything, least of all for the end of another request.
    @Test func framesOnAClosedStreamMeanNothing() throws {
        let bench = try FrameBench(
            script: Self.script { stream, peer in
                if stream == 5 {
                    peer.send([RawFrame.reset(5, code: 7), .reset(5, code: 5)])
                } else {
                    peer.send([RawFrame.answer(stream, 200)])
                }
                if stream > 5 { peer.send([RawFrame.reset(5, code: 8)]) }
            })
        let (ends, log) = try bench.send(50)
        #expect(ends.ends.count == 50)
        #expect(ends.doubled == 0)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.requests == 51)
    }

    /// Answering a closed stream breaks HTTP/2 (RFC 9113, section 5.1). Whatever becomes of the
    /// connection, each request ends once.
    @Test func aSecondAnswerOnAClosedStreamEndsNothingTwice() throws {
        let bench = try FrameBench(
            script: Self.script { stream, peer in
                peer.send([RawFrame.answer(stream, 200)])
                if peer.number == 1, stream == 7 { peer.send([RawFrame.answer(7, 410)]) }
            })
        let (ends, _) = try bench.send(40)
        #expect(ends.ends.count == 40)
        #expect(ends.doubled == 0)
        let unknown = ends.ends.values.count { if case .unknown = $0 { true } else { false } }
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 40 - unknown)
    }

    /// The client has switched server push off (RFC 9113, section 8.4): a promise ends the
    /// connection, and the rest goes over another.
    @Test func aPushPromiseEndsThatConnectionOnly() throws {
        let bench = try FrameBench(
            script: Self.script { stream, peer in
                if peer.number == 1, stream == 9 {
                    let promised = RawFrame.number(2) + [0x82, 0x87, 0x84]
                    peer.send([
                        RawFrame(
                            kind: .pushPromise, flags: RawFrame.endHeaders, streamID: stream,
                            payload: promised)
                    ])
                }
                peer.send([RawFrame.answer(stream, 200)])
            })
        let (ends, log) = try bench.send(60)
        #expect(ends.ends.count == 60)
        #expect(ends.doubled == 0)
        #expect(log.connections == 2)
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 60 - unknown)
    }

    /// A header list beyond what the client announced costs its own request only.
    @Test func aHeaderListThatIsTooLongCostsOneAnswer() throws {
        let long = (0..<20).map { ("x-filler-\($0)", String(repeating: "x", count: 1_000)) }
        let bench = try FrameBench(
            script: Self.script { stream, peer in
                guard stream == 3 else { return peer.send([RawFrame.answer(stream, 200)]) }
                // Two pieces, as a frame holds 16 KiB (RFC 9113, section 4.2).
                let whole = RawFrame.answer(stream, 200, fields: long).payload
                peer.send([
                    RawFrame(
                        kind: .headers, flags: RawFrame.endStream, streamID: stream,
                        payload: Array(whole[..<16_000])),
                    RawFrame(
                        kind: .continuation, flags: RawFrame.endHeaders, streamID: stream,
                        payload: Array(whole[16_000...])),
                ])
            })
        let (ends, log) = try bench.send(30)
        #expect(ends.ends.count == 30)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } >= 29)
        #expect(log.connections == 1)
    }

    /// dotnet/runtime#130997, nodejs/node#17969, amphp/http-client#282: a flood of PING or SETTINGS
    /// from a server that does not read ends that connection; the run completes on the other.
    @Test(arguments: [RawFrame.ping, RawFrame.settings([(3, 10)])])
    func aFloodEndsThatConnectionOnly(frame: RawFrame) throws {
        let flood = Array(repeating: frame, count: 1_000)
        let bench = try FrameBench { event, peer in
            switch event {
            case .opened:
                peer.send([RawFrame.settings([(3, 10)])])
                if peer.number == 1 { peer.isReadingPaused = true }
            case .tick where peer.number == 1 && !peer.isWritePending: peer.send(flood)
            case .frame(let request)
            where request.kind == .data && request.flags & RawFrame.endStream != 0:
                peer.send([RawFrame.answer(request.streamID, 200)])
            default: break
            }
        }
        let (ends, log) = try bench.send(500) {
            $0.connections = 2
            $0.requestTimeoutNanoseconds = 60_000_000_000
            $0.limits.silenceNanoseconds = 20_000_000_000
        }
        #expect(ends.ends.count == 500)
        #expect(ends.doubled == 0)
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(unknown <= 10)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 500 - unknown)
        #expect(log.connections >= 2)
    }

    /// dotnet/runtime#130997: honest numbers of PING harm nobody.
    @Test func politePingsDoNoHarm() throws {
        let bench = try FrameBench { event, peer in
            switch event {
            case .opened: peer.send([RawFrame.settings([(3, 10)])])
            case .tick: peer.send([RawFrame.ping])
            case .frame(let request)
            where request.kind == .data && request.flags & RawFrame.endStream != 0:
                peer.send([RawFrame.answer(request.streamID, 200), RawFrame.ping])
            default: break
            }
        }
        let (ends, log) = try bench.send(300)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.connections == 1)
    }

    /// apple/swift-nio-examples#12, jchambers/pushy#808: a server that does not choose h2 is
    /// refused with a plain message, and gets no request.
    @Test(arguments: [["http/1.1"], []])
    func aServerWithoutHTTP2IsRefused(protocols: [String]) throws {
        let bench = try FrameBench(protocols: protocols) { _, _ in }
        let (ends, log) = try bench.send(2)
        guard case .unreachable(let text) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text.contains("HTTP/2") || text.contains("ALPN") || text.contains("protocol"))
        #expect(log.requests == 0)
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
    }

    /// A server that answers in plain text where TLS was due.
    @Test func aServerWithoutTLSIsRefused() throws {
        let bench = try FrameBench(isPlain: true) { event, peer in
            guard case .opened = event else { return }
            peer.send(bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
        let (ends, _) = try bench.send(2)
        guard case .unreachable = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
    }
}
