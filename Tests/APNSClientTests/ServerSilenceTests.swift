import APNSProtocol
import LinuxIO
import Testing

@testable import APNSClient

/// Servers that fall silent, in all the ways there are.
@Suite struct ServerSilenceTests {
    private static func shorten(_ configuration: inout PushClientConfiguration) {
        configuration.limits.silenceNanoseconds = 200_000_000
        configuration.limits.pingTimeoutNanoseconds = 200_000_000
        configuration.limits.openingNanoseconds = 500_000_000
        configuration.limits.settlingNanoseconds = 300_000_000
        configuration.limits.drainNanoseconds = 500_000_000
    }

    /// Answers every complete request with 200, one stream at a time unless told otherwise.
    private static func serve(_ event: FrameEvent, _ peer: FramePeer, streams: UInt32) {
        switch event {
        case .opened: peer.send([RawFrame.settings([(3, streams)])])
        case .frame(let frame) where frame.kind == .data && frame.flags & RawFrame.endStream != 0:
            peer.send([RawFrame.answer(frame.streamID, 200)])
        case .frame(let frame)
        where frame.kind == .settings && frame.flags & RawFrame.acknowledgement == 0:
            peer.send([RawFrame(kind: .settings, flags: RawFrame.acknowledgement)])
        case .frame(let frame)
        where frame.kind == .ping && frame.flags & RawFrame.acknowledgement == 0:
            var answer = frame
            answer.flags = RawFrame.acknowledgement
            peer.send([answer])
        default: break
        }
    }

    /// sideshow/apns2#209, parse-community/node-apn#29, rpush/rpush#607: one of several connections
    /// goes silent without closing. It is noticed by a PING without an answer; what it had on the
    /// wire is unknown, everything else goes over the others.
    @Test func aConnectionThatGoesSilentIsNoticedAndLeft() throws {
        let bench = try FrameBench { event, peer in
            if peer.number == 2, case .frame(let frame) = event, frame.kind == .headers {
                peer.memory += 1
                if peer.memory > 20 { peer.isReadingPaused = true }
            }
            if peer.isReadingPaused { return }
            Self.serve(event, peer, streams: 10)
        }
        let start = MonotonicClock.nanoseconds()
        let (ends, log) = try bench.send(2_000) {
            Self.shorten(&$0)
            $0.connections = 4
        }
        // Silence, PING timeout and a second PING's worth of slack, far below the request timeout.
        #expect(MonotonicClock.nanoseconds() - start < 20_000_000_000)
        #expect(ends.ends.count == 2_000)
        #expect(ends.doubled == 0)
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(unknown >= 1 && unknown <= 10)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 2_000 - unknown)
        #expect(log.connections >= 4)
        #expect(ends.notes.contains { $0.kind == .closed && $0.text.contains("PING") })
    }

    /// jchambers/pushy#816, AndrewBarba/apns2#97: PINGs are answered and requests are not. Each
    /// request's own deadline ends it, and its stream is reset so that its slot returns.
    @Test func aConnectionThatOnlyAnswersPingsLosesNoSlots() throws {
        let bench = try FrameBench { event, peer in
            if case .frame(let frame) = event, frame.kind == .data, frame.streamID > 1 { return }
            Self.serve(event, peer, streams: 4)
        }
        let (ends, log) = try bench.send(9) {
            Self.shorten(&$0)
            $0.requestTimeoutNanoseconds = 400_000_000
        }
        #expect(ends.ends.count == 9)
        #expect(ends.ends.values.count { $0 == .unknown(.deadline) } == 8)
        #expect(log.connections == 1)
        let resets = (log.frames[1] ?? []).filter { $0.kind == .reset }
        // The last ones may still be on their way when the server stops.
        #expect(resets.count >= 4)
        // CANCEL: RFC 9113, section 7.
        #expect(resets.allSatisfy { $0.payload == [0, 0, 0, 8] })
    }

    /// codedge-llc/pigeon#92, golang/go#76296: a server that counts PINGs sees no more than one per
    /// interval of silence.
    @Test func pingsAreNoMoreThanOnePerSilence() throws {
        let bench = try FrameBench { event, peer in
            if case .frame(let frame) = event, frame.kind == .data, frame.streamID > 1 { return }
            Self.serve(event, peer, streams: 4)
        }
        let start = MonotonicClock.nanoseconds()
        let (_, log) = try bench.send(5) {
            Self.shorten(&$0)
            $0.requestTimeoutNanoseconds = 1_500_000_000
        }
        let intervals = (MonotonicClock.nanoseconds() - start) / 200_000_000 + 1
        let pings = (log.frames[1] ?? []).filter { $0.kind == .ping }.count
        #expect(pings >= 1)
        #expect(pings <= Int(intervals))
    }

    /// chvanikoff/apns4ex#23: TLS is up and no SETTINGS follow. Nothing is sent, and it ends.
    @Test func tlsWithoutSettingsEndsBounded() throws {
        let bench = try FrameBench { _, _ in }
        let (ends, log) = try bench.send(3, change: Self.shorten)
        guard case .unreachable(let text) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text.contains("SETTINGS"))
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
        #expect(log.requests == 0)
        #expect(log.connections <= 8)
    }

    /// chvanikoff/apns4ex#23, jchambers/pushy#885: TCP is accepted and no TLS follows.
    @Test func tcpWithoutTLSEndsBounded() throws {
        let bench = try FrameBench(isPlain: true) { _, _ in }
        let (ends, _) = try bench.send(3, change: Self.shorten)
        guard case .unreachable(let text) = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text.contains("TLS"))
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
    }

    /// jchambers/pushy#184: the server closes its direction only; what it had answered stands, what
    /// it had not is unknown, the rest goes over another connection.
    @Test func aServerThatClosesHalfIsLeft() throws {
        let bench = try FrameBench { event, peer in
            Self.serve(event, peer, streams: 5)
            if peer.number == 1, case .frame(let frame) = event, frame.kind == .data {
                peer.memory += 1
                if peer.memory == 30 { peer.closeHalf() }
            }
        }
        let (ends, log) = try bench.send(200) {
            Self.shorten(&$0)
            $0.connections = 1
        }
        #expect(ends.ends.count == 200)
        #expect(ends.doubled == 0)
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(unknown <= 5)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 200 - unknown)
        #expect(log.connections == 2)
    }

    /// A server that opens no window for bodies takes none: the requests end by their deadline and
    /// hold no slot, and the next connection carries the rest.
    @Test func aWindowThatNeverOpensEndsByTheDeadline() throws {
        let bench = try FrameBench { event, peer in
            switch event {
            case .opened: peer.send([RawFrame.settings([(3, 5), (4, 10)])])
            case .frame(let frame) where frame.kind == .settings && frame.flags == 0:
                peer.send([RawFrame(kind: .settings, flags: RawFrame.acknowledgement)])
            default: break
            }
        }
        let (ends, log) = try bench.send(3) {
            Self.shorten(&$0)
            $0.limits.silenceNanoseconds = 5_000_000_000
            $0.requestTimeoutNanoseconds = 300_000_000
        }
        #expect(ends.ends.count == 3)
        #expect(ends.ends.values.allSatisfy { $0 == .unknown(.deadline) })
        // No stream got more than the window.
        let bodies = (log.frames[1] ?? []).filter { $0.kind == .data }
        #expect(bodies.allSatisfy { $0.payload.count <= 10 })
    }
}
