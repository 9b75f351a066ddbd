import Testing

@testable import CommandLineTool

/// The pages that people read say what the program does.
@Suite struct ManualTests {
    private let readme: String

    init() throws {
        readme = try RepositoryRoot.text(of: RepositoryRoot.path + "/README.md")
    }

    @Test func everyCommandIsNamedInThePages() throws {
        let docs = RepositoryRoot.path + "/docs"
        let pages = try RepositoryRoot.files(in: docs).filter { $0.hasSuffix(".md") }.map {
            try RepositoryRoot.text(of: "\(docs)/\($0)")
        }
        for command in CommandTable.commands where command.name != "version" {
            let isNamed = ([readme] + pages).contains { $0.contains("sortie \(command.name)") }
            #expect(isNamed, "sortie \(command.name)")
        }
    }

    @Test func everyExitCodeIsInTheReadmesTable() {
        for code in ExitCode.allCases {
            #expect(readme.contains("\n| \(code.rawValue) | "), "exit code \(code.rawValue)")
        }
    }

    /// Commands in the README are there to be copied.
    @Test func everyCommandLineOfTheReadmeParses() throws {
        let parser = ArgumentParser(commands: CommandTable.commands)
        let blocks = readme.split(separator: "```", omittingEmptySubsequences: false)
        // Every second part lies between two fences.
        let code = blocks.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let lines = code.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("sortie ") }
        #expect(lines.count > 8)
        for line in lines {
            let words = line.prefix { $0 != ">" && $0 != "#" }.split(separator: " ").dropFirst()
            _ = try parser.parse(words.map(String.init))
        }
    }
}
