/// `sortie help`: the program, one command, or the exit codes.
enum HelpCommand {
    static let definition = CommandDefinition(
        "help", .other, "explain the program, a command, or the exit codes",
        operands: [
            .init(
                name: "COMMAND", summary: "a command, or exit-codes", isRequired: false,
                isRepeated: true)
        ],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        switch arguments.operands {
        case []:
            console.output(HelpText.program(CommandTable.commands))
        case ["exit-codes"]:
            console.output(HelpText.exitCodes())
        default:
            let command = try ArgumentParser(commands: CommandTable.commands)
                .command(of: arguments.operands)
            console.output(HelpText.command(command))
        }
        return .done
    }
}
