import APNSProtocol
import LinuxIO
import SendPolicy
import Testing

@testable import APNSClient

/// Answers whose form is not the usual one.
@Suite struct OddAnswerTests {
    private static func answering(
        _ status: Int, fields: [(String, String)]
    ) -> FrameServer.Script {
        { event, peer in
            switch event {
            case .opened: peer.send([RawFrame.settings([(3, 10)])])
            case .frame(let frame)
            where frame.kind == .data && frame.flags & RawFrame.endStream != 0:
                peer.send([RawFrame.answer(frame.streamID, status, fields: fields)])
            default: break
            }
        }
    }

    /// Pr0Ger/PyAPNs2#146, AndrewBarba/apns2#95, jchambers/pushy#559: the answer's id comes in
    /// upper case, not at all, or is none. Answers belong to requests by their stream, never by the
    /// id.
    @Test(arguments: [
        ("0F5C1C9A-3B62-4D0E-8A47-5F1D2E3C4B5A", true),
        ("0f5c1c9a-3b62-4d0e-8a47-5f1d2e3c4b5a", true),
        ("not-a-uuid", false),
        ("", false),
        ("0f5c1c9a3b624d0e8a475f1d2e3c4b5a", false),
    ])
    func anOddAPNSIDChangesNoOutcome(id: String, isKept: Bool) throws {
        let bench = try FrameBench(script: Self.answering(200, fields: [("apns-id", id)]))
        let (ends, _) = try bench.send(3)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        let bytes = Array(id.utf8)
        let expected = APNSID(reading: bytes.span) ?? .none
        #expect(ends.answers[2]?.apnsID == expected)
        #expect((expected != .none) == isKept)
    }

    /// matrix-org/sygnal#304: unknown fields of a gateway do not disturb, nor does a missing id.
    @Test func aMissingAPNSIDChangesNoOutcome() throws {
        let fields = [("server", "proxy"), ("retry-after", "soon"), ("x-empty", "")]
        let bench = try FrameBench(script: Self.answering(200, fields: fields))
        let (ends, _) = try bench.send(3)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
        #expect(ends.answers[1]?.apnsID == APNSID.none)
    }

    /// Pr0Ger/PyAPNs2#61, jazzband/django-push-notifications#650: a 410 without a time, with a text
    /// in its place, with zero, with a fraction, or without any body is a 410 all the same.
    @Test(
        arguments: [
            (#"{"reason":"Unregistered"}"#, 0),
            (#"{"reason":"Unregistered","timestamp":0}"#, 0),
            (#"{"reason":"Unregistered","timestamp":null}"#, 0),
            (#"{"reason":"Unregistered","timestamp":{}}"#, 0),
            (#"{"reason":"Unregistered","timestamp":99999999999999999999999}"#, 0),
            (#"{"timestamp":1794268800123,"reason":"Unregistered"}"#, 1_794_268_800_123),
            ("", 0),
            ("[]", 0),
            ("{", 0),
        ] as [(String, Int64)])
    func a410CountsWhateverItsTime(body: String, timestamp: Int64) throws {
        let bench = try PushBench { _ in [.answer(410, body)] }
        let (ends, _) = try bench.send(1)
        #expect(ends.ends[1] == .judged(.rejectedToken(kind: .gone)))
        #expect(ends.answers[1]?.timestampMilliseconds == timestamp)
    }

    /// A time in other answers than 410 has no meaning (Apple, "Handling notification responses
    /// from APNs").
    @Test func aTimeBelongsTo410Only() throws {
        let bench = try PushBench { _ in
            [.answer(400, #"{"reason":"BadDeviceToken","timestamp":1794268800123}"#)]
        }
        let (ends, _) = try bench.send(1)
        #expect(ends.answers[1]?.timestampMilliseconds == 0)
    }

    /// andrei-m-code/net-core-push-notifications#79, dcai/airnotifier#116: a reason that is no
    /// text.
    @Test(arguments: [#"{"reason":5}"#, #"{"reason":null}"#, "{}", #"{"reason":""}"#])
    func aReasonThatIsNoTextIsJudgedByTheStatus(body: String) throws {
        let bench = try PushBench { _ in [.answer(400, body)] }
        let (ends, _) = try bench.send(2)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.rejected) })
    }

    /// expo/expo#20829: an answer of five megabytes is read to its end and not kept.
    @Test func aHugeBodyIsDroppedAsItComes() throws {
        let huge = String(repeating: "x", count: 5_000_000)
        let bench = try PushBench { visit in
            visit.request == 2 ? [.answer(500, huge)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(20)
        #expect(ends.ends.count == 20)
        #expect(ends.ends.values.count { $0 == .judged(.retryLater) } == 1)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 19)
        #expect(log.connections == 1)
    }

    /// The body of a 200 says nothing and is not looked at.
    @Test func aHugeBodyOf200IsAccepted() throws {
        let bench = try PushBench { _ in [.answer(200, String(repeating: "{", count: 300_000))] }
        let (ends, _) = try bench.send(5)
        #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
    }

    /// rpush/rpush#276, adobkin/php-apn#7: bad tokens first, in the middle and last stop nobody
    /// else.
    @Test func badTokensDoNotStopTheRest() throws {
        let bad = Set([PushBench.token(1), PushBench.token(50), PushBench.token(100)])
        let bench = try PushBench { visit in
            bad.contains(visit.token)
                ? [.answer(400, #"{"reason":"BadDeviceToken"}"#)] : [.answer(200)]
        }
        let (ends, log) = try bench.send(100)
        #expect(ends.ends.values.count { $0 == .judged(.accepted) } == 97)
        #expect(log.visits.count == 100)
    }

    /// appleboy/gorush#420, appleboy/gorush#507 and Apple's "Handling notification responses from
    /// APNs": what must never be retried has one attempt.
    @Test(arguments: [
        (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (403, "Forbidden"),
        (410, "ExpiredToken"), (410, "Unregistered"), (413, "PayloadTooLarge"),
    ])
    func whatCannotSucceedIsTriedOnce(status: Int, reason: String) throws {
        let bench = try PushBench { _ in [.answer(status, #"{"reason":"\#(reason)"}"#)] }
        let (ends, log) = try bench.send(1)
        #expect(ends.ends.count == 1)
        #expect(log.visits.count == 1)
    }
}
