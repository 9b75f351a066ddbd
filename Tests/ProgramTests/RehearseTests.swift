import APNSSimulator
import TestSupport
import Testing

/// `sortie rehearse`: everything but the consequences.
@Suite(.enabled(if: TestCluster.isExpected)) struct RehearseTests {
    @Test func predictsAndChangesNothing() throws {
        try Scene.with { scene in
            try scene.importDevices(300)
            try scene.campaign(preflight: "probe: all, rate: unlimited")
            let result = try scene.program.run(
                "rehearse", "sale.json", "--dead", "0.2", "--latency", "5")
            #expect(result.status == 0, "\(result.errors)")
            for part in [
                "Rehearsal, run 1, sale rehearsal-", "accepted by the simulator",
                "skipped", "pruned", "Predicted duration at this pace: ", "preflight ",
                "main send ", "Payloads: ", "APNs was not contacted, and no device has changed",
            ] {
                #expect(result.output.contains(part), "\(part): \(result.output)")
            }
            for said in [result.output, result.errors] {
                #expect(!said.contains("accepted by APNs"))
            }
            #expect(scene.simulator.snapshot().requests == 0)
            #expect(try scene.activeDevices() == 300)
            #expect(try scene.value("SELECT count(*) FROM sortie.device_event") == "0")
            #expect(try scene.value("SELECT count(*) FROM sortie.provider_token") == "0")
            #expect(try scene.sumHolds())

            let status = try scene.program.run("status")
            #expect(status.output.contains("rehearsal\n"), "\(status.output)")
            // The real run is another one, and begins from nothing.
            let real = try scene.program.run("run", "sale.json", "--json")
            #expect(real.status == 0, "\(real.errors)")
            #expect(try scene.field("rehearsal", ofJSON: real.output) == "false")
            #expect(try scene.field("accepted", ofJSON: real.output) == "300")
            #expect(
                try scene.value(
                    "SELECT sum(accepted) FROM report.outcome_by_minute WHERE phase = 'send'")
                    == "300")
        }
    }

    @Test func needsNoCredentialsAndSpeaksJSON() throws {
        try Scene.with { scene in
            try scene.importDevices(40)
            try scene.campaign()
            try scene.folder.write("sortie.json", "{ database: \"\(scene.database)\" }\n")
            let result = try scene.program.run("rehearse", "sale.json", "--json", "--quiet")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.isEmpty)
            #expect(try scene.field("rehearsal", ofJSON: result.output) == "true")
            #expect(try scene.field("accepted", ofJSON: result.output) == "40")
            let seconds = try scene.field("predicted_seconds", ofJSON: result.output)
            #expect(seconds.flatMap { Int($0) }.map { (1...20).contains($0) } == true)
            let bytes = try scene.field("payload_bytes_mean", ofJSON: result.output)
            #expect(bytes.flatMap { Int($0) }.map { (40...200).contains($0) } == true)
        }
    }

    /// A brake that would stop the real run stops the rehearsal, with the same exit status.
    @Test func aBrakeStopsItLikeARun() throws {
        try Scene.with { scene in
            try scene.importDevices(600)
            try scene.campaign(preflight: "probe: all, rate: unlimited, stop_if: { gone: 20% }")
            let result = try scene.program.run("rehearse", "sale.json", "--dead", "0.9")
            #expect(result.status == 75, "\(result.errors)")
            #expect(result.errors.contains("brake gone"))
            #expect(result.output.contains("predicts no duration"))
            #expect(try scene.activeDevices() == 600)
        }
    }

    @Test func theServersRateIsKept() throws {
        try Scene.with { scene in
            try scene.importDevices(100)
            try scene.campaign()
            let result = try scene.program.run(
                "rehearse", "sale.json", "--rate-of-server", "50", "--latency", "0", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let seconds = try scene.field("predicted_seconds", ofJSON: result.output)
            #expect(seconds.flatMap { Int($0) }.map { $0 >= 2 } == true)
        }
    }
}

/// Where a provider token may be, and where not.
@Suite(.enabled(if: TestCluster.isExpected)) struct SecretTests {
    /// pivotal-cf/pivnet-cli#49, OneSignal/OneSignal-Android-SDK#2626: bearer tokens in logs.
    @Test func theProviderTokenIsInItsTableAndNowhereElse() throws {
        try Scene.with(shares: TokenShares(dead: 0.1)) { scene in
            try scene.importDevices(60)
            try scene.campaign(preflight: "probe: all, rate: unlimited")
            var said = ""
            for words in [["run", "sale.json"], ["status"], ["report"]] {
                let result = try scene.program.start(words).wait(seconds: 60)
                #expect(result.status == 0)
                said += result.output + result.errors
            }
            for view in ["summary", "reasons", "recipients", "pruned", "events"] {
                for format in ["table", "csv", "json"] {
                    let result = try scene.program.run(
                        "report", "--view", view, "--format", format)
                    said += result.output + result.errors
                }
            }
            let jwt = try #require(try scene.value("SELECT jwt FROM sortie.provider_token"))
            let parts = jwt.split(separator: ".").map(String.init)
            #expect(parts.count == 3)
            #expect(!said.contains(parts[2]) && !said.contains(parts[1]))
            #expect(try holders(of: parts[2], scene) == "sortie.provider_token")
            #expect(try holders(of: "PRIVATE KEY", scene) == nil)
        }
    }

    /// A refusal is told without the token that was refused.
    @Test func aRefusedTokenIsNotShown() throws {
        try Scene.with { scene in
            try scene.importDevices(20)
            try scene.campaign()
            let other = try SimulatorCredentials.make(in: "\(scene.folder.path)/other")
            try scene.configure(keyFile: other.keyFile)
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 77)
            let jwt = try #require(try scene.value("SELECT jwt FROM sortie.provider_token"))
            let signature = String(jwt.split(separator: ".")[2])
            #expect(!(result.output + result.errors).contains(signature))
            #expect(try holders(of: signature, scene) == "sortie.provider_token")
        }
    }

    /// The tables and views with a row that has this text.
    private func holders(of text: String, _ scene: Scene) throws -> String? {
        let names = try scene.value(
            """
            SELECT string_agg(format('%I.%I', n.nspname, c.relname), ' ' ORDER BY c.oid)
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('sortie', 'report') AND c.relkind IN ('r', 'p', 'v')
            """)
        let found = try (names ?? "").split(separator: " ").filter { name in
            try scene.value(
                "SELECT EXISTS (SELECT FROM \(name) AS t WHERE t::text LIKE '%\(text)%')") == "t"
        }
        return found.isEmpty ? nil : found.joined(separator: " ")
    }
}
