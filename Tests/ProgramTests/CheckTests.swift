import Testing

/// `sortie check`: what a person who writes campaign files meets first.
@Suite struct CheckTests {
    private let folder: TemporaryFolder
    private let program: BuiltProgram

    private static let campaign = """
        {
          campaign: weekend-sale,
          app: com.example.shop,
          environment: production,
          message: { title: "Sale", body: "Until Sunday." },
        }

        """

    init() throws {
        folder = try TemporaryFolder()
        program = BuiltProgram(folder: folder.path)
    }

    @Test func aGoodFileGivesOneLineThatSaysWhatWouldHappen() throws {
        try folder.write("sale.json", Self.campaign)
        let result = try program.run("check", "sale.json")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.output.hasPrefix("sale.json: to devices of com.example.shop in production"))
        #expect(result.output.contains("send: 4 connections at 1,500/s each"))
    }

    @Test func everyFaultIsListedAtOnceWithItsPlace() throws {
        let text = Self.campaign
            .replacing("environment: production", with: "enviroment: production")
            .replacing("body:", with: "bdy:")
        try folder.write("sale.json", text)
        let result = try program.run("check", "sale.json")
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("sale.json:4:3: error: "))
        #expect(result.errors.contains("did you mean \"environment\"?"))
        #expect(result.errors.contains("sale.json:5:"))
        #expect(result.errors.contains("did you mean \"body\"?"))
    }

    @Test func aBadFileHidesNothingAboutTheOthers() throws {
        try folder.write("good.json", Self.campaign)
        try folder.write("bad.json", "{ campaign: }")
        let result = try program.run("check", "bad.json", "good.json", "missing.json")
        #expect(result.status == 65)
        #expect(result.output.hasPrefix("good.json: "))
        #expect(result.errors.contains("bad.json:1:"))
        #expect(result.errors.contains("missing.json: no such file"))
    }

    @Test func everyExampleCampaignIsGood() throws {
        let folder = RepositoryRoot.path + "/Campaigns"
        for name in RepositoryRoot.files(in: folder) where name.hasSuffix(".json") {
            let result = try program.run("check", "\(folder)/\(name)")
            #expect(result.status == 0, "\(result.errors)")
        }
    }
}
