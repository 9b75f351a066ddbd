/// Words that must not be in any file, with what to say instead.
enum WordRules {
    /// A word is made of parts here, so that this file does not contain it.
    private static let banned: [(word: String, advice: String)] = [
        ("/" + "home/", "a path of somebody's machine; write a relative one or \"~\""),
        ("/" + "Users/", "a path of somebody's machine; write a relative one or \"~\""),
        ("/" + "root/", "a path of somebody's machine; write a relative one or \"~\""),
        ("BEGIN PRIVATE" + " KEY", "a private key; make one when the test starts"),
        ("BEGIN EC PRIVATE" + " KEY", "a private key; make one when the test starts"),
        ("BEGIN" + " CERTIFICATE", "a certificate; make one when the test starts"),
    ]
    /// Files that speak of these words as what they refuse or make.
    private static let pemEndings = [".swift"]

    static func violations(path: String, text: String) -> [Violation] {
        let bans = banned.filter { ban in
            !ban.word.hasPrefix("BEGIN") || !pemEndings.contains { path.hasSuffix($0) }
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
            index, line in
            bans.filter { line.contains($0.word) }.map {
                Violation(path: path, line: index + 1, advice: $0.advice)
            }
        }
    }

    /// APNs says "accepted"; what reached a device nobody knows. So no column may claim it.
    static func claims(path: String, text: String) -> [Violation] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            let code = line.split(separator: "--", omittingEmptySubsequences: false).first ?? ""
            // Comments for readers of the database may well say that accepted is not delivered.
            let isProse = line.contains("'")
            guard !isProse, code.lowercased().contains("delivered") else { return nil }
            let advice = "\"delivered\" is more than APNs tells; say \"accepted\""
            return Violation(path: path, line: index + 1, advice: advice)
        }
    }
}
