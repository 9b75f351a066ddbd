internal import CampaignModel

/// One option of a command, as the parser, the help text and the usage errors need it.
struct OptionDefinition: Sendable {
    /// What may follow the option's name.
    enum Value: Sendable {
        /// Nothing follows: the option is on or off.
        case flag
        /// Any text, called `placeholder` in help.
        case text(placeholder: String)
        /// A whole number within the range.
        case integer(placeholder: String, ClosedRange<Int>)
        /// A number, whole or with a fraction, within the range.
        case number(placeholder: String, ClosedRange<Double>)
        /// A length of time such as `90s`, in milliseconds within the range.
        case duration(placeholder: String, ClosedRange<Int64>)
        /// One of a few words.
        case choice([String])
    }

    /// The name without its dashes.
    let name: String
    let value: Value
    /// What it does, in one line.
    let summary: String
    /// What holds when the option is absent, as it would be typed. Nil: nothing.
    let defaultValue: String?
    /// Whether it may be given several times, each with a value of its own.
    let isRepeatable: Bool

    init(
        _ name: String, _ value: Value, _ summary: String, default defaultValue: String? = nil,
        isRepeatable: Bool = false
    ) {
        self.name = name
        self.value = value
        self.summary = summary
        self.defaultValue = defaultValue
        self.isRepeatable = isRepeatable
    }

    /// The option as it is typed: `--rate R`.
    var spelling: String {
        guard let placeholder else { return "--\(name)" }
        return "--\(name) \(placeholder)"
    }

    /// What stands for the value in help and messages. Nil: a flag.
    var placeholder: String? {
        switch value {
        case .flag: nil
        case .text(let placeholder): placeholder
        case .integer(let placeholder, _): placeholder
        case .number(let placeholder, _): placeholder
        case .duration(let placeholder, _): placeholder
        case .choice(let words): words.joined(separator: "|")
        }
    }

    /// Says what is wrong with a value.
    ///
    /// - Parameter text: the value as it was typed.
    /// - Returns: the rest of a sentence that begins with the option's name, or nil if it is right.
    func fault(in text: String) -> String? {
        switch value {
        case .flag: return "takes no value"
        case .text: return text.isEmpty ? "needs a value" : nil
        case .integer(_, let range):
            if let number = Int(text), range.contains(number) { return nil }
            return "must be a whole number from \(range.lowerBound) to \(range.upperBound), "
                + "not \"\(text)\""
        case .number(_, let range):
            if let number = Double(text), range.contains(number) { return nil }
            return "must be a number from \(range.lowerBound) to \(range.upperBound), "
                + "not \"\(text)\""
        case .duration(_, let range):
            if let milliseconds = DurationText.milliseconds(text), range.contains(milliseconds) {
                return nil
            }
            return "must be a time from \(DurationText.text(milliseconds: range.lowerBound)) to "
                + "\(DurationText.text(milliseconds: range.upperBound)), not \"\(text)\""
        case .choice(let words):
            if words.contains(text) { return nil }
            let nearest = NearestName.of(text, among: words).map { "; did you mean \"\($0)\"?" }
            return "must be \(words.joined(separator: ", ")), not \"\(text)\"" + (nearest ?? "")
        }
    }
}
