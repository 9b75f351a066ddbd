import Testing

/// Each rule finds the fault that it is there for, and says so with path and line.
@Suite struct RuleTests {
    @Test(arguments: [
        ("a.swift", "let a = 1 \n", 1, "blanks"),
        ("a.swift", "\tlet a = 1\n", 1, "tab"),
        ("a.md", "one\u{1B}[0m\n", 1, "control"),
        ("a.md", "one\r\n", 1, "control"),
        ("a.md", "one", 0, "no line end"),
        ("a.md", "", 0, "empty"),
        ("a.sql", String(repeating: "é", count: 101) + "\n", 1, "100 columns"),
        ("Scripts/a", "#!/bin/sh\n" + String(repeating: "a", count: 101) + "\n", 2, "100 columns"),
    ])
    func textRulesFind(path: String, text: String, line: Int, part: String) {
        let found = TextRules.violations(path: path, bytes: Array(text.utf8))
        #expect(found.map(\.line) == [line])
        #expect(found.first?.description.hasPrefix("\(path):\(line): ") == true)
        #expect(found.first?.advice.contains(part) == true)
    }

    @Test func textRulesLetLongLinesStandInPages() {
        let text = String(repeating: "é", count: 100) + "\n"
        #expect(TextRules.violations(path: "a.sql", bytes: Array(text.utf8)).isEmpty)
        let comment = "COMMENT ON TABLE a IS '\(String(repeating: "a", count: 100))';\n"
        #expect(TextRules.violations(path: "a.sql", bytes: Array(comment.utf8)).isEmpty)
        let long = String(repeating: "a", count: 400) + "\n"
        #expect(TextRules.violations(path: "a.md", bytes: Array(long.utf8)).isEmpty)
    }

    @Test(arguments: [
        ("let a = try! f()", "try!"),
        ("let a = b as! C", "as!"),
        ("fatalError(\"no\")", "fatalError("),
        ("print(a)", "print("),
        ("// TODO: later", "TODO"),
        ("let a = 1 // FIXME", "FIXME"),
        ("struct A: @unchecked Sendable {}", "@unchecked Sendable"),
        ("nonisolated(unsafe) var a = 1", "nonisolated(unsafe)"),
    ])
    func swiftRulesFind(source: String, word: String) {
        let found = SwiftRules.violations(path: "Sources/A/A.swift", bytes: Array(source.utf8))
        #expect(found.count == 1)
        #expect(found.first?.advice.contains(word) == true)
    }

    @Test(arguments: [
        "let a = \"try! as! fatalError( TODO\"",
        "// Sound: it is only touched by one thread.\nstruct A: @unchecked Sendable {}",
        "nonisolated(unsafe) let a = 1  // Set once, before any thread starts.",
        "// Sound: behind a lock.\n@safe\nstruct A: @unchecked Sendable {}",
        "fingerprint(a)",
        "let METHODOLOGY_TODOS = 1",
    ])
    func swiftRulesLetStand(source: String) {
        #expect(SwiftRules.violations(path: "Sources/A/A.swift", bytes: Array(source.utf8)).isEmpty)
    }

    @Test func testsMayPrint() {
        let bytes = Array("print(1)".utf8)
        #expect(SwiftRules.violations(path: "Tests/A/A.swift", bytes: bytes).isEmpty)
    }

    @Test(arguments: [(399, 0), (400, 0), (401, 1)])
    func aFileHasAtMost400Lines(lines: Int, faults: Int) {
        let text = String(repeating: "let a = 1\n", count: lines)
        let found = SwiftRules.violations(path: "Sources/A/A.swift", bytes: Array(text.utf8))
        #expect(found.count == faults)
    }

    @Test(arguments: [(59, 0), (60, 0), (61, 1)])
    func aFunctionHasAtMost60Lines(lines: Int, faults: Int) {
        let body = String(repeating: "    a { b() }\n", count: lines - 2)
        let text = "struct A {\nfunc f(_ a: () -> Void = {}) throws(E) -> [Int] {\n\(body)}\n}\n"
        let found = SwiftRules.violations(path: "Sources/A/A.swift", bytes: Array(text.utf8))
        #expect(found.count == faults)
        #expect(found.allSatisfy { $0.line == 2 })
    }

