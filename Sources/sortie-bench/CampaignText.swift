/// The campaign file of a case.
struct CampaignText {
    /// Bytes of a payload as `BenchCase.Shape.large` has it; Apple takes 4,096.
    static let largeBytes = 4_000

    let shape: BenchCase.Shape
    let connections: Int
    let streams: Int
    /// `unlimited`, or a number per second for each connection.
    var rate = "unlimited"
    var burst = 10_000
    /// Only the first so many devices; nil: all.
    var recipients: Int?

    /// The file, named after what is in it: a run of the same name and text goes on with it.
    var text: String {
        var parts = [
            "campaign: bench", "app: \(BenchDatabase.app)", "environment: production",
            "message: \(message)", "preflight: \(preflight)",
            """
            send: { connections: \(connections), rate: \(rate), burst: \(burst),
                max_in_flight: \(streams), canary: { recipients: 0 }, unconfirmed: keep }
            """,
        ]
        if let recipients { parts.append("audience: { where: \"d.id <= \(recipients)\" }") }
        return "{\n" + parts.joined(separator: ",\n") + ",\n}\n"
    }

    private var preflight: String {
        guard case .dead = shape else { return "{ probe: none }" }
        return """
            { probe: all, rate: unlimited, burst: 10000, connections: \(connections),
                stop_if: { gone: 100%, invalid: 100% } }
            """
    }

    private var message: String {
        switch shape {
        case .plain, .dead:
            return """
                { title: "Weekend sale", body: "Up to 40% off until Sunday, in every shop and \
                online. See what is new.", sound: default, priority: 5, expires_after: 12h,
                    data: { url: "https://shop.example.com/sale/weekend", screen: sale } }
                """
        case .large:
            let body = String(repeating: "All the news. ", count: Self.largeBytes / 14)
            return "{ title: \"Weekend sale\", body: \"\(body)\", sound: default }"
        case .personal:
            return """
                { title: "Weekend sale, {{ first_name | there }}",
                  body: "Up to 40% off until Sunday.",
                  sound: default, priority: 5, expires_after: 12h,
                  data: { url: "https://shop.example.com/sale/weekend", user: "{{ user_id }}" },
                  translations: { \(translations) } }
                """
        }
    }

    private var translations: String {
        [
            ("hu", "Hétvégi akció, {{ first_name | kedves vásárló }}", "Vasárnapig 40% engedmény."),
            ("id", "Obral akhir pekan, {{ first_name | kawan }}", "Diskon 40% hingga Minggu."),
            ("de", "Ausverkauf, {{ first_name | hallo }}", "Bis Sonntag 40% billiger."),
            ("fr", "Soldes, {{ first_name | bonjour }}", "40% de remise jusqu'à dimanche."),
            ("ja", "週末セール、{{ first_name | お客様 }}", "日曜日まで最大40%オフ。"),
        ].map { language, title, body in
            "\(language): { title: \"\(title)\", body: \"\(body)\" }"
        }.joined(separator: ", ")
    }
}
