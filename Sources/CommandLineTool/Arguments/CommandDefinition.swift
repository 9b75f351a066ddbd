/// One command of the program: what it does, and everything that parsing, help and usage errors
/// need.
struct CommandDefinition: Sendable {
    /// Carries the command out; what it throws ends the program with a message.
    typealias Action =
        @Sendable (_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode

    /// Which part of the help the command stands in.
    enum Chapter: String, CaseIterable, Sendable {
        case campaigns = "Campaigns"
        case devices = "Devices"
        case database = "Database"
        case trying = "Trying it out"
        case other = "Other"
    }

    /// An argument that is not an option.
    struct Operand: Sendable {
        /// The name in capitals, as help shows it.
        let name: String
        let summary: String
        var isRequired = true
        var isRepeated = false

        var spelling: String {
            let name = isRepeated ? "\(name)..." : name
            return isRequired ? name : "[\(name)]"
        }
    }

    /// The command as it is typed: `devices import`.
    let name: String
    let chapter: Chapter
    /// What it does, in one line.
    let summary: String
    /// What a person should know before using it; help wraps it.
    let discussion: String
    let operands: [Operand]
    let options: [OptionDefinition]
    /// Command lines to copy.
    let examples: [String]
    let action: Action

    init(
        _ name: String, _ chapter: Chapter, _ summary: String, operands: [Operand] = [],
        options: [OptionDefinition] = [], discussion: String = "", examples: [String] = [],
        action: @escaping Action
    ) {
        self.name = name
        self.chapter = chapter
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
        self.action = action
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The one line that says how the command is typed.
    var usage: String {
        let parts = ["sortie", name] + operands.map(\.spelling) + ["[options]"]
        return parts.joined(separator: " ")
    }

    func option(named name: String) -> OptionDefinition? {
        options.first { $0.name == name }
    }
}
