import APNSProtocol
import LinuxIO
import SendPolicy
import TLS
import Testing

@testable import APNSClient

@Suite struct PushClientTests {
    @Test func everyRequestEndsOnceAndCarriesItsHeaders() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        let (ends, log) = try bench.send(500) { $0.connections = 4 }
        #expect(ends.ends.count == 500)
        #expect(ends.doubled == 0)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.count == 500)
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        for visit in log.visits {
            #expect(visit.fields[":method"] == "POST")
            #expect(visit.fields["apns-topic"] == "com.example.shop")
            #expect(visit.fields["apns-push-type"] == "alert")
            #expect(visit.fields["apns-priority"] == "10")
            #expect(visit.fields["authorization"]?.hasPrefix("bearer ") == true)
            #expect(visit.body == #"{"aps":{"alert":"Sale"}}"#)
        }
    }

    /// kylebrowning/APNSwift#34, Pr0Ger/PyAPNs2#76: a token per connection or request brings 429.
    @Test func allConnectionsShareOneProviderToken() throws {
        let bench = try PushBench(streams: 5) { _ in [.answer(200)] }
        let (_, log) = try bench.send(400) { $0.connections = 4 }
        #expect(Set(log.visits.compactMap { $0.fields["authorization"] }).count == 1)
    }

    /// AndrewBarba/apns2#17, ostinelli/apnotic#28: with a provider token there is one stream until
    /// it was taken.
    @Test func oneStreamUntilTheFirstGoodAnswer() throws {
        let bench = try PushBench(streams: 1) { visit in
            visit.request == 1 ? [.streams(1000), .answer(200)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(200)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.visits.count == 200)
        #expect(log.openStreamsMax > 1)
    }

    /// ostinelli/apnotic#29, parse-community/node-apn#140: never more open than the peer allows.
    @Test(arguments: [1, 2, 7] as [UInt32])
    func openStreamsStayWithinThePeersLimit(limit: UInt32) throws {
        let bench = try PushBench(streams: limit) { _ in [.answer(200)] }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.count == 100)
        #expect(log.openStreamsMax <= Int(limit))
    }

    /// openradar 27870881, jchambers/pushy#476: the limit falls to one in the middle.
    @Test func aFallingLimitIsObeyed() throws {
        let bench = try PushBench(streams: 50) { visit in
            visit.request == 60 ? [.streams(1), .answer(200)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(200)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.visits.count == 200)
    }

    /// akka/akka-http#774: zero is legal for a while.
    @Test func aLimitOfZeroPausesUntilItRises() throws {
        let bench = try PushBench(streams: 10) { visit in
            visit.request == 20 ? [.answer(200), .streams(0), .streams(10)] : [.answer(200)]
        }
        let (ends, _) = try bench.send(60)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
    }

    /// jchambers/pushy#1025, jchambers/pushy#865: what is above the last stream id goes again, what
    /// is at or below is waited for; nobody is lost and nobody gets it twice.
    @Test func aGoAwayInTheMiddleLosesNobody() throws {
        let bench = try PushBench(streams: 20) { visit in
            if visit.connection == 1, visit.request == 30 {
                return [.goAway(lastStreamID: visit.streamID), .answer(200)]
            }
            return visit.connection == 1 && visit.request > 30 ? [] : [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.count == 100)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(log.connections == 2)
    }

    /// amphp/http-client#276: the first of two GOAWAY frames names no stream.
    @Test func aTwoStepGoAwayLosesNobody() throws {
        let bench = try PushBench(streams: 20) { visit in
            if visit.connection == 1, visit.request == 10 {
                return [.shutDownNotice, .answer(200)]
            }
            if visit.connection == 1, visit.request == 11 {
                return [.answer(200), .goAway(lastStreamID: nil)]
            }
            return [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.count == 100)
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
    }

    /// curl/curl#5119: a server that says GOAWAY each time must not be asked without end.
    @Test func aGoAwayOnEveryConnectionEndsBounded() throws {
        let bench = try PushBench { _ in [.goAway(lastStreamID: 0, code: 11)] }
        let (ends, log) = try bench.send(5)
        #expect(ends.ends.count == 5)
        #expect(ends.ends.values.allSatisfy { $0.isNotSent })
        #expect(log.connections <= 8)
    }

    /// jchambers/pushy#486, golang/go#20985: REFUSED_STREAM was not processed and goes again.
    @Test func refusedStreamsGoAgain() throws {
        let seen = Monitor<Set<String>>([])
        let bench = try PushBench { visit in
            let isFirst = seen.withLock { $0.insert(visit.token).inserted }
            let number = Int32(visit.token, radix: 16) ?? 0
            return isFirst && number % 3 == 0 ? [.reset(7)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(90)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(log.visits.count == 120)
    }

    @Test func aStreamRefusedForEverEndsAfterSixTries() throws {
        let bench = try PushBench { visit in
            visit.token == PushBench.token(7) ? [.reset(7)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(20)
        #expect(ends.ends[7] == .notSent(.refusedTooOften))
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 19)
        #expect(log.visits.count { $0.token == PushBench.token(7) } == 6)
    }

    /// Pr0Ger/PyAPNs2#119, #116: another reset concerns its own stream only, and nobody knows
    /// whether the push was taken.
    @Test(arguments: [2, 8] as [UInt32])
    func anotherResetMakesOneUnknown(code: UInt32) throws {
        let bench = try PushBench { visit in
            visit.token == PushBench.token(50) ? [.reset(code)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends[50] == .unknown(.streamReset))
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 99)
        #expect(log.visits.count == 100)
    }

    /// jchambers/pushy#184, jchambers/pushy#239: a connection cut in the middle settles everything
    /// that was open; what was answered stands.
    @Test func aCutConnectionLeavesItsOpenRequestsUnknown() throws {
        let bench = try PushBench(streams: 10) { visit in
            if visit.connection == 1, visit.request == 40 { return [.abort] }
            return [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.count == 100)
        let unknown = ends.ends.values.count { $0 == .unknown(.connectionLost) }
        #expect(unknown >= 1 && unknown <= 10)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 100 - unknown)
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(log.connections == 2)
    }

    /// jchambers/pushy#816, Fatal1ty/aioapns#41: no answer ever.
    @Test func aRequestWithoutAnswerIsGivenUpAndItsSlotReturns() throws {
        let bench = try PushBench(streams: 1) { visit in
            visit.token == PushBench.token(3) ? [] : [.answer(200)]
        }
        let (ends, _) = try bench.send(10) { $0.requestTimeoutNanoseconds = 300_000_000 }
        #expect(ends.ends[3] == .unknown(.deadline))
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 9)
    }

    @Test func aHeadOf200WithoutAnEndCountsAsAccepted() throws {
        let bench = try PushBench { visit in
            visit.token == PushBench.token(3) ? [.answerHead(200)] : [.answer(200)]
        }
        let (ends, _) = try bench.send(10) { $0.requestTimeoutNanoseconds = 300_000_000 }
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
    }

    /// Pr0Ger/PyAPNs2#113, node-apn/node-apn#496: the token expires in the middle.
    @Test func anExpiredProviderTokenIsRenewedOnceAndTheRefusedGoAgain() throws {
        let first = Monitor<String?>(nil)
        let bench = try PushBench(streams: 10) { visit in
            let bearer = visit.fields["authorization"] ?? ""
            let old = first.withLock { state in
                if state == nil { state = bearer }
                return state
            }
            if bearer == old, visit.request > 30 {
                return [.answer(403, #"{"reason":"ExpiredProviderToken"}"#)]
            }
            return [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(Set(log.visits.compactMap { $0.fields["authorization"] }).count == 2)
        #expect(ends.notes.contains { $0.kind == .tokenRenewed })
    }

    @Test func aTokenCalledExpiredAgainAndAgainIsNotRenewedWithoutEnd() throws {
        let bench = try PushBench { _ in [.answer(403, #"{"reason":"ExpiredProviderToken"}"#)] }
        let (ends, log) = try bench.send(3)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.renewCredential) })
        #expect(Set(log.visits.compactMap { $0.fields["authorization"] }).count == 2)
        #expect(log.visits.count <= 12)
    }

    /// richsage/RMSPushNotificationsBundle#91: a server that shuts down is left, not asked again.
    @Test func shutdownSendsTheRequestElsewhere() throws {
        let bench = try PushBench(streams: 5) { visit in
            visit.connection == 1 && visit.request > 20
                ? [.answer(503, #"{"reason":"Shutdown"}"#)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(60)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect(log.connections == 2)
    }

    @Test func a410CarriesItsTimeAndReason() throws {
        let bench = try PushBench { _ in
            [.answer(410, #"{"reason":"Unregistered","timestamp":1794268800123}"#)]
        }
        let (ends, _) = try bench.send(1)
        #expect(ends.ends[1] == .judged(.rejectedToken(kind: .gone)))
        #expect(ends.answers[1]?.timestampMilliseconds == 1_794_268_800_123)
        #expect(ends.answers[1]?.status == 410)
    }

    /// andrei-m-code/net-core-push-notifications#79: new reasons appear every year.
    @Test func anUnknownReasonIsToldUnderItsOwnName() throws {
        let bench = try PushBench { _ in [.answer(400, #"{"reason":"BrandNewReason"}"#)] }
        let (ends, _) = try bench.send(2)
        let code = try #require(ends.answers[1]?.reason)
        #expect(ends.texts[code] == "BrandNewReason")
        #expect(ends.ends[1] == .judged(.rejected))
    }

    /// matrix-org/sygnal#304: a gateway answers with a page.
    @Test func anAnswerThatIsNotJSONIsJudgedByItsStatus() throws {
        let bench = try PushBench { visit in
            visit.token == PushBench.token(1)
                ? [.answer(503, "<html>busy</html>")] : [.answer(200, "ok")]
        }
        let (ends, _) = try bench.send(2)
        #expect(ends.ends[1] == .judged(.retryLater))
        #expect(ends.ends[2] == .judged(.accepted))
    }

    @Test func aStopEndsEverythingAsNotSentOrAnswered() throws {
        let bench = try PushBench(streams: 1) { _ in [.answer(200)] }
        var configuration = try bench.configuration()
        configuration.rate = try #require(Rate.perSecond(5))
        configuration.burst = 1
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...1000)])
        _ = bench.ends.state.wait(untilNanoseconds: nil) { $0.ends.count >= 2 }
        client.stop(drainNanoseconds: 5_000_000_000)
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        let log = bench.server.stop()
        #expect(ends.ends.count == 1000)
        #expect(ends.doubled == 0)
        let accepted = ends.ends.values.count { $0 == .judged(.accepted) }
        #expect(accepted == log.accepted.count)
        #expect(ends.ends.values.count { $0 == .notSent(.stopped) } == 1000 - accepted)
    }

    @Test func aStopGivesUpWhatIsNotAnsweredInTime() throws {
        let bench = try PushBench { visit in visit.request == 1 ? [.answer(200)] : [] }
        let client = try PushClient(
            configuration: try bench.configuration(), delegate: bench.ends)
        client.submit([PushBench.batch(1...3)])
        _ = bench.server.log.wait(untilNanoseconds: nil) { $0.visits.count == 3 }
        client.stop(drainNanoseconds: 100_000_000)
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        _ = bench.server.stop()
        #expect(ends.ends.values.count { $0 == .unknown(.deadline) } == 2)
    }

    @Test func aGoAwayWithACredentialReasonFailsTheLoop() throws {
        let bench = try PushBench { _ in
            [.goAway(lastStreamID: 0, code: 0, debug: #"{"reason":"BadCertificate"}"#)]
        }
        let (ends, _) = try bench.send(2)
        guard case .credentials(let text) = ends.failure else {
            Issue.record("no credential failure but \(String(describing: ends.failure))")
            return
        }
        #expect(text.contains("BadCertificate"))
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
    }

    @Test func nobodyListeningEndsWithinItsFailures() throws {
        let bench = try PushBench { _ in [] }
        let configuration = try bench.configuration()
        _ = bench.server.stop()
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...2)])
        client.finish()
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        guard case .unreachable = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(ends.ends.values.allSatisfy { $0 == .notSent(.stopped) })
    }

    /// matthewpowell/pushnotify#3, jchambers/pushy#1093: an unknown authority is never trusted, and
    /// nothing is sent to it.
    @Test func anUntrustedServerGetsNothing() throws {
        let bench = try PushBench { _ in [.answer(200)] }
        var configuration = try bench.configuration()
        configuration.tls = try TLSContext.client(trust: .system, protocols: ["h2"])
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...2)])
        client.finish()
        client.join()
        let ends = bench.ends.state.withLock { $0 }
        guard case .untrusted = ends.failure else {
            Issue.record("no failure but \(String(describing: ends.failure))")
            return
        }
        #expect(bench.server.stop().visits.isEmpty)
    }

    /// golang/go#20985: retries count against the pace too.
    @Test func refusedRequestsDoNotBreakThePace() throws {
        let arrivals = Monitor<[Int64]>([])
        let bench = try PushBench { visit in
            arrivals.withLock { $0.append(MonotonicClock.nanoseconds()) }
            return visit.request % 2 == 0 ? [.reset(7)] : [.answer(200)]
        }
        let rate = try #require(Rate.perSecond(50))
        let (ends, _) = try bench.send(40) {
            $0.rate = rate
            $0.burst = 5
        }
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        let times = arrivals.withLock { $0.sorted() }
        for (index, start) in times.enumerated() {
            let inSecond = times[index...].prefix { $0 < start + 1_000_000_000 }.count
            #expect(inSecond <= 55)
        }
    }
}

extension PushEnd {
    fileprivate var isNotSent: Bool { if case .notSent = self { true } else { false } }
}
