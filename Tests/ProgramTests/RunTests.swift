import APNSSimulator
import LinuxIO
import TestSupport
import Testing

/// `sortie run` as cron and people start it: the whole way, and its exit codes.
@Suite(.enabled(if: TestCluster.isExpected)) struct RunTests {
    @Test func aCampaignGoesFromFileToReport() throws {
        // Source: knadh/listmonk#752 and parse-community/Parse-SDK-Android#220: "sent" was read as
        // delivered, and totals did not add up.
        try Scene.with(shares: TokenShares(dead: 0.1)) { scene in
            try scene.importDevices(400)
            try scene.campaign(preflight: "probe: all, rate: unlimited")
            let result = try scene.program.run("run", "sale.json", "--occurrence", "one", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let json = result.output
            #expect(try scene.field("end", ofJSON: json) == "finished")
            #expect(try scene.field("recipients", ofJSON: json) == "400")
            let seen = scene.simulator.snapshot()
            let accepted = seen.answers.first { $0.status == 200 }?.sends ?? 0
            #expect(try scene.field("accepted", ofJSON: json) == String(accepted))
            #expect(try scene.field("skipped", ofJSON: json) == String(400 - accepted))
            #expect(try scene.field("unsent", ofJSON: json) == "0")
            #expect(seen.sendTokensAcceptedAgain == 0)
            #expect(try scene.activeDevices() == accepted)
            #expect(try scene.sumHolds())
            #expect(!json.lowercased().contains("delivered"))
        }
    }

    /// Source: cronie-crond/cronie#169: progress bars and colours end up in mails.
    @Test func withoutATerminalNothingIsRewrittenOrColoured() throws {
        try Scene.with { scene in
            try scene.importDevices(50)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 0)
            for text in [result.output, result.errors] {
                #expect(!text.contains("\u{1B}"))
                #expect(!text.contains("\r"))
            }
            #expect(result.output.contains("accepted by APNs"))
            #expect(result.errors.contains("Main send: 50 in "))
        }
    }

    @Test func aQuietSuccessSaysNothing() throws {
        try Scene.with { scene in
            try scene.importDevices(20)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json", "--quiet")
            #expect(result.status == 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.isEmpty)
        }
    }

    /// Source: mautic/mautic#2215: the next start sent the same messages again.
    @Test func theSameOccurrenceNeverRunsTwice() throws {
        try Scene.with { scene in
            try scene.importDevices(20)
            try scene.campaign()
            #expect(try scene.program.run("run", "sale.json", "--occurrence", "a").status == 0)
            let again = try scene.program.run("run", "sale.json", "--occurrence", "a")
            #expect(again.status == 0)
            #expect(again.errors.contains("nothing was sent"))
            #expect(scene.simulator.snapshot().requests == 20)
            #expect(try scene.program.run("run", "sale.json", "--occurrence", "b").status == 0)
            #expect(scene.simulator.snapshot().requests == 40)
        }
    }

    @Test func aProbeSendsNoMessage() throws {
        try Scene.with(shares: TokenShares(dead: 0.2)) { scene in
            try scene.importDevices(100)
            try scene.campaign(preflight: "probe: all, rate: unlimited")
            let result = try scene.program.run("probe", "sale.json", "--occurrence", "p")
            #expect(result.status == 0, "\(result.errors)")
            let seen = scene.simulator.snapshot()
            #expect(seen.answers.reduce(0) { $0 + $1.sends } == 0)
            #expect(try scene.activeDevices() == 100 - seen.count(status: 410))
            #expect(result.output.hasPrefix("Run 1, preflight of sale p: finished"))
        }
    }

    @Test func anEmptyAudienceEndsAtOnceAndWell() throws {
        // Source: parse-community/parse-server#3562: such a campaign stayed "running" for ever.
        try Scene.with { scene in
            try scene.campaign(preflight: "probe: all")
            let result = try scene.program.run("run", "sale.json", "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try scene.field("recipients", ofJSON: result.output) == "0")
            #expect(try scene.field("state", ofJSON: result.output) == "finished")
        }
    }

    @Test func aCampaignWithAFaultSendsNothing() throws {
        try Scene.with { scene in
            try scene.importDevices(5)
            try scene.folder.write("sale.json", "{ campaign: sale, titel: x }\n")
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 65)
            #expect(result.errors.contains("sale.json:1:19: error: "))
            #expect(scene.simulator.snapshot().requests == 0)
        }
    }

    // MARK: - What is wrong around it

    /// How a run is set up wrongly, and how it must end.
    enum Trouble: CaseIterable, Sendable {
        case wrongKey, untrustedServer, nobodyListens, noDatabase, noTables, noCredential, noKeyFile

        var status: Int32 {
            switch self {
            case .wrongKey: 77
            case .untrustedServer, .nobodyListens, .noDatabase: 69
            case .noTables, .noCredential, .noKeyFile: 78
            }
        }

        /// A word of the message.
        var word: String {
            switch self {
            case .wrongKey: "key"
            case .untrustedServer: "certificate"
            case .nobodyListens: "127.0.0.1:"
            case .noDatabase: "database"
            case .noTables: "sortie database migrate"
            case .noCredential: "credentials"
            case .noKeyFile: "AuthKey_MISSING.p8"
            }
        }
    }

    @Test(arguments: Trouble.allCases)
    func eachTroubleStopsWithinSecondsWithItsOwnCode(trouble: Trouble) throws {
        try Scene.with { scene in
            try scene.importDevices(50)
            try scene.campaign(preflight: "probe: all")
            try arrange(trouble, scene)
            let result = try scene.program.run("run", "sale.json", "--quiet", seconds: 40)
            #expect(result.status == trouble.status, "\(result.errors)")
            #expect(result.errors.contains(trouble.word), "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(try scene.activeDevices() == 50)
        }
    }

    private func arrange(_ trouble: Trouble, _ scene: Scene) throws {
        switch trouble {
        case .wrongKey:
            let other = try SimulatorCredentials.make(in: "\(scene.folder.path)/other")
            try scene.configure(keyFile: other.keyFile)
        case .untrustedServer:
            let other = try SimulatorCredentials.make(in: "\(scene.folder.path)/other")
            try scene.configure(authority: "ca_file: \"\(other.authorityFile)\"")
        case .nobodyListens:
            // A port that was free a moment ago.
            let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
            try scene.configure(port: socket.port)
        case .noDatabase: try scene.configure(database: "host=\(scene.folder.path) dbname=none")
        case .noTables:
            // Later words win in a connection string; this database has no tables of ours.
            try scene.configure(database: "\(scene.database) dbname=postgres")
        case .noCredential: try scene.configure(app: "com.example.other")
        case .noKeyFile: try scene.configure(keyFile: "AuthKey_MISSING.p8")
        }
    }

    /// Sources: wultra/powerauth-push-server#180, parse-community/parse-server#6052: one wrong
    /// setting emptied the table of tokens.
    @Test(arguments: [TokenShares(otherEnvironment: 1), TokenShares(wrongTopic: 1)])
    func whenEveryTokenIsRefusedNoDeviceChanges(shares: TokenShares) throws {
        try Scene.with(shares: shares) { scene in
            try scene.importDevices(500)
            try scene.campaign(preflight: "probe: all")
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 75, "\(result.errors)")
            #expect(result.errors.contains("environment"))
            #expect(try scene.activeDevices() == 500)
            #expect(try scene.sumHolds())
        }
    }
}
