import SendPolicy
import Testing

@Suite struct StreamWindowTests {
    // With a provider token APNs allows one stream until it has checked it; clients that assumed
    // more were refused. It lowers the limit after errors, and pauses with 0
    // (jchambers/pushy#476, akka/akka-http#774).
    @Test func nothingIsOpenedBeforeSettings() {
        let window = StreamWindow(ownMax: 100, tokenAuthenticated: true)
        #expect(window.limit == 0)
        #expect(window.freeSlots(open: 0) == 0)
        #expect(StreamWindow(ownMax: 100, tokenAuthenticated: false).limit == 0)
    }

    @Test func oneRequestGoesFirstThenMany() {
        var window = StreamWindow(ownMax: 100, tokenAuthenticated: true)
        window.peerAllows(1000)
        #expect(window.freeSlots(open: 0) == 1)
        #expect(window.freeSlots(open: 1) == 0)
        window.answeredWell()
        #expect(window.freeSlots(open: 0) == 100)
        #expect(window.freeSlots(open: 1) == 99)
    }

    @Test func anAnswerMayComeBeforeTheLimitIsRaised() {
        var window = StreamWindow(ownMax: 100, tokenAuthenticated: true)
        window.peerAllows(1)
        window.answeredWell()
        #expect(window.limit == 1)
        window.peerAllows(1000)
        #expect(window.limit == 100)
    }

    @Test func aCertificateNeedsNoFirstAnswer() {
        var window = StreamWindow(ownMax: 100, tokenAuthenticated: false)
        window.peerAllows(1000)
        #expect(window.limit == 100)
    }

    @Test(
        arguments: [
            (0, 0), (1, 1), (2, 2), (99, 99), (100, 100), (101, 100), (1000, 100), (.max, 100),
        ] as [(UInt32, Int)])
    func theSmallerLimitCounts(_ peer: UInt32, _ limit: Int) {
        var window = StreamWindow(ownMax: 100, tokenAuthenticated: true)
        window.answeredWell()
        window.peerAllows(peer)
        #expect(window.limit == limit)
    }

    @Test(arguments: [(0, 50), (1, 49), (49, 1), (50, 0), (51, 0), (1000, 0)])
    func freeSlotsNeverFallBelowNone(_ open: Int, _ free: Int) {
        var window = StreamWindow(ownMax: 100, tokenAuthenticated: false)
        window.peerAllows(50)
        #expect(window.freeSlots(open: open) == free)
    }

    @Test func theLimitMayFallToNothingAndComeBack() {
        var window = StreamWindow(ownMax: 10, tokenAuthenticated: false)
        for (peer, limit) in [(1000, 10), (1, 1), (1000, 10), (0, 0), (1, 1)] as [(UInt32, Int)] {
            window.peerAllows(peer)
            #expect(window.limit == limit)
        }
    }
}
