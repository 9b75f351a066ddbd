import TestSupport
import Testing

/// `sortie devices import` with the files that people really have.
@Suite(.enabled(if: TestCluster.isExpected)) struct DevicesImportTests {
    private static let token = String(repeating: "c0ffee01", count: 8)
    private static let place = ["--app", Scene.app, "--environment", "production"]

    private func importing(
        _ bytes: [UInt8], _ body: (BuiltProgram.Result, Scene) throws -> Void
    ) throws {
        try Scene.with { scene in
            try scene.folder.write("devices.csv", bytes)
            let words = ["devices", "import", "devices.csv"] + Self.place
            try body(try scene.program.start(words).wait(seconds: 40), scene)
        }
    }

    @Test func aGoodFileIsCounted() throws {
        try importing(Array("token,user_id\n\(Self.token),u1\n".utf8)) { result, scene in
            #expect(result.status == 0)
            #expect(result.output.contains("  new devices   1\n"))
            #expect(try scene.activeDevices() == 1)
            let json = try scene.program.start(
                ["devices", "import", "devices.csv", "--json"] + Self.place
            ).wait(seconds: 40).output
            #expect(try scene.field("new", ofJSON: json) == "0")
            #expect(try scene.field("unchanged", ofJSON: json) == "1")
        }
    }

    @Test func aBadRowIsNamedAndTheOthersGoIn() throws {
        // Source: Dijji/XstReader#10: line breaks in cells shifted the numbers of lines.
        let text = "name,token\n\"Ann \"\"A\"\"\nLee, jr\",\(Self.token)\nBob,zz\n"
        try importing(Array(text.utf8)) { result, scene in
            #expect(result.status == 0)
            #expect(result.errors.contains("devices.csv: line 4, column \"token\": "))
            let active = try scene.activeDevices()
            #expect(active == 1)
        }
    }

    /// Sources: mettle/sendportal#67 (success with nothing stored), herrerad85/tallybook#185.
    @Test(arguments: ["", "token\n", "\u{FEFF}", "token\nzz\n", "device-name,os\nx,ios\n"])
    func aFileThatGivesNothingIsNoSuccess(text: String) throws {
        try importing(Array(text.utf8)) { result, scene in
            #expect(result.status == 65)
            #expect(!result.errors.isEmpty)
            let active = try scene.activeDevices()
            #expect(active == 0)
        }
    }

    /// Source: knadh/listmonk#46: the message did not show which columns were read.
    @Test func aMissingColumnIsExplainedByTheColumnsThatAreThere() throws {
        try importing(Array("device-name ,os\nx,ios\n".utf8)) { result, _ in
            #expect(result.errors.contains("device-name"))
            #expect(result.errors.contains("token"))
        }
    }

    @Test func aMissingFileIsNamed() throws {
        try Scene.with { scene in
            let result = try scene.program.run("devices", "import", "nowhere.csv")
            #expect(result.status == 65)
            #expect(result.errors.contains("nowhere.csv: No such file or directory"))
        }
    }
}
