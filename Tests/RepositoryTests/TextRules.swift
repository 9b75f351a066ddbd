/// Rules for every text file: what an editor or a diff would trip over.
enum TextRules {
    static let columnsMax = 100
    /// Endings of files that are read side by side with their diff.
    static let narrowEndings = [".swift", ".sql", ".sh", ".h", ".c"]

    static func violations(path: String, bytes: [UInt8]) -> [Violation] {
        var found: [Violation] = []
        func report(_ line: Int, _ advice: String) {
            found.append(Violation(path: path, line: line, advice: advice))
        }
        if bytes.isEmpty { report(0, "the file is empty; remove it") }
        if let last = bytes.last, last != UInt8(ascii: "\n") {
            report(0, "the last line has no line end; add one")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if line.last == UInt8(ascii: " ") {
                report(index + 1, "blanks at the end; remove them")
            }
            if line.contains(UInt8(ascii: "\t")) { report(index + 1, "a tab; use blanks") }
            if line.contains(where: isControl) {
                report(index + 1, "a control character; write it as an escape")
            }
            if isNarrow(path, firstLine: lines.first ?? []), columns(line) > columnsMax,
                !isSQLText(path, line)
            {
                report(index + 1, "more than \(columnsMax) columns; break the line")
            }
        }
        return found
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F
    }

    private static func isNarrow(_ path: String, firstLine: ArraySlice<UInt8>) -> Bool {
        narrowEndings.contains { path.hasSuffix($0) } || firstLine.starts(with: "#!".utf8)
    }

    /// The text of a COMMENT stays on one line, so that a search for a sentence finds it.
    private static func isSQLText(_ path: String, _ line: ArraySlice<UInt8>) -> Bool {
        path.hasSuffix(".sql")
            && (line.hasEnding("';") || line.hasEnding("'") || line.hasEnding("',"))
    }

    /// Characters, not bytes: every byte that does not go on with a character begins one.
    private static func columns(_ line: ArraySlice<UInt8>) -> Int {
        line.count { $0 & 0xC0 != 0x80 }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasEnding(_ text: String) -> Bool {
        count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
