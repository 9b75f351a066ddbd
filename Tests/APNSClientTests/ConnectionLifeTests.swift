import Testing

@testable import APNSClient

private let second: Int64 = 1_000_000_000

@Suite struct ConnectionLifeTests {
    private func ready(at now: Int64 = 0) -> ConnectionLife {
        var life = ConnectionLife(limits: ConnectionLimits(), firstOpeningNanoseconds: 0)
        _ = life.step(nowNanoseconds: now, openRequests: 0, hasWork: true)
        life.opened(nowNanoseconds: now)
        life.settled(nowNanoseconds: now)
        return life
    }

    @Test func opensOnlyWhenThereIsWorkAndTheTimeHasCome() {
        var life = ConnectionLife(limits: ConnectionLimits(), firstOpeningNanoseconds: 5 * second)
        #expect(life.step(nowNanoseconds: 5 * second, openRequests: 0, hasWork: false) == .nothing)
        #expect(
            life.step(nowNanoseconds: 5 * second - 1, openRequests: 0, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: 5 * second, openRequests: 0, hasWork: true) == .open)
        #expect(life.isOpening)
    }

    /// chvanikoff/apns4ex#23, jchambers/pushy#885: a port that is open but silent must not hold a
    /// sender for ever.
    @Test func aSilentPortIsGivenUpAtTheOpeningDeadline() {
        var life = ConnectionLife(limits: ConnectionLimits(), firstOpeningNanoseconds: 0)
        _ = life.step(nowNanoseconds: 0, openRequests: 0, hasWork: true)
        let deadline = ConnectionLimits().openingNanoseconds
        #expect(life.step(nowNanoseconds: deadline - 1, openRequests: 0, hasWork: true) == .nothing)
        guard case .abort = life.step(nowNanoseconds: deadline, openRequests: 0, hasWork: true)
        else {
            Issue.record("the opening has no end")
            return
        }
    }

    /// jchambers/pushy#885: an address that drops packets has a shorter deadline than the opening.
    @Test func anAddressIsLeftBeforeTheOpeningEnds() {
        let limits = ConnectionLimits()
        var life = ConnectionLife(limits: limits, firstOpeningNanoseconds: 0)
        _ = life.step(nowNanoseconds: 0, openRequests: 0, hasWork: true)
        life.connecting(nowNanoseconds: second)
        let first = second + limits.connectingNanoseconds
        #expect(life.nextNanoseconds(hasWork: true, openRequests: 0) == first)
        #expect(life.step(nowNanoseconds: first - 1, openRequests: 0, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: first, openRequests: 0, hasWork: true) == .leaveAddress)
        #expect(life.step(nowNanoseconds: first, openRequests: 0, hasWork: true) == .nothing)
        life.connecting(nowNanoseconds: first)
        life.connected()
        let end = limits.openingNanoseconds
        #expect(life.nextNanoseconds(hasWork: true, openRequests: 0) == end)
        #expect(life.step(nowNanoseconds: end - 1, openRequests: 0, hasWork: true) == .nothing)
        guard case .abort = life.step(nowNanoseconds: end, openRequests: 0, hasWork: true) else {
            Issue.record("the opening has no end")
            return
        }
    }

    @Test func aServerWithoutSettingsIsGivenUp() {
        var life = ConnectionLife(limits: ConnectionLimits(), firstOpeningNanoseconds: 0)
        _ = life.step(nowNanoseconds: 0, openRequests: 0, hasWork: true)
        life.opened(nowNanoseconds: second)
        #expect(!life.isReady)
        let deadline = second + ConnectionLimits().settlingNanoseconds
        #expect(life.step(nowNanoseconds: deadline - 1, openRequests: 0, hasWork: true) == .nothing)
        guard case .abort = life.step(nowNanoseconds: deadline, openRequests: 0, hasWork: true)
        else {
            Issue.record("the wait for SETTINGS has no end")
            return
        }
    }

    @Test func settingsMakeItReady() {
        #expect(ready().isReady)
    }

    /// amphp/http-client#276, jchambers/pushy#312: closing at once after GOAWAY loses answers that
    /// are still coming.
    @Test func aDrainingConnectionWaitsForItsOpenRequests() {
        var life = ready()
        life.drain(nowNanoseconds: second)
        #expect(!life.isReady)
        #expect(life.step(nowNanoseconds: 2 * second, openRequests: 3, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: 3 * second, openRequests: 0, hasWork: true) == .close)
    }

    @Test func drainingEndsAtItsDeadlineAndASecondGoAwayDoesNotMoveIt() {
        var life = ready()
        life.drain(nowNanoseconds: second)
        life.drain(nowNanoseconds: 20 * second)
        let deadline = second + ConnectionLimits().drainNanoseconds
        #expect(
            life.step(nowNanoseconds: deadline - 1, openRequests: 1, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: deadline, openRequests: 1, hasWork: true) == .close)
    }

    /// sideshow/apns2#209, rpush/rpush#607: a half-dead connection swallows requests until somebody
    /// asks whether it still lives.
    @Test func silenceWithOpenRequestsIsAskedAboutOnceAndThenEnds() {
        let limits = ConnectionLimits()
        var life = ready(at: second)
        let due = second + limits.silenceNanoseconds
        #expect(life.silence(nowNanoseconds: due - 1, openRequests: 1) == .none)
        #expect(life.silence(nowNanoseconds: due, openRequests: 0) == .none)
        #expect(life.silence(nowNanoseconds: due, openRequests: 1) == .pingDue)
        #expect(life.silence(nowNanoseconds: due + 1, openRequests: 1) == .none)
        let end = due + limits.pingTimeoutNanoseconds
        #expect(life.silence(nowNanoseconds: end - 1, openRequests: 1) == .none)
        #expect(life.silence(nowNanoseconds: end, openRequests: 1) == .dead)
    }

    /// codedge-llc/pigeon#92, golang/go#76296: servers close on clients that ping too often.
    @Test func whatIsHeardPutsThePingOff() {
        let limits = ConnectionLimits()
        var life = ready(at: 0)
        life.heard(nowNanoseconds: limits.silenceNanoseconds - 1)
        #expect(life.silence(nowNanoseconds: limits.silenceNanoseconds, openRequests: 1) == .none)
    }

    /// node-apn/node-apn#449, pigeon#12: what idles is dropped by firewalls without a word, so the
    /// next request must not go out on it.
    @Test func anIdleConnectionIsClosedInTime() {
        let idle = ConnectionLimits().idleNanoseconds
        var life = ready(at: second)
        #expect(
            life.step(nowNanoseconds: second + idle - 1, openRequests: 0, hasWork: true) == .nothing
        )
        #expect(
            life.step(nowNanoseconds: second + idle, openRequests: 1, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: second + idle, openRequests: 0, hasWork: true) == .close)
        #expect(life.nextNanoseconds(hasWork: false, openRequests: 0) == second + idle)
    }

    @Test func aClosedConnectionRestsOrEnds() {
        var life = ready()
        life.closed(reopenNanoseconds: 7 * second)
        #expect(
            life.step(nowNanoseconds: 7 * second - 1, openRequests: 0, hasWork: true) == .nothing)
        #expect(life.step(nowNanoseconds: 7 * second, openRequests: 0, hasWork: true) == .open)
        life.closed(reopenNanoseconds: nil)
        #expect(life.step(nowNanoseconds: 99 * second, openRequests: 0, hasWork: true) == .nothing)
        #expect(!life.hasSocket)
    }
}
