/// The campaign of a round, and the sizes that bound the doubt in it.
struct CrashCampaign: Sendable {
    static let app = "com.example.shop"
    static let connections = 2
    static let inFlightMax = 100

    let rule: CrashOptions.Unconfirmed
    /// Requests per second of each connection.
    let rate: Int
    let canary: Int
    /// For all workers together; nil: no limit.
    var maxRate: Int?

    /// The campaign file.
    var text: String {
        let collapse = rule == .resend ? ", collapse: campaign" : ""
        let limit = maxRate.map { ", max_rate: \($0)" } ?? ""
        return """
            {
            campaign: crash, app: \(Self.app), environment: production,
            message: { title: "Crash test", body: "One of many.", sound: default\(collapse) },
            preflight: { probe: none },
            send: { connections: \(Self.connections), rate: \(rate), burst: 50\(limit),
                max_in_flight: \(Self.inFlightMax), unconfirmed: \(rule.rawValue),
                canary: { recipients: \(canary) }, retry: { attempts: 10, delay: 0s },
                stop_if: { invalid: 100%, unknown: 100%, errors: 100% } },
            }

            """
    }

    /// Recipients that one worker can leave in doubt, at most.
    ///
    /// The window holds a quarter of a second of sending. While a transaction is on its way nothing
    /// further is announced, so outcomes that gather meanwhile were in the window or on the wire
    /// when it began; it carries what gathered during the one before, or as many as make a
    /// transaction worth it.
    func doubtMax(tuning: Tuning) -> Int {
        let perSecond = rate * Self.connections
        let window = min(max(perSecond / 4, 20), tuning.windowMax)
        let open = window + Self.connections * Self.inFlightMax
        return open + max(tuning.batchRows, open)
    }

    /// What the configuration says of the record protocol.
    struct Tuning: Sendable {
        let leaseSeconds = 4
        let windowMax = 8_000
        let batchRows = 500
        /// Small, so that every worker has some in turn.
        let sliceSize: Int

        /// Sizes for so many recipients.
        init(recipients: Int) { sliceSize = max(100, recipients / 10) }

        /// The configuration's field.
        var text: String {
            """
            "tuning": { "lease": "\(leaseSeconds)s", "window": \(windowMax), \
            "batch": \(batchRows), "slice": \(sliceSize) }
            """
        }
    }
}
