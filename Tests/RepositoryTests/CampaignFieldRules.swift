/// Every field that an example uses is explained to the people who write campaigns.
enum CampaignFieldRules {
    /// Fields below which names are the campaign author's own.
    private static let free: Set<String> = ["data", "attributes"]
    /// Fields right below which names are the author's own.
    private static let keyed: Set<String> = ["translations"]

    /// Checks one example campaign against the page that explains fields, each in backquotes.
    static func violations(path: String, text: String, manual: String) -> [Violation] {
        var seen: Set<String> = []
        return fields(of: text).compactMap { field in
            guard seen.insert(field.name).inserted else { return nil }
            let isExplained =
                manual.contains("`\(field.name)`") || manual.contains(".\(field.name)`")
            if isExplained { return nil }
            let advice = "\"\(field.name)\" is not explained in Campaigns/README.md; add it there"
            return Violation(path: path, line: field.line, advice: advice)
        }
    }

    private struct Field {
        let name: String
        let line: Int
    }

    /// Names before a colon that are no text or comment and belong to the program.
    private static func fields(of text: String) -> [Field] {
        var fields: [Field] = []
        var parents: [String] = []
        var name = ""
        var key = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            for character in code(of: line) {
                switch character {
                case "{":
                    parents.append(key)
                case "}":
                    _ = parents.popLast()
                case ":":
                    key = name
                    let isOwn =
                        parents.contains(where: free.contains)
                        || parents.last.map(keyed.contains) == true
                    if !name.isEmpty, !isOwn { fields.append(Field(name: name, line: index + 1)) }
                case _ where character.isLetter || character.isNumber || character == "_":
                    name.append(character)
                    continue
                default: break
                }
                name = ""
            }
        }
        return fields
    }

    /// A line without its texts and comments.
    private static func code(of line: Substring) -> String {
        var code = ""
        var isText = false
        for character in line {
            if character == "\"" { isText.toggle() }
            if isText { continue }
            if character == "#" { break }
            code.append(character == "\"" ? " " : character)
        }
        return code
    }
}
