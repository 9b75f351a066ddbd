import Testing

/// The built program and its command line: help, versions, and what it says to mistakes.
@Suite struct CommandLineTests {
    private let folder: TemporaryFolder
    private let program: BuiltProgram

    init() throws {
        folder = try TemporaryFolder()
        program = BuiltProgram(folder: folder.path)
    }

    @Test func helpNamesEveryCommandOnStdout() throws {
        let result = try program.run("help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("sortie sends push campaigns"))
        for command in ["check FILE...", "run FILE", "devices import FILE", "database migrate"] {
            #expect(result.output.contains("\n  \(command)"))
        }
    }

    @Test(arguments: ["--help", "-h"])
    func theProgramsOwnHelpOptionIsHelp(option: String) throws {
        let result = try program.run(option)
        #expect(result.status == 0)
        #expect(try result.output == program.run("help").output)
    }

    @Test func aCommandsHelpIsTheSameBothWays() throws {
        let result = try program.run("devices", "import", "--help")
        #expect(result.status == 0)
        #expect(result.output.contains("usage: sortie devices import FILE [options]"))
        #expect(try result.output == program.run("help", "devices", "import").output)
    }

    @Test func exitCodesAreExplained() throws {
        let result = try program.run("help", "exit-codes")
        for code in [0, 64, 65, 69, 70, 74, 75, 77, 78, 79] {
            #expect(result.output.contains("\n  \(code) "))
        }
    }

    @Test func theVersionIsOneLine() throws {
        let result = try program.run("--version")
        #expect(result.output.hasPrefix("sortie "))
        #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test func aMistypedCommandIsAUsageErrorWithASuggestion() throws {
        let result = try program.run("chekc", "a.json")
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(
            result.errors == """
                sortie: unknown command "chekc"; did you mean "check"?
                usage: sortie COMMAND [options]
                See "sortie help".

                """)
    }

    @Test func anUnknownBrakeIsAUsageErrorWithTheList() throws {
        let result = try program.run("run", "a.json", "--release-brake", "credentials")
        #expect(result.status == 64)
        #expect(
            result.errors.hasPrefix(
                "sortie run: --release-brake must be invalid, gone, canary, unknown, errors, not "
                    + "\"credentials\""))
    }

    @Test func aMistypedOptionIsAUsageErrorWithASuggestion() throws {
        let result = try program.run("run", "a.json", "--ocurrence", "x")
        #expect(result.status == 64)
        #expect(
            result.errors == """
                sortie run: unknown option "--ocurrence"; did you mean "--occurrence"?
                usage: sortie run FILE [options]
                See "sortie run --help".

                """)
    }

    @Test func noCommandIsAUsageError() throws {
        #expect(try program.run().status == 64)
    }

    /// Readers such as `head` close the pipe early; that is no failure of a report.
    @Test func aClosedPipeIsNoError() throws {
        let script = try folder.write(
            "pipe.sh", "'\(BuiltProgram.path)' help | true; echo \"${PIPESTATUS[0]}\"\n")
        let result = try ChildShell.run(script)
        #expect(result == "0\n")
    }

    @Test func aFullDiskIsAnError() throws {
        let script = try folder.write(
            "full.sh", "'\(BuiltProgram.path)' help >/dev/full 2>/dev/null; echo $?\n")
        #expect(try ChildShell.run(script) == "74\n")
    }
}