    @Test func functionLengthsSkipRequirementsAndCalls() {
        let source = """
            protocol P {
                func f(a: Int) -> Int
                init()
                var v: Int { get }
            }
            func g() {
                let p = Self.init()
            }
            """
        let found = FunctionLengths.of(SwiftText(source))
        #expect(found == [FunctionLengths.Function(line: 6, lines: 3)])
    }

    @Test(arguments: [
        ("SendPolicy", "import Glibc", "Glibc is not used in this room"),
        ("SendPolicy", "import FoundationEssentials", "FoundationEssentials is not used"),
        ("CampaignModel", "package import LinuxIO", "turn the arrow round"),
        ("TLS", "import COpenSSL", "internal import COpenSSL"),
        ("Wire", "internal import COpenSSL", "belongs to another room"),
        ("CampaignRunner", "import Foundation", "Foundation is not used"),
        ("NewRoom", "import SendPolicy", "add one"),
    ])
    func importRulesFind(room: String, source: String, part: String) {
        let path = "Sources/\(room)/A.swift"
        let found = ImportRules.violations(path: path, bytes: Array(source.utf8))
        #expect(found.count == 1)
        #expect(found.first?.advice.contains(part) == true)
    }

    @Test(arguments: [
        ("TLS", "internal import COpenSSL"),
        ("CampaignModel", "package import DocumentTree"),
        ("CommandLineTool", "internal import FoundationEssentials"),
        ("Wire", "// import Foundation"),
        ("Wire", "let text = \"import Foundation\""),
    ])
    func importRulesLetStand(room: String, source: String) {
        let path = "Sources/\(room)/A.swift"
        #expect(ImportRules.violations(path: path, bytes: Array(source.utf8)).isEmpty)
    }

    @Test(arguments: [
        ("# One\n# Two\n", 0, "2 titles"),
        ("no title\n", 0, "0 titles"),
        ("# One\n[a](missing.md)\n", 2, "missing.md"),
        ("# One\n[a](../missing.md#part)\n", 2, "missing.md"),
    ])
    func markdownRulesFind(text: String, line: Int, part: String) {
        let found = MarkdownRules.violations(path: "docs/a.md", text: text) { _ in false }
        #expect(found.map(\.line) == [line])
        #expect(found.first?.advice.contains(part) == true)
    }

    @Test func markdownRulesLetCodeAndOutsideLinksStand() {
        let text = "# One\n```\n# no title\n[a](b.md)\n```\n[w](https://example.com) [p](#part)\n"
        #expect(MarkdownRules.violations(path: "a.md", text: text) { _ in false }.isEmpty)
    }

    @Test(arguments: [
        ("b.md", "docs/a.md", "docs/b.md"), ("../b.md#c", "docs/a.md", "b.md"),
        ("./b/", "a.md", "b"),
    ])
    func markdownLinksStartFromTheirPage(target: String, page: String, path: String) {
        #expect(MarkdownRules.resolved(target, from: page) == path)
    }

    @Test func wordRulesFindPathsAndKeys() {
        let path = "/" + "home/ann/key.p8"
        #expect(WordRules.violations(path: "a.md", text: "see \(path)\n").map(\.line) == [1])
        let key = "-----BEGIN PRIVATE" + " KEY-----"
        #expect(WordRules.violations(path: "a.p8", text: "\n\(key)\n").map(\.line) == [2])
    }

    @Test func statementsDoNotClaimDelivery() {
        let column = "    delivered bigint, -- a count\n"
        #expect(WordRules.claims(path: "a.sql", text: column).map(\.line) == [1])
        let note = "COMMENT ON COLUMN a.b IS 'accepted by APNs, which is not delivered';\n"
        #expect(WordRules.claims(path: "a.sql", text: "-- not delivered\n" + note).isEmpty)
    }

    @Test func campaignFieldsMustBeExplained() {
        let text = """
            {
              send: { rate: 5, pace: 1 }, # rate: see above
              data: { url: "a:b", more: { deep: 1 } },
              translations: { de: { rate: "x" }, pt: {} }
            }
            """
        let found = CampaignFieldRules.violations(
            path: "Campaigns/a.json", text: text,
            manual: "`send` `send.rate` `data` `translations`")
        #expect(found.map(\.line) == [2])
        #expect(found.first?.advice.contains("pace") == true)
    }
}
