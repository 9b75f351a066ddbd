import APNSSimulator
import TestSupport
import Testing

/// `sortie report` and `sortie status` on a run with several outcomes.
@Suite(.enabled(if: TestCluster.isExpected)) struct ReportTests {
    private func withRun(_ body: (Scene) throws -> Void) throws {
        try Scene.with(shares: TokenShares(dead: 0.1)) { scene in
            try scene.importDevices(200)
            try scene.campaign()
            let result = try scene.program.run("run", "sale.json", "--occurrence", "one")
            try #require(result.status == 0, "\(result.errors)")
            try body(scene)
        }
    }

    @Test(arguments: ["summary", "reasons", "recipients", "pruned", "events"])
    func everyViewHasEveryFormat(view: String) throws {
        try withRun { scene in
            let table = try scene.program.run("report", "--view", view)
            #expect(table.status == 0)
            #expect(table.output.split(separator: "\n").count > 1)
            let json = try scene.program.run("report", "1", "--view", view, "--format", "json")
            #expect(json.status == 0)
            #expect(try scene.field("", ofJSON: json.output) != nil)
            let csv = try scene.program.run("report", "--view", view, "--format", "csv")
            #expect(csv.status == 0)
            #expect(csv.output.hasSuffix("\r\n"))
            #expect(csv.output.contains(","))
        }
    }

    @Test func theRecipientsViewHasOneRowForEachWithItsOutcome() throws {
        try withRun { scene in
            let csv = try scene.program.run("report", "--view", "recipients", "--format", "csv")
            let rows = csv.output.split(separator: "\r\n")
            #expect(rows.count == 201)
            let refused = rows.count { $0.contains(",rejected,Unregistered,410,") }
            #expect(refused == scene.simulator.snapshot().count(status: 410))
        }
    }

    /// Source: uniqush/uniqush-push#137: refusals counted as successes.
    @Test func textJSONAndDatabaseAgree() throws {
        try withRun { scene in
            let refused = scene.simulator.snapshot().count(status: 410)
            let json = try scene.program.run("report", "--format", "json").output
            #expect(try scene.field("rejected", ofJSON: json) == String(refused))
            #expect(
                try scene.value("SELECT rejected FROM report.run_summary") == String(refused))
            let text = try scene.program.run("report").output
            let line = text.split(separator: "\n").first { $0.contains("rejected by APNs") }
            #expect(line?.split(separator: " ").contains("\(refused)") == true)
            #expect(text.contains("The token is no longer active for the app."))
        }
    }

    @Test func statusListsTheRuns() throws {
        try withRun { scene in
            let table = try scene.program.run("status")
            #expect(table.output.contains("sale"))
            #expect(table.output.contains("finished"))
            let json = try scene.program.run("status", "--json").output
            #expect(try scene.field("0,recipients", ofJSON: json) == "200")
        }
    }

    @Test(arguments: ["99", "newest", "-1"])
    func aRunThatIsNotThereIsSaidSo(run: String) throws {
        try withRun { scene in
            let result = try scene.program.run("report", "--", run)
            #expect(result.status == 65)
            #expect(result.errors.contains("no run \"\(run)\""))
        }
    }

    @Test func withoutAnyRunThereIsNothingToReport() throws {
        try Scene.with { scene in
            let status = try scene.program.run("status")
            #expect(status.output.hasPrefix("No campaign has been run"))
            #expect(try scene.program.run("report").status == 65)
        }
    }
}
