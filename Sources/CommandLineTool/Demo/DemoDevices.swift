internal import APNSSimulator

/// Example devices as a CSV file, made so that the demo meets what real tables have.
///
/// The simulator decides a token's fate from its digits alone. The same fates are computed here, so
/// that the rest of a row fits: a dead token was last registered before its death, except for the
/// few that the app registered again since, which must survive every pruning.
struct DemoDevices {
    /// What the file holds.
    struct Made {
        var csv: [UInt8]
        /// Users whose token was registered again after APNs began to call it dead.
        var registeredAgain: Set<String> = []
    }

    /// Shares of tokens that do not simply work. Of the dead ones one in seven was registered
    /// again.
    static let shares = TokenShares(dead: 0.07, otherEnvironment: 0.005, ignored: 0.0002)
    /// One in this many dead tokens was registered again.
    private static let registeredAgainOneIn = 7
    private static let daySeconds: Int64 = 86_400

    /// Users who share a language and a place.
    private struct Market {
        let locale: String
        let timeZone: String
        let names: [String]
        let cities: [String]
    }

    private static let markets = [
        Market(
            locale: "en", timeZone: "America/New_York", names: ["Alice", "Ben", "Grace", "Henry"],
            cities: ["Boston", "Chicago"]),
        Market(
            locale: "en", timeZone: "America/Los_Angeles", names: ["Emma", "Jack", "Olivia"],
            cities: ["Seattle", "Portland"]),
        Market(
            locale: "en-GB", timeZone: "Europe/London", names: ["Amelia", "George", "Isla"],
            cities: ["Leeds", "York"]),
        Market(
            locale: "hu", timeZone: "Europe/Budapest", names: ["Anna", "Bence", "Réka", "Zoltán"],
            cities: ["Budapest", "Pécs"]),
        Market(
            locale: "id", timeZone: "Asia/Jakarta", names: ["Budi", "Dewi", "Putri"],
            cities: ["Jakarta", "Bandung"]),
        Market(
            locale: "de-AT", timeZone: "Europe/Vienna", names: ["Jürgen", "Lena", "Mia"],
            cities: ["Graz", "Wien"]),
        Market(
            locale: "fr-CA", timeZone: "America/Toronto", names: ["Chloé", "Noël"],
            cities: ["Montréal", "Québec"]),
    ]

    let fates: TokenFates
    /// The present, in seconds since 1970 UTC.
    let nowSeconds: Int64
    private var random: DemoRandom

    init(fates: TokenFates, nowSeconds: Int64) {
        self.fates = fates
        self.nowSeconds = nowSeconds
        random = DemoRandom(seed: fates.seed)
    }

    /// Makes `count` devices. Costs about 140 bytes of memory for each.
    mutating func make(count: Int) -> Made {
        var made = Made(csv: [])
        made.csv.reserveCapacity(count * 140)
        made.csv += Array(
            "token,user_id,locale,time_zone,os_version,model,app_version,registered_at,"
                .utf8)
        made.csv += Array("first_name,city,plan\r\n".utf8)
        for number in 1...count { appendRow(number, to: &made) }
        return made
    }

    private mutating func appendRow(_ number: Int, to made: inout Made) {
        let token = makeToken()
        let (registered, isAgain) = registration(of: fates.fate(of: token))
        let user = "user-\(number)"
        if isAgain { made.registeredAgain.insert(user) }
        let market = random.pick(Self.markets)
        let line = CSVText.line([
            token, user, market.locale, market.timeZone,
            random.pick(["17.6", "18.1", "26.0"]), random.pick(["iPhone14,5", "iPhone16,1"]),
            random.pick(["4.2.0", "4.3.1"]), UTCTime(secondsSince1970: registered).text,
            random.happens(0.1) ? nil : random.pick(market.names),
            random.happens(0.002) ? nil : random.pick(market.cities),
            random.pick(["free", "free", "premium"]),
        ])
        made.csv += Array(line.utf8)
    }

    private mutating func makeToken() -> String {
        var token = ""
        for _ in 0..<4 {
            let digits = String(random.next(), radix: 16)
            token += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return token
    }

    /// When the app last registered a token, and whether that was after its death.
    private mutating func registration(of fate: TokenFate) -> (seconds: Int64, isAgain: Bool) {
        guard case .dead(let milliseconds) = fate else {
            // Four devices in five were heard of within the last two weeks.
            let days: ClosedRange<Int64> = random.happens(0.8) ? 0...13 : 15...90
            return (nowSeconds - secondsWithin(days), false)
        }
        let death = milliseconds / 1_000
        if Int.random(in: 0..<Self.registeredAgainOneIn, using: &random) == 0 {
            return (Int64.random(in: (death + 60)...nowSeconds, using: &random), true)
        }
        return (death - secondsWithin(1...60), false)
    }

    private mutating func secondsWithin(_ days: ClosedRange<Int64>) -> Int64 {
        let range = days.lowerBound * Self.daySeconds...days.upperBound * Self.daySeconds
        return Int64.random(in: range, using: &random)
    }
}
