import Testing

/// The repository keeps its own rules. Each rule has its own tests in the file named for it.
@Suite struct HouseRulesTests {
    private let swiftFiles = RepositoryFiles.paths(endingWith: ".swift")

    @Test func theRepositoryHasFilesToCheck() {
        #expect(swiftFiles.contains("Package.swift"))
        #expect(RepositoryFiles.paths.contains("Scripts/test"))
    }

    @Test func everyTextFileIsTidy() {
        let found = RepositoryFiles.paths.flatMap {
            TextRules.violations(path: $0, bytes: RepositoryFiles.bytes($0))
        }
        expectNone(found)
    }

    @Test func everySwiftFileKeepsTheHouseRules() {
        let found = swiftFiles.flatMap {
            SwiftRules.violations(path: $0, bytes: RepositoryFiles.bytes($0))
        }
        expectNone(found)
    }

    @Test func everyRoomImportsOnlyWhatBelongsToIt() {
        let found = swiftFiles.flatMap {
            ImportRules.violations(path: $0, bytes: RepositoryFiles.bytes($0))
        }
        expectNone(found)
    }

    @Test func everyPageHasOneTitleAndNoBrokenLink() {
        let found = RepositoryFiles.paths(endingWith: ".md").flatMap {
            MarkdownRules.violations(
                path: $0, text: RepositoryFiles.text($0), exists: RepositoryFiles.exists)
        }
        expectNone(found)
    }

    @Test func noFileHasAWordThatDoesNotBelongThere() {
        let found = RepositoryFiles.paths.flatMap {
            WordRules.violations(path: $0, text: RepositoryFiles.text($0))
        }
        expectNone(found)
    }

    @Test func noStatementClaimsThatAPushWasDelivered() {
        let found = RepositoryFiles.paths(endingWith: ".sql").flatMap {
            WordRules.claims(path: $0, text: RepositoryFiles.text($0))
        }
        expectNone(found)
    }

    @Test func everyFieldOfTheExamplesIsInTheManual() {
        let manual = RepositoryFiles.text("Campaigns/README.md")
        let examples = RepositoryFiles.paths(endingWith: ".json")
            .filter { $0.hasPrefix("Campaigns/") }
        let found = examples.flatMap {
            CampaignFieldRules.violations(
                path: $0, text: RepositoryFiles.text($0), manual: manual)
        }
        expectNone(found)
    }

    /// Fails with a list that a terminal makes into links.
    private func expectNone(
        _ found: [Violation], location: SourceLocation = #_sourceLocation
    ) {
        if found.isEmpty { return }
        Issue.record("\(found.count) to mend:\n\(listed(found))", sourceLocation: location)
    }

    @Test func everyScriptCanBeStarted() {
        let scripts = RepositoryFiles.paths.filter { RepositoryFiles.text($0).hasPrefix("#!") }
        #expect(scripts.contains(".ci/run"))
        let locked = scripts.filter { !RepositoryFiles.isExecutable($0) }
        #expect(locked.isEmpty, "make executable: \(locked)")
    }

    @Test func onlyScriptsCanBeStarted() {
        let others = RepositoryFiles.paths.filter {
            RepositoryFiles.isExecutable($0) && !RepositoryFiles.text($0).hasPrefix("#!")
        }
        // Root may "execute" nothing that has no execute bit, so this holds for every user.
        #expect(others.isEmpty, "executable by mistake: \(others)")
    }

    @Test func theContinuousIntegrationOnlyCallsTheTestScript() {
        let commands = RepositoryFiles.text(".ci/run").split(separator: "\n").filter {
            !$0.hasPrefix("#") && !$0.hasPrefix("set ")
        }
        #expect(commands.count == 1)
        #expect(commands.first?.contains("/Scripts/test") == true)
    }
}
