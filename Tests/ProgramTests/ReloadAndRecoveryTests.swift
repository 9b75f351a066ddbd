import APNSSimulator
import Glibc
import TestSupport
import Testing

/// Credentials that are read again, and a database that goes away for good in the middle.
@Suite(.enabled(if: TestCluster.isExpected)) struct ReloadAndRecoveryTests {
    private static let words = ["run", "sale.json", "--occurrence", "one", "--json"]

    /// Source: rpush/rpush#648: only a restart made a new certificate known.
    @Test func aHangupReadsTheCredentialsAgainAndTheRunGoesOn() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try scene.importDevices(3_000)
            try scene.campaign(send: "rate: 300, burst: 20")
            let run = try scene.program.start(Self.words)
            try scene.waitForRequests(200)
            run.signal(SIGHUP)
            try scene.wait(for: "The credentials were read again.", saidBy: run)
            try scene.configure(keyFile: "AuthKey_MISSING.p8")
            run.signal(SIGHUP)
            try scene.wait(for: "the old ones stay.", saidBy: run)
            let result = try run.wait(seconds: 60)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("AuthKey_MISSING.p8"))
            #expect(try scene.field("accepted", ofJSON: result.output) == "3000")
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        }
    }

    @Test func whatCouldNotBeRecordedIsRecordedByResume() throws {
        try Scene.with(latencyMilliseconds: 5) { shared in
            // A database of its own, which can be stopped.
            var program = shared.program
            program.environment["SORTIE_HOME"] = "\(shared.folder.path)/home"
            let scene = Scene(
                folder: shared.folder, program: program, simulator: shared.simulator,
                port: shared.port, credentials: shared.credentials, database: shared.database)
            try scene.configure(tuning: "database_patience: 1s", isPrivate: true)
            defer { _ = try? program.run("database", "stop") }
            try scene.importDevices(2_000)
            try scene.campaign(send: "rate: 300, burst: 20, unconfirmed: keep")
            let run = try program.start(Self.words)
            try scene.waitForRequests(400)
            #expect(try program.run("database", "stop").status == 0)
            let stopped = try run.wait(seconds: 60)
            #expect(stopped.status == 69, "\(stopped.errors)")
            #expect(stopped.errors.contains("What could not be recorded is kept in "))
            let state = "\(shared.folder.path)/state"
            #expect(system("cp -r '\(state)/recovery' '\(state)/copy'") == 0)

            let resume = try program.start(["resume", "sale", "--json"]).wait(seconds: 90)
            #expect(resume.status == 0, "\(resume.errors)")
            #expect(resume.errors.contains("recorded from its recovery file"))
            #expect(try scene.field("accepted", ofJSON: resume.output) == "2000")
            #expect(try scene.field("unknown", ofJSON: resume.output) == "0")
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
            #expect(RepositoryRoot.files(in: "\(state)/recovery").isEmpty)

            // As if that had died just before it removed the file: doing it again changes nothing.
            #expect(system("cp '\(state)'/copy/* '\(state)/recovery/'") == 0)
            #expect(try program.run("resume", "sale").status == 0)
            let report = try program.run("report", "--format", "json").output
            #expect(try scene.field("accepted", ofJSON: report) == "2000")
            #expect(try scene.field("unknown", ofJSON: report) == "0")
            #expect(RepositoryRoot.files(in: "\(state)/recovery").isEmpty)
        }
    }
}
