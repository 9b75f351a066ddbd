import APNSSimulator
import Testing

@testable import CommandLineTool

@Suite struct DemoDevicesTests {
    private static let now: Int64 = 1_798_761_600
    private static let count = 20_000

    private static func make() -> (TokenFates, DemoDevices.Made) {
        let fates = TokenFates(
            shares: DemoDevices.shares, seed: 5, referenceMilliseconds: now * 1_000)
        var devices = DemoDevices(fates: fates, nowSeconds: now)
        return (fates, devices.make(count: count))
    }

    @Test func tokensAreDifferentAndHaveTheWantedFates() {
        let (fates, made) = Self.make()
        let rows = String(decoding: made.csv, as: UTF8.self).split(separator: "\r\n").dropFirst()
        let tokens = rows.map { String($0.prefix(64)) }
        #expect(Set(tokens).count == Self.count)
        let all = tokens.map { fates.fate(of: $0) }
        let dead = all.count { if case .dead = $0 { true } else { false } }
        #expect((1_200...1_600).contains(dead))
        #expect((50...150).contains(all.count { $0 == .otherEnvironment }))
        #expect((130...270).contains(made.registeredAgain.count))
    }

    @Test func aDeadTokenWasRegisteredBeforeItsDeathOrAgainAfterIt() throws {
        let (fates, made) = Self.make()
        let rows = String(decoding: made.csv, as: UTF8.self).split(separator: "\r\n").dropFirst()
        for row in rows {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false)
            guard case .dead(let death) = fates.fate(of: String(cells[0])) else { continue }
            let diedAt = UTCTime(secondsSince1970: death / 1_000).text
            let isAgain = made.registeredAgain.contains(String(cells[1]))
            // A model's name may have a comma, so the time is not always in the same place.
            let registered = try #require(cells.first { $0.count == 20 && $0.hasSuffix("Z") })
            #expect((registered > diedAt) == isAgain, "\(row)")
        }
    }

    @Test func theSameSeedGivesTheSameDevices() {
        #expect(Self.make().1.csv == Self.make().1.csv)
    }
}

@Suite struct DemoCampaignTests {
    @Test func theProgramsCampaignIsTheOneInTheFolder() throws {
        let file = RepositoryRoot.path + "/Campaigns/demo.json"
        #expect(try RepositoryRoot.text(of: file) == DemoCampaign.text)
    }

    @Test func theRateCanBeChanged() {
        #expect(DemoCampaign.text(ratePerSecond: 1500) == DemoCampaign.text)
        #expect(DemoCampaign.text(ratePerSecond: 20).contains("    rate: 20,"))
        #expect(DemoCampaign.text(ratePerSecond: 2.5).contains("    rate: 2.5,"))
    }
}
