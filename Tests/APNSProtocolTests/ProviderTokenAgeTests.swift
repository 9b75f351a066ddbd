import APNSProtocol
import Testing

@Suite struct ProviderTokenAgeTests {
    private static let minute: Int64 = 60 * 1_000_000_000

    // A timer that ran from the start of the program, not from the making of the token, renewed
    // too early: AndrewBarba/apns2#44. Age counts from the token itself.
    @Test(
        arguments: [
            (0, false, false, true), (20 * minute - 1, false, false, true),
            (20 * minute, true, false, true), (20 * minute + 1, true, false, true),
            (45 * minute - 1, true, false, true), (45 * minute, true, true, true),
            (45 * minute + 1, true, true, true), (60 * minute - 1, true, true, true),
            (60 * minute, true, true, false), (60 * minute + 1, true, true, false),
        ] as [(Int64, Bool, Bool, Bool)])
    func theAgeDecides(_ age: Int64, _ isAllowed: Bool, _ isDue: Bool, _ isUsable: Bool) {
        for issued in [Int64(0), 5_000_000_000_000, -3_000_000_000_000] {
            let token = ProviderToken(
                jwt: [1], issuedAtSeconds: 1_794_268_800, issuedAtNanoseconds: issued)
            let now = issued + age
            #expect(ProviderTokenAge.isRenewalAllowed(token, nowNanoseconds: now) == isAllowed)
            #expect(ProviderTokenAge.isRenewalDue(token, nowNanoseconds: now) == isDue)
            #expect(ProviderTokenAge.isUsable(token, nowNanoseconds: now) == isUsable)
        }
    }
}
