import APNSProtocol
import LinuxIO
import TLS
import Testing

@testable import APNSClient

/// A source that a test fills.
private final class ScriptedSource: ProviderTokenSource, Sendable {
    struct Trouble: Error {}
    struct State: Sendable {
        var answers: [SharedProviderToken?] = []
        var isDown = false
        var asked: [(held: [UInt8]?, isRefused: Bool)] = []
    }
    let state = Monitor(State())

    func exchange(
        _ request: ProviderTokenRequest
    ) throws(Trouble) -> SharedProviderToken? {
        try state.withLock { (state) throws(Trouble) -> SharedProviderToken? in
            if state.isDown { throw Trouble() }
            state.asked.append((request.held?.jwt, request.isRefused))
            return state.answers.removeFirst()
        }
    }
}

private func token(_ byte: UInt8) -> SharedProviderToken {
    SharedProviderToken(jwt: [byte], issuedAtSeconds: 1, issuedAtNanoseconds: 0)
}

private func credential(isShared: Bool) throws -> ProviderCredential {
    ProviderCredential(
        key: try SigningKey(pem: SigningKey.generate().privatePEM, source: "test key"),
        identity: ProviderIdentity(keyID: "K1K1K1K1K1", teamID: "T2T2T2T2T2"),
        isShared: isShared)
}

private let hour: Int64 = 3_600_000_000_000

@Suite struct ProviderCredentialTests {
    /// Finb/bark-server#76: the wall clock is set back by two hours; age is told by another one.
    @Test func anOwnTokenIsRenewedByMonotonicTimeWhateverTheWallClockSays() throws {
        let credential = try credential(isShared: false)
        let wall: Int64 = 1_800_000_000_000_000
        let first = try credential.current(nowNanoseconds: 0, nowMicroseconds: wall)
        let back = wall - 2 * 3_600_000_000
        let young = try credential.current(
            nowNanoseconds: hour / 2, nowMicroseconds: back)
        #expect(young.number == first.number)
        let second = try credential.current(nowNanoseconds: hour, nowMicroseconds: back)
        #expect(second.number == 2)
        #expect(second.token.issuedAtSeconds == back / 1_000_000)
    }

    @Test func aSharedTokenIsUsedUntilTheSourceGivesAnother() throws {
        let credential = try credential(isShared: true)
        let source = ScriptedSource()
        source.state.withLock { $0.answers = [token(1), token(1), token(2)] }
        try credential.refresh(from: source)
        try credential.refresh(from: source)
        #expect(try credential.current(nowNanoseconds: hour, nowMicroseconds: 0).number == 1)
        try credential.refresh(from: source)
        let current = try credential.current(nowNanoseconds: 0, nowMicroseconds: 0)
        #expect(current.number == 2 && current.token.jwt == [2])
        #expect(source.state.withLock { $0.asked.map(\.held) } == [nil, [1], [1]])
    }

    @Test func aSourceThatIsDownLeavesTheTokenInUse() throws {
        let credential = try credential(isShared: true)
        let source = ScriptedSource()
        source.state.withLock { $0.answers = [token(1)] }
        try credential.refresh(from: source)
        source.state.withLock { $0.isDown = true }
        #expect(throws: ScriptedSource.Trouble.self) { try credential.refresh(from: source) }
        #expect(try credential.current(nowNanoseconds: 0, nowMicroseconds: 0).number == 1)
    }

    @Test func aRefusedSharedTokenIsPendingUntilItIsReplaced() throws {
        let credential = try credential(isShared: true)
        let source = ScriptedSource()
        source.state.withLock { $0.answers = [token(1), token(2)] }
        try credential.refresh(from: source)
        for _ in 1...2 { #expect(try credential.replaced(1) == "pending") }
        #expect(credential.waitForRefusal(untilNanoseconds: 0, isOver: { false }))
        try credential.refresh(from: source)
        #expect(try credential.replaced(1) == "token 2")
        #expect(!credential.waitForRefusal(untilNanoseconds: 0, isOver: { false }))
        #expect(source.state.withLock { $0.asked.map(\.isRefused) } == [false, true])
    }

    @Test func aReplacementThatIsRefusedTooIsGivenUp() throws {
        let credential = try credential(isShared: true)
        let source = ScriptedSource()
        source.state.withLock { $0.answers = [token(1), nil] }
        try credential.refresh(from: source)
        #expect(try credential.replaced(1) == "pending")
        try credential.refresh(from: source)
        #expect(try credential.replaced(1) == "none")
    }
}

extension ProviderCredential {
    fileprivate func replaced(_ number: Int) throws -> String {
        switch try replacement(forExpired: number, nowNanoseconds: 0, nowMicroseconds: 0) {
        case .token(let token): "token \(token.number)"
        case .pending: "pending"
        case .none: "none"
        }
    }
}

@Suite struct SharedTokenLoopTests {
    /// Pr0Ger/PyAPNs2#113, node-apn/node-apn#496: the token expires in the middle, and another
    /// thread brings the next one.
    @Test(arguments: [true, false])
    func theLoopWaitsForAReplacementWithoutBlockingAndGoesOn(isCure: Bool) throws {
        let bench = try PushBench(streams: 10) { visit in
            let isOld = visit.fields["authorization"] == "bearer 1"
            return isOld && visit.request > 30
                ? [.answer(403, #"{"reason":"ExpiredProviderToken"}"#)] : [.answer(200)]
        }
        let credential = try credential(isShared: true)
        let source = ScriptedSource()
        let answers = [
            SharedProviderToken(jwt: [0x31], issuedAtSeconds: 1, issuedAtNanoseconds: 0),
            isCure
                ? SharedProviderToken(jwt: [0x32], issuedAtSeconds: 2, issuedAtNanoseconds: 0)
                : nil,
        ]
        source.state.withLock { $0.answers = answers }
        try credential.refresh(from: source)
        var configuration = try bench.configuration()
        configuration.credential = credential
        configuration.connections = 2
        let client = try PushClient(configuration: configuration, delegate: bench.ends)
        client.submit([PushBench.batch(1...100)])
        client.finish()
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        #expect(credential.waitForRefusal(untilNanoseconds: deadline, isOver: { false }))
        try credential.refresh(from: source)
        client.wake()
        client.join()
        let (ends, log) = (bench.ends.state.withLock { $0 }, bench.server.stop())
        #expect(ends.ends.count == 100 && ends.doubled == 0)
        #expect(log.accepted.values.allSatisfy { $0 == 1 })
        #expect((ends.failure == nil) == isCure)
        if isCure {
            #expect(ends.ends.values.allSatisfy { $0 == .judged(.accepted) })
            #expect(ends.notes.contains { $0.kind == .tokenRenewed })
        } else {
            #expect(ends.ends.values.contains(.notSent(.stopped)))
        }
    }
}
