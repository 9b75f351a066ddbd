/// The help texts, written from the table of commands.
enum HelpText {
    /// Where the second column begins.
    private static let column = 28
    /// The right margin: a terminal of 80 columns, less one.
    private static let width = 79

    /// What `sortie help` prints: every command with its purpose.
    static func program(_ commands: [CommandDefinition]) -> String {
        var lines = [
            "sortie sends push campaigns through Apple's push service (APNs): from a",
            "campaign file to a report, in PostgreSQL, of what happened to every recipient.",
            "",
            "usage: sortie COMMAND [options]",
        ]
        for chapter in CommandDefinition.Chapter.allCases {
            lines += ["", chapter.rawValue]
            for command in commands where command.chapter == chapter {
                let operands = command.operands.map(\.spelling)
                lines += row(([command.name] + operands).joined(separator: " "), command.summary)
            }
        }
        lines += [
            "",
            "\"sortie COMMAND --help\" explains a command, \"sortie help exit-codes\" what the",
            "program's exit status means.",
        ]
        return joined(lines)
    }

    /// What `sortie COMMAND --help` prints.
    static func command(_ command: CommandDefinition) -> String {
        var lines = ["\(sentence(command.summary))", "", "usage: \(command.usage)"]
        if !command.discussion.isEmpty {
            lines += [""] + wrap(command.discussion, width: width)
        }
        if !command.operands.isEmpty {
            lines += ["", "Arguments"]
            for operand in command.operands { lines += row(operand.spelling, operand.summary) }
        }
        lines += ["", "Options"]
        for option in command.options {
            let byDefault = option.defaultValue.map { " (default: \($0))" } ?? ""
            lines += row(option.spelling, option.summary + byDefault)
        }
        lines += row("--help", "show this text")
        if !command.examples.isEmpty {
            lines += ["", "Examples"] + command.examples.map { "  \($0)" }
        }
        return joined(lines)
    }

    /// What `sortie help exit-codes` prints.
    static func exitCodes() -> String {
        var lines = ["The exit status of every command", ""]
        for code in ExitCode.allCases { lines += row(String(code.rawValue), code.meaning) }
        return joined(lines)
    }

    private static func joined(_ lines: [String]) -> String {
        lines.joined(separator: "\n") + "\n"
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// A name in the first column and its text, wrapped, in the second.
    private static func row(_ name: String, _ text: String) -> [String] {
        let wrapped = wrap(text, width: width - column)
        let indent = String(repeating: " ", count: column)
        let head = "  \(name)"
        // Two blanks must part the columns; a longer name has its line for itself.
        guard head.count + 2 <= column else { return [head] + wrapped.map { indent + $0 } }
        let padding = String(repeating: " ", count: column - head.count)
        return [head + padding + (wrapped.first ?? "")] + wrapped.dropFirst().map { indent + $0 }
    }

    /// Cuts a text at blanks and line ends into lines of at most `width` columns.
    static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return lines + (line.isEmpty ? [] : [line])
    }
}
