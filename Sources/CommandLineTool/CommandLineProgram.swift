internal import Glibc

/// The program behind `sortie`: reads the command line, runs one command, and ends the process with
/// its exit status.
package enum CommandLineProgram {
    /// Runs the command that the process was started with. Call it once, from the main thread,
    /// before any other thread exists: signals are blocked here for all of them.
    package static func main() -> Never {
        // A reader that closes a pipe early is told apart by the write's error, not by a signal.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        let code = run(Array(CommandLine.arguments.dropFirst()), console: console)
        exit(finalCode(code, console).rawValue)
    }

    /// Runs one command line.
    ///
    /// - Parameters:
    ///   - words: the command line without the program's name.
    ///   - console: where results and messages go.
    /// - Returns: how it ended.
    static func run(_ words: [String], console: Console) -> ExitCode {
        do {
            let arguments = try ArgumentParser(commands: CommandTable.commands)
                .parse(normalised(words))
            if arguments.wantsHelp {
                console.output(HelpText.command(arguments.command))
                return .done
            }
            return try arguments.command.action(arguments, console)
        } catch let error as UsageError {
            console.message("\(error.message)\nusage: \(error.usage)\n\(error.hint)")
            return .usage
        } catch {
            let failure = CommandFailure(error)
            console.message(failure.message)
            return failure.code
        }
    }

    /// The program's own `--help` and `--version` are the commands of those names.
    private static func normalised(_ words: [String]) -> [String] {
        switch words.first {
        case "--help", "-h": ["help"]
        case "--version": ["version"]
        default: words
        }
    }

    /// A report that could not be written whole must not look like one that was.
    private static func finalCode(_ code: ExitCode, _ console: Console) -> ExitCode {
        guard let failure = console.resultsFailure, code == .done else { return code }
        // Sound: the text is copied at once, and errno texts are never freed.
        let reason = unsafe String(cString: strerror(failure))
        console.message("sortie: the result could not be written: \(reason)")
        return .cannotWrite
    }
}
