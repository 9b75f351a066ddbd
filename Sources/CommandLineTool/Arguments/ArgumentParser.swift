/// What is wrong with a command line, and what to type instead.
struct UsageError: Error, Equatable {
    /// One sentence, with the command's name in front.
    let message: String
    /// How the command, or the program, is typed.
    let usage: String
    /// The command line that shows more.
    let hint: String
}

/// Reads a command line by the table of commands.
///
/// Options may stand anywhere after the command, as `--name value` or `--name=value`; after `--`
/// every word is an operand. An option given twice is an error, because the second would silently
/// win; unless it is one that collects values.
struct ArgumentParser: Sendable {
    let commands: [CommandDefinition]

    /// Reads a command line, without the program's name.
    ///
    /// - Parameter words: the command line as the shell split it.
    /// - Returns: the command with its operands and options, all checked.
    /// - Throws: `UsageError` when it cannot be understood.
    func parse(_ words: [String]) throws(UsageError) -> ParsedArguments {
        let command = try command(of: words)
        let rest = Array(words.dropFirst(command.words.count))
        var reader = WordReader(command: command, words: rest)
        return try reader.read()
    }

    /// The command whose words the line begins with.
    func command(of words: [String]) throws(UsageError) -> CommandDefinition {
        if let found = commands.first(where: { words.starts(with: $0.words) }) { return found }
        guard let first = words.first else { throw programError("a command is missing") }
        let family = commands.filter { $0.words.count > 1 && $0.words.first == first }
        if !family.isEmpty { throw familyError(first, family, given: words.dropFirst().first) }
        let nearest = NearestName.of(first, among: commands.compactMap(\.words.first))
        let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
        let kind = first.hasPrefix("-") ? "option" : "command"
        throw programError("unknown \(kind) \"\(first)\"" + suggestion)
    }

    private func familyError(
        _ first: String, _ family: [CommandDefinition], given second: String?
    ) -> UsageError {
        let names = family.compactMap { $0.words.dropFirst().first }
        let list = names.joined(separator: ", ")
        guard let second else {
            return programError("\"\(first)\" needs one of these words after it: \(list)")
        }
        let nearest = NearestName.of(second, among: names).map { "; did you mean \"\($0)\"?" }
        return programError(
            "\"\(first) \(second)\" is no command"
                + (nearest ?? "; after \"\(first)\" comes one of: \(list)"))
    }

    private func programError(_ message: String) -> UsageError {
        UsageError(
            message: "sortie: \(message)", usage: "sortie COMMAND [options]",
            hint: "See \"sortie help\".")
    }
}

/// Reads the words after a command, one by one.
private struct WordReader {
    let command: CommandDefinition
    let words: [String]
    private var position = 0
    private var operands: [String] = []
    private var values: [String: [String]] = [:]

    init(command: CommandDefinition, words: [String]) {
        self.command = command
        self.words = words
    }

    mutating func read() throws(UsageError) -> ParsedArguments {
        // Somebody who asks for help gets it, whatever else is on the line.
        let beforeTerminator = words.prefix { $0 != "--" }
        if beforeTerminator.contains("--help") || beforeTerminator.contains("-h") {
            return ParsedArguments(command: command, wantsHelp: true)
        }
        var onlyOperands = false
        while position < words.count {
            let word = words[position]
            position += 1
            if !onlyOperands, word == "--" {
                onlyOperands = true
            } else if !onlyOperands, word.hasPrefix("-"), word.utf8.count > 1 {
                try readOption(word)
            } else {
                operands.append(word)
            }
        }
        try checkOperands()
        return ParsedArguments(command: command, operands: operands, values: values)
    }

    private mutating func readOption(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let typed = String(parts[0])
        guard let option = command.options.first(where: { "--\($0.name)" == typed }) else {
            let known = command.options.map { "--\($0.name)" } + ["--help"]
            let nearest = NearestName.of(typed, among: known).map { "; did you mean \"\($0)\"?" }
            throw error("unknown option \"\(typed)\"" + (nearest ?? ""))
        }
        if values[option.name] != nil, !option.isRepeatable {
            throw error("\(typed) is given twice")
        }
        let attached = parts.count > 1 ? String(parts[1]) : nil
        if case .flag = option.value {
            if attached != nil { throw error("\(typed) takes no value") }
            values[option.name] = [""]
            return
        }
        let value: String
        if let attached { value = attached } else { value = try nextWord(for: option) }
        if let fault = option.fault(in: value) { throw error("\(typed) \(fault)") }
        values[option.name, default: []].append(value)
    }

    private mutating func nextWord(for option: OptionDefinition) throws(UsageError) -> String {
        guard position < words.count, !words[position].hasPrefix("--") else {
            throw error("--\(option.name) needs a value: \(option.spelling)")
        }
        defer { position += 1 }
        return words[position]
    }

    private func checkOperands() throws(UsageError) {
        let required = command.operands.filter(\.isRequired)
        if operands.count < required.count {
            throw error("\(required[operands.count].name) is missing")
        }
        let takesAny = command.operands.last?.isRepeated ?? false
        if !takesAny, operands.count > command.operands.count {
            throw error("\"\(operands[command.operands.count])\" is one argument too many")
        }
        if operands.contains("") { throw error("an argument is empty") }
    }

    private func error(_ message: String) -> UsageError {
        UsageError(
            message: "sortie \(command.name): \(message)", usage: command.usage,
            hint: "See \"sortie \(command.name) --help\".")
    }
}
