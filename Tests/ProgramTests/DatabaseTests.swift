import TestSupport
import Testing

/// `sortie database`: which database is used, and the private one.
@Suite(.enabled(if: TestCluster.isExpected)) struct DatabaseTests {
    @Test func thePrivateClusterIsMadeStartedAndStopped() throws {
        let folder = try TemporaryFolder()
        var program = BuiltProgram(folder: folder.path)
        program.environment["SORTIE_HOME"] = "\(folder.path)/home"
        #expect(try program.run("database", "status").output.contains("will be made"))
        // A command that needs a database starts it, and says so on stderr in one line.
        let status = try program.run("status")
        #expect(status.status == 0, "\(status.errors)")
        #expect(status.errors.hasPrefix("No database is configured: using the private one in "))
        #expect(status.errors.split(separator: "\n").count == 1)
        #expect(try program.run("database", "status").output.contains("Connect: psql \"host="))
        #expect(try program.run("database", "migrate", "--quiet").output.isEmpty)
        #expect(try program.run("database", "stop").output.hasPrefix("Stopped"))
        #expect(try program.run("database", "stop").output.hasPrefix("No private cluster"))
    }

    @Test func aPasswordIsNeverShown() throws {
        let folder = try TemporaryFolder()
        let program = BuiltProgram(folder: folder.path)
        try folder.write(
            "sortie.json", "{ database: \"host=127.0.0.1 port=1 user=a password=s3cret\" }\n")
        for words in [["database", "status"], ["database", "migrate"], ["status"]] {
            let result = try program.start(words).wait(seconds: 40)
            #expect(!(result.output + result.errors).contains("s3cret"))
        }
        #expect(try program.run("status").status == 69)
    }

    @Test func theConfigurationIsFoundInItsPlaces() throws {
        let folder = try TemporaryFolder()
        var program = BuiltProgram(folder: folder.path)
        let named = try folder.write("other.json", "{ database: \"host=/a\" }\n")
        try folder.write("sortie.json", "{ database: \"host=/b\" }\n")
        #expect(try program.run("database", "status").output.contains("./sortie.json"))
        program.environment["SORTIE_CONFIG"] = named
        #expect(try program.run("database", "status").output.contains(named))
        let option = try program.run("database", "status", "--config", "sortie.json")
        #expect(option.output.contains("that sortie.json names"))
        #expect(try program.run("database", "status", "--config", "no.json").status == 78)
    }

    @Test func aFaultInTheConfigurationHasItsPlace() throws {
        let folder = try TemporaryFolder()
        try folder.write("sortie.json", "{\n  databse: \"host=/b\",\n}\n")
        let result = try BuiltProgram(folder: folder.path).run("status")
        #expect(result.status == 78)
        #expect(result.errors.contains("sortie.json:2:3: error: "))
        #expect(result.errors.contains("did you mean \"database\"?"))
    }
}
