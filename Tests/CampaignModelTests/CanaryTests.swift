import CampaignModel
import DocumentTree
import Testing

@Suite struct CanaryTests {
    @Test(arguments: [(0, 0), (2000, 0), (2001, 500), (10_000_000, 500)])
    func withoutAWordTheAudienceDecides(audience: Int, count: Int) {
        #expect(Canary().ordinals(audience: audience).count == count)
    }

    @Test(arguments: [(0, 100, 0), (99, 100, 99), (100, 100, 0), (101, 100, 0), (1, 2, 1)])
    func aCanaryIsNeverEverybody(recipients: Int, audience: Int, count: Int) {
        #expect(Canary(recipients: recipients).ordinals(audience: audience).count == count)
    }

    @Test(arguments: [(500, 2001), (500, 10_000_000), (7, 9), (10_000, 2_000_000_000)])
    func itLiesEvenlyOverTheAudience(recipients: Int, audience: Int) {
        let ordinals = Canary(recipients: recipients).ordinals(audience: audience)
        #expect(ordinals.count == recipients)
        #expect(ordinals.first == 1)
        let step = audience / recipients
        for (earlier, later) in zip(ordinals, ordinals.dropFirst()) {
            #expect((step...step + 1).contains(Int(later - earlier)))
        }
        #expect(Int(ordinals.last ?? 0) > audience - step - 2)
        #expect(Int(ordinals.last ?? 0) <= audience)
    }

    @Test func unknownFieldsAreRefused() {
        let errors = errors(campaignText(more: "send: { canary: { recipient: 5 } }"))
        #expect(errors.count == 1)
        #expect(errors.first?.message.contains("did you mean \"recipients\"?") == true)
        let gone = stopErrors("gone: 5%")
        #expect(gone.contains("\"gone\" belongs in \"preflight.stop_if\""), "\(gone)")
        #expect(stopErrors("unknwon: 5%").contains("did you mean \"unknown\"?"))
    }

    private func stopErrors(_ rule: String) -> String {
        errors(campaignText(more: "send: { stop_if: { \(rule) } }")).map(\.message)
            .joined(separator: "; ")
    }
}
