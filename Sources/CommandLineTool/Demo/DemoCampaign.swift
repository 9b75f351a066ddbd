/// The campaign that the demo sends. `Campaigns/demo.json` is the same text, for people to read; it
/// is kept here too so that the program needs no files.
enum DemoCampaign {
    static let app = "com.example.shop"
    static let fileName = "demo.json"
    /// The preflight's rate in the text.
    static let preflightRatePerSecond = 1000.0
    /// What a connection of either may send at once beyond its rate.
    static let burst = 100

    /// The campaign file with another pace for the main send.
    static func text(ratePerSecond: Double) -> String {
        let rate =
            ratePerSecond == ratePerSecond.rounded()
            ? String(Int64(ratePerSecond)) : String(ratePerSecond)
        return text.replacing("rate: 1500", with: "rate: \(rate)")
    }

    static let text = """
        # The campaign of "sortie demo": a weekend sale for the users of an example shop.
        {
          campaign: demo,
          app: com.example.shop,
          environment: production,

          message: {
            title: "Weekend sale, {{ first_name | there }}",
            body: "Up to 40% off in {{ city }} until Sunday.",
            sound: default,
            priority: 5,
            expires_after: 12h,
            data: { url: "https://example.com/sale" },
            translations: {
              de: { title: "Wochenend-Sale, {{ first_name | hallo }}",
                    body: "Bis zu 40 % Rabatt in {{ city }}, nur bis Sonntag." },
              hu: { title: "Hétvégi akció, {{ first_name | kedves vásárló }}",
                    body: "Akár 40% kedvezmény vasárnapig: {{ city }}." },
              id: { title: "Obral akhir pekan, {{ first_name | teman }}",
                    body: "Diskon hingga 40% di {{ city }} sampai Minggu." },
            },
          },

          # Ask APNs about the tokens that were not heard of for two weeks, and drop the dead ones.
          preflight: {
            probe: stale,
            stale_after: 14d,
            connections: 1,
            rate: 1000,
            burst: 100,
            stop_if: { invalid: 20%, gone: 60% },
          },

          send: {
            connections: 4,
            rate: 1500,             # requests per second on each connection
            burst: 100,
            request_timeout: 5s,    # no answer by then: unknown
            unconfirmed: keep,      # and never sent again
          },
        }

        """
}
