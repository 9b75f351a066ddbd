import APNSSimulator
import Glibc
import TestSupport
import Testing

/// Several processes on one run: started together, helping, killed.
@Suite(.enabled(if: TestCluster.isExpected)) struct WorkersTests {
    private static let words = ["run", "sale.json", "--occurrence", "one", "--json"]
    private static let recorders =
        "SELECT count(*) FROM report.run_worker WHERE recipients_recorded > 0"

    private func prepare(_ scene: Scene, devices: Int = 4_000) throws {
        try scene.configure(tuning: "slice: 100")
        try scene.importDevices(devices)
        try scene.campaign(send: "rate: 300, burst: 20, unconfirmed: keep")
    }

    private func expectEverybodyOnce(_ scene: Scene, accepted: Int? = nil) throws {
        #expect(try scene.value("SELECT state FROM report.run_summary") == "finished")
        #expect(try scene.value("SELECT unsent FROM report.run_summary") == "0")
        #expect(try scene.sumHolds())
        #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        if let accepted {
            #expect(
                try scene.value("SELECT accepted FROM report.run_summary") == String(accepted))
        }
    }

    @Test func twoWorkersShareARun() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try prepare(scene)
            let run = try scene.program.start(Self.words + ["--workers", "2", "--verbose"])
            try scene.wait(for: "2", from: Self.recorders)
            let status = try scene.program.run("status", "1")
            #expect(status.output.contains("leads"), "\(status.output)")
            #expect(status.output.contains("works"), "\(status.output)")
            let json = try scene.program.run("status", "1", "--json").output
            #expect(try scene.field("workers", ofJSON: json) == "2")
            #expect(try scene.field("worker_list,1,role", ofJSON: json) == "works")
            let result = try run.wait(seconds: 60)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("Memory in MiB, at most:"))
            #expect(!result.errors.contains("badly"))
            try expectEverybodyOnce(scene, accepted: 4_000)
        }
    }

    @Test func workOnceHelpsWithWhatIsOpenAndEnds() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try prepare(scene)
            let run = try scene.program.start(Self.words)
            try scene.waitForRequests(100)
            let work = try scene.program.start(["work", "--once"])
            try scene.wait(for: "2", from: Self.recorders)
            #expect(try run.wait(seconds: 60).status == 0)
            let result = try work.wait(seconds: 30)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("is finished."), "\(result.errors)")
            try expectEverybodyOnce(scene, accepted: 4_000)
        }
    }

    @Test func idleWorkersEndAsTheyAreTold() throws {
        try Scene.with { scene in
            #expect(try scene.program.run("work", "--once").status == 0)
            #expect(try scene.program.run("work", "--idle-exit", "1s").status == 0)
            let work = try scene.program.start(["work"])
            try scene.wait(
                for: "t",
                from: "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE "
                    + "'sortie work%')")
            work.signal(SIGTERM)
            #expect(try work.wait(seconds: 20).status == 0)
            #expect(try scene.program.run("work", "--run", "7").status == 65)
        }
    }

    /// Without credentials a worker leaves the run to others, and says so once.
    @Test func aMachineWithoutCredentialsLeavesTheRunAlone() throws {
        try Scene.with { scene in
            try prepare(scene, devices: 100)
            let run = try scene.program.start(Self.words)
            try scene.waitForRequests(1)
            run.signal(SIGKILL)
            _ = try run.wait(seconds: 20)
            try scene.configure(app: "com.example.other")
            let result = try scene.program.run("work", "--once")
            #expect(result.status == 78, "\(result.errors)")
            #expect(result.errors.contains("no credentials for com.example.shop"))
        }
    }

    /// knadh/listmonk#2816: two starts of one campaign sent it twice.
    @Test func ofTwoStartsAtTheSameMomentOneSends() throws {
        try Scene.with { scene in
            try prepare(scene, devices: 1_000)
            let starts = try (0..<2).map { _ in try scene.program.start(Self.words) }
            let statuses = try starts.map { try $0.wait(seconds: 60).status }
            #expect(statuses.sorted() == [0, 75])
            try expectEverybodyOnce(scene, accepted: 1_000)
        }
    }

    @Test func whatAKilledWorkerHeldIsTakenOverByTheOther() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try prepare(scene)
            let run = try scene.program.start(Self.words + ["--workers", "2"])
            try scene.wait(for: "2", from: Self.recorders)
            let other = try scene.value(
                "SELECT pid FROM sortie.worker WHERE pid <> \(run.processID)")
            kill(try #require(other.flatMap { pid_t($0) }), SIGKILL)
            let result = try run.wait(seconds: 60)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("1 of 1 other workers ended badly"))
            try expectEverybodyOnce(scene)
        }
    }

    @Test func ifTheFirstProcessIsKilledTheOthersFinish() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try prepare(scene)
            let run = try scene.program.start(Self.words + ["--workers", "2"])
            try scene.wait(for: "2", from: Self.recorders)
            run.signal(SIGKILL)
            try scene.wait(for: "finished", from: "SELECT state FROM report.run_summary")
            try expectEverybodyOnce(scene)
            _ = try run.wait(seconds: 1)
        }
    }

    @Test func aSignalStopsAllProcessesInOrder() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try prepare(scene)
            let run = try scene.program.start(Self.words + ["--workers", "2"])
            try scene.wait(for: "2", from: Self.recorders)
            run.signal(SIGTERM)
            let result = try run.wait(seconds: 60)
            #expect(result.status == 75, "\(result.errors)")
            let open = "SELECT count(*) FROM sortie.worker WHERE ended_at IS NULL"
            #expect(try scene.value(open) == "0")
            #expect(try scene.value("SELECT unknown FROM report.run_summary") == "0")
            #expect(try scene.sumHolds())
            #expect(try scene.program.start(Self.words).wait(seconds: 60).status == 0)
            try expectEverybodyOnce(scene, accepted: 4_000)
        }
    }
}
