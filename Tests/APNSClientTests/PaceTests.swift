import APNSProtocol
import LinuxIO
import SendPolicy
import Testing

@testable import APNSClient

/// How a connection's pace follows what its server bears.
@Suite struct PaceTests {
    /// node-apn/node-apn#463, jchambers/pushy#408: one connection answers 500 to everything, others
    /// are fine; it is left, and nothing is asked of it in a hot loop.
    @Test func aConnectionThatOnlyFailsIsLeft() throws {
        let bench = try PushBench(streams: 30) { visit in
            visit.connection == 1 && visit.request > 1
                ? [.answer(500, #"{"reason":"InternalServerError"}"#)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(300)
        let failed = ends.ends.values.count { $0 == .judged(.retryLater) }
        #expect(failed >= 20 && failed <= 60)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 300 - failed)
        #expect(log.connections == 2)
        #expect(ends.notes.contains { $0.kind == .pace })
    }

    @Test func aFallingStreamLimitSlowsAConnection() throws {
        let bench = try PushBench(streams: 50) { visit in
            visit.request == 60 ? [.streams(2), .answer(200)] : [.answer(200)]
        }
        let (ends, _) = try bench.send(200)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(ends.notes.contains { $0.kind == .pace && $0.text.contains("fewer streams") })
    }

    /// The first SETTINGS of another connection are no sign of anything.
    @Test func anotherConnectionIsNoSignOfOverload() throws {
        let bench = try PushBench(streams: 1) { visit in
            switch visit.request {
            case 1: [.streams(100), .answer(200)]
            case 40: [.answer(200), .goAway(lastStreamID: nil)]
            default: [.answer(200)]
            }
        }
        let (ends, log) = try bench.send(300)
        #expect(log.connections >= 2)
        #expect(!ends.notes.contains { $0.kind == .pace && $0.text.contains("fewer streams") })
    }

    /// node-apn/node-apn#590: a clock an hour off shows only as refused tokens, unless somebody
    /// looks at the date of the answers.
    @Test func aClockFarFromTheServersIsSaidOnceAConnection() throws {
        let bench = try PushBench { _ in [.answerDated("Sun, 06 Nov 1994 08:49:37 GMT")] }
        let (ends, log) = try bench.send(20)
        let said = ends.notes.filter { $0.kind == .clock }
        #expect(said.count == log.connections)
        #expect(said.allSatisfy { $0.text.contains("ahead of") })
    }

    /// In no second more than rate plus burst, also while the pace falls and rises.
    @Test func aChangeOfPaceAddsNothing() throws {
        let arrivals = Monitor<[Int64]>([])
        let bench = try PushBench { visit in
            arrivals.withLock { $0.append(MonotonicClock.nanoseconds()) }
            return visit.request % 30 == 0
                ? [.answer(503, #"{"reason":"ServiceUnavailable"}"#)] : [.answer(200)]
        }
        let rate = try #require(Rate.perSecond(60))
        _ = try bench.send(150) {
            $0.rate = rate
            $0.burst = 4
        }
        let times = arrivals.withLock { $0.sorted() }
        for (index, start) in times.enumerated() {
            let inSecond = times[index...].prefix { $0 < start + 1_000_000_000 }.count
            #expect(inSecond <= 64)
        }
    }
}
