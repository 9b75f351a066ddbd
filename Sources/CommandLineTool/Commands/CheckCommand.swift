internal import DocumentTree

/// `sortie check`: reads campaign files and says what they would do.
enum CheckCommand {
    static let definition = CommandDefinition(
        "check", .campaigns, "read campaign files and say what they would do",
        operands: [.init(name: "FILE", summary: "a campaign file", isRepeated: true)],
        discussion: """
            Reads the files alone: no network, no database. Everything that is wrong is listed at
            once, with line and column.
            """,
        examples: ["sortie check Campaigns/demo.json"],
        action: run)

    /// Checks every file, so that one bad file hides nothing about the others.
    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        var code = ExitCode.done
        for name in arguments.operands {
            do throws(CommandFailure) {
                let file = try CampaignFile(name)
                for warning in file.warnings { console.message(warning.description) }
                console.output("\(name): \(CampaignText.summary(file.campaign))\n")
            } catch {
                console.message(error.message)
                code = error.code
            }
        }
        return code
    }
}
