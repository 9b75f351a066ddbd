import CampaignModel
import DocumentText
import DocumentTree
import Testing

/// Random damage to a valid campaign ends in a campaign or in diagnostics, never in a crash, and a
/// campaign that is accepted makes strict JSON.
@Suite struct CampaignFuzzTests {
    private static let file = """
        { campaign: sale, app: com.example.shop, environment: production,
          audience: { locales: [en, hu], registered_within: 180d, where: "a = 'b'" },
          message: { title: "Sale, {{ first_name | there }}", body: "Up to {{ user_id }} %",
            sound: default, badge: 0, priority: 10, expires_after: 12h, collapse: campaign,
            data: { url: "https://example.com", n: [1, .5, 0x1F, null, true, no] },
            translations: { hu: { title: Akció, data: { url: x } }, fr-CA: { body: "{{ a }}" } } },
          preflight: { probe: stale, stale_after: 14d, rate: 200, stop_if: { invalid: 20% } },
          send: { connections: 4, rate: 40 per minute, unconfirmed: resend,
            retry: { attempts: 4, within: 45m, delay: 15m } } }
        """
    private static let words = [
        "null", "0", "-1", "99999999999999999999", "NaN", "[]", "{}", "[{}]", "\"\"", "12h", "20%",
        "campaign", "title", "{{ a }}", "{{", "}}", "|", "é", "\u{1F600}", "aps", "rate", ":", ",",
        " ", "\"", "'", "}", "{", "]", "[", "\n",
    ]

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func damagedCampaignsEndInACampaignOrInDiagnostics(seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            var bytes = Array(Self.file.utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random) { damage(&bytes, &random) }
            check(bytes)
        }
    }

    private func check(_ bytes: [UInt8]) {
        let result = DocumentText.parse(bytes, file: "c").flatMap { root in
            CampaignReader.read(root, file: "c")
        }
        switch result {
        case .failure(let faults):
            #expect(faults.list.contains { $0.severity == .error })
        case .success(let checked):
            let plan = PayloadPlan(checked.value)
            for translation in plan.translations.indices {
                let values = plan.fields.map { _ in "\"}\\\u{1}é" as String? }
                let made = render(plan, translation: translation, values: values)
                guard case .rendered = made.result else { continue }
                #expect(StrictJSON.rootKeys(made.json)?.first == "aps", "\(made.json)")
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
        let word = Array((Self.words.randomElement(using: &random) ?? "").utf8)
        bytes.replaceSubrange(start..<end, with: Bool.random(using: &random) ? word : [])
    }
}
