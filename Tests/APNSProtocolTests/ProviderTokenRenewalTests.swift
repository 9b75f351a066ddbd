import APNSProtocol
import Testing

@Suite struct ProviderTokenRenewalTests {
    private static let minute: Int64 = 60 * 1_000_000_000

    private func token(_ number: UInt8, at nanoseconds: Int64 = 0) -> ProviderToken {
        ProviderToken(jwt: [number], issuedAtSeconds: 0, issuedAtNanoseconds: nanoseconds)
    }

    // After an hour every send failed until a restart: Pr0Ger/PyAPNs2#113, node-apn/node-apn#496,
    // edamov/pushok#92. One new token has to be made, and one only.
    @Test func manyRefusalsOfOneTokenLeadToOneNewToken() {
        var renewal = ProviderTokenRenewal()
        let (old, new) = (token(1), token(2, at: 5 * Self.minute))
        let now = 5 * Self.minute
        #expect(renewal.expired(old, current: old, nowNanoseconds: now) == .renew)
        for late in 0..<100 {
            let action = renewal.expired(old, current: new, nowNanoseconds: now + Int64(late))
            #expect(action == .sendAgain)
        }
    }

    @Test(
        arguments: [
            (0, ExpiredTokenAction.stop), (20 * minute - 1, .stop), (20 * minute, .renew),
            (20 * minute + 1, .renew),
        ] as [(Int64, ExpiredTokenAction)])
    func aNewTokenThatIsRefusedSoonStopsTheRun(_ later: Int64, _ action: ExpiredTokenAction) {
        var renewal = ProviderTokenRenewal()
        #expect(renewal.expired(token(1), current: token(1), nowNanoseconds: 9) == .renew)
        let second = renewal.expired(token(2), current: token(2), nowNanoseconds: 9 + later)
        #expect(second == action)
    }
}
