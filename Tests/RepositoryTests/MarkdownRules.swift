/// Rules for pages.
enum MarkdownRules {
    /// Checks one page; `exists` says whether a path from the root of the repository is there.
    static func violations(
        path: String, text: String, exists: (String) -> Bool
    ) -> [Violation] {
        var titles = 0
        var found: [Violation] = []
        for (index, line) in proseLines(text) {
            if line.hasPrefix("# ") { titles += 1 }
            for target in linkTargets(line) {
                guard let wanted = resolved(target, from: path), !exists(wanted) else { continue }
                let advice = "links to \"\(target)\", which is not there; correct the link"
                found.append(Violation(path: path, line: index + 1, advice: advice))
            }
        }
        if titles != 1 {
            let advice = "\(titles) titles; a page has exactly one line that begins with \"# \""
            found.append(Violation(path: path, line: 0, advice: advice))
        }
        return found
    }

    /// Lines outside code blocks, with their index.
    private static func proseLines(_ text: String) -> [(Int, Substring)] {
        var isCode = false
        var lines: [(Int, Substring)] = []
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in all.enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode {
                lines.append((index, line))
            }
        }
        return lines
    }

    /// What stands between `](` and `)`.
    private static func linkTargets(_ line: Substring) -> [String] {
        let pieces = line.split(separator: "](", omittingEmptySubsequences: false).dropFirst()
        return pieces.map { String($0.prefix { $0 != ")" && $0 != " " }) }
    }

    /// The path that a link names. Nil: it leads out of the repository or stays on the page.
    static func resolved(_ target: String, from page: String) -> String? {
        if target.contains("://") || target.hasPrefix("mailto:") { return nil }
        let file = target.prefix { $0 != "#" }
        if file.isEmpty { return nil }
        var folders = page.split(separator: "/").dropLast().map(String.init)
        for part in file.split(separator: "/") where part != "." {
            if part == ".." { _ = folders.popLast() } else { folders.append(String(part)) }
        }
        return folders.joined(separator: "/")
    }
}
