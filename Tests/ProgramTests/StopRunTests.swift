import APNSSimulator
import Glibc
import TestSupport
import Testing

/// Pausing, resuming and cancelling from another process.
@Suite(.enabled(if: TestCluster.isExpected)) struct StopRunTests {
    private static let words = ["run", "sale.json", "--occurrence", "one", "--json"]

    private func prepare(_ scene: Scene) throws -> RunningProgram {
        try scene.importDevices(2_000)
        try scene.campaign(send: "rate: 300, burst: 20")
        let run = try scene.program.start(Self.words)
        try scene.waitForRequests(200)
        return run
    }

    /// knadh/listmonk#2313: a paused campaign went on by itself, and people got several copies.
    @Test func aPauseHoldsUntilSomebodyResumes() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            let run = try prepare(scene)
            let pause = try scene.program.run("pause", "sale")
            #expect(pause.status == 0, "\(pause.errors)")
            #expect(pause.output.contains("is paused; 1 worker stopped, "), "\(pause.output)")
            let stopped = try run.wait(seconds: 40)
            #expect(stopped.status == 75)
            #expect(stopped.errors.contains("sortie resume 1"), "\(stopped.errors)")
            #expect(try scene.value("SELECT unknown FROM report.run_summary") == "0")
            let requests = scene.simulator.snapshot().requests

            // Neither the scheduler nor a worker goes on with it.
            #expect(try scene.program.start(Self.words).wait(seconds: 40).status == 75)
            #expect(try scene.program.run("work", "--once").status == 0)
            #expect(scene.simulator.snapshot().requests == requests)
            #expect(try scene.program.run("status").output.contains("sortie resume 1"))

            let resume = try scene.program.run("resume", "1", "--json")
            #expect(resume.status == 0, "\(resume.errors)")
            #expect(try scene.field("accepted", ofJSON: resume.output) == "2000")
            #expect(try scene.sumHolds())
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
            #expect(try scene.program.run("resume", "1").status == 0)
            #expect(try scene.program.run("pause", "1").status == 65)
        }
    }

    @Test func aRunThatMayGoOnIsTakenUpByAWorker() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            let run = try prepare(scene)
            #expect(try scene.program.run("pause", "1").status == 0)
            _ = try run.wait(seconds: 40)
            #expect(try scene.program.run("resume", "1", "--no-work").status == 0)
            let work = try scene.program.run("work", "--once")
            #expect(work.status == 0, "\(work.errors)")
            #expect(try scene.value("SELECT accepted FROM report.run_summary") == "2000")
        }
    }

    @Test func aCancelledRunIsOverForGood() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            let run = try prepare(scene)
            let unsure = try scene.program.run("cancel", "1")
            #expect(unsure.status == 64)
            #expect(unsure.errors.contains("--yes"))
            #expect(try scene.value("SELECT wish IS NULL FROM sortie.run") == "t")
            let cancel = try scene.program.run("cancel", "1", "--yes")
            #expect(cancel.status == 0, "\(cancel.errors)")
            #expect(cancel.output.contains("is cancelled; 1 worker stopped"))
            #expect(try run.wait(seconds: 40).status == 75)
            #expect(try scene.sumHolds())
            #expect(try scene.program.run("cancel", "1", "--yes").status == 0)
            #expect(try scene.program.run("resume", "1").status == 65)
            #expect(try scene.program.run("work", "--once").status == 0)
            #expect(try scene.value("SELECT state FROM sortie.run") == "cancelled")
        }
    }

    @Test(arguments: ["pause", "cancel", "resume", "status"])
    func aRunThatIsNotThereIsSaidSo(command: String) throws {
        try Scene.with { scene in
            let result = try scene.program.run(command, "99")
            #expect(result.status == 65)
            #expect(result.errors.contains("There is no run \"99\""))
        }
    }
}
