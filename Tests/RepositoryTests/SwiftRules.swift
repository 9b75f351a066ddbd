/// Rules for Swift files that neither the compiler nor the formatter checks.
enum SwiftRules {
    static let linesMax = 400
    static let functionLinesMax = 60

    /// What production code must not say, and what it says instead.
    private static let banned: [(word: String, instead: String)] = [
        ("try!", "throw, or catch and say what happened"),
        ("as!", "use \"as?\" and handle nil"),
        ("fatalError(", "use \"precondition\" with a message"),
        ("print(", "write through Console"),
    ]
    /// What needs a proof in a comment right there.
    private static let promises = ["@unchecked Sendable", "nonisolated(unsafe)"]
    private static let leftovers = ["TODO", "FIXME", "XXX", "HACK"]

    static func violations(path: String, bytes: [UInt8]) -> [Violation] {
        let text = SwiftText(bytes)
        var found = leftoverViolations(path, text) + functionViolations(path, text)
        found += promiseViolations(path, text)
        if path.hasPrefix("Sources/") { found += bannedViolations(path, text) }
        let count = text.code.count - 1
        if count > linesMax {
            let advice = "\(count) lines, more than \(linesMax); split the file by topic"
            found.append(Violation(path: path, line: linesMax + 1, advice: advice))
        }
        return found.sorted { $0.line < $1.line }
    }

    private static func bannedViolations(_ path: String, _ text: SwiftText) -> [Violation] {
        var found: [Violation] = []
        for (index, line) in text.code.enumerated() {
            for (word, instead) in banned where contains(line, word: word) {
                let advice = "\"\(word)\" is not used here; \(instead)"
                found.append(Violation(path: path, line: index + 1, advice: advice))
            }
        }
        return found
    }

    private static func leftoverViolations(_ path: String, _ text: SwiftText) -> [Violation] {
        text.codeAndComments.enumerated().flatMap { index, line in
            leftovers.filter { contains(line, word: $0) }.map { word in
                Violation(path: path, line: index + 1, advice: "\"\(word)\" is left; finish it")
            }
        }
    }

    private static func promiseViolations(_ path: String, _ text: SwiftText) -> [Violation] {
        var found: [Violation] = []
        for (index, line) in text.code.enumerated() {
            guard let promise = promises.first(where: { contains(line, word: $0) }) else {
                continue
            }
            let isProved = hasComment(text, line: index) || hasComment(text, above: index)
            if isProved { continue }
            let advice = "\"\(promise)\" without its reason; say above it why it is sound"
            found.append(Violation(path: path, line: index + 1, advice: advice))
        }
        return found
    }

    /// A line has a comment if blanking comments changes it.
    private static func hasComment(_ text: SwiftText, line: Int) -> Bool {
        text.code[line] != text.codeAndComments[line]
    }

    /// Whether a comment stands right above a line, or above the attributes that stand above it.
    private static func hasComment(_ text: SwiftText, above line: Int) -> Bool {
        var above = line - 1
        while above >= 0, text.code[above].hasPrefix("@"), !hasComment(text, line: above) {
            above -= 1
        }
        return above >= 0 && hasComment(text, line: above)
    }

    private static func functionViolations(_ path: String, _ text: SwiftText) -> [Violation] {
        FunctionLengths.of(text).filter { $0.lines > functionLinesMax }.map { function in
            let advice =
                "a function of \(function.lines) lines, more than \(functionLinesMax);"
                + " give its parts names"
            return Violation(path: path, line: function.line, advice: advice)
        }
    }

    /// Whether the word stands in the line with no letter or digit right before it.
    private static func contains(_ line: String, word: String) -> Bool {
        let line = Array(line.utf8)
        let word = Array(word.utf8)
        guard line.count >= word.count else { return false }
        for start in 0...(line.count - word.count)
        where line[start] == word[0] && line[start..<start + word.count].elementsEqual(word) {
            let before = start > 0 ? line[start - 1] : UInt8(ascii: " ")
            let end = start + word.count
            let after = end < line.count ? line[end] : UInt8(ascii: " ")
            let isInsideName =
                isNamePart(before) || isNamePart(word[word.count - 1]) && isNamePart(after)
            if !isInsideName { return true }
        }
        return false
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
