import APNSSimulator
import Glibc
import LinuxIO
import TestSupport
import Testing

/// `sortie simulator` and `sortie demo` as programs of their own.
@Suite(.enabled(if: TestCluster.isExpected)) struct SimulatorAndDemoTests {
    @Test func theSimulatorServesTheConfigurationThatItWrites() throws {
        try Scene.with { scene in
            try scene.importDevices(100)
            try scene.campaign()
            let simulator = try scene.program.start([
                "simulator", "--port", "0", "--folder", "stand-in", "--database", scene.database,
                "--statistics", "seen.json",
            ])
            let configuration = "\(scene.folder.path)/stand-in/sortie.json"
            let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
            while !FileContents.exists(configuration) {
                try #require(MonotonicClock.nanoseconds() < deadline, "\(simulator.errors)")
                usleep(5_000)
            }
            let run = try scene.program.run("run", "sale.json", "--config", configuration)
            #expect(run.status == 0, "\(run.errors)")
            simulator.signal(SIGTERM)
            let end = try simulator.wait(seconds: 30)
            #expect(end.status == 0)
            #expect(end.output.hasPrefix("received 100 requests"))
            let seen = try RepositoryRoot.text(of: "\(scene.folder.path)/seen.json")
            #expect(try scene.field("requests", ofJSON: seen) == "100")
            #expect(scene.simulator.snapshot().requests == 0)
        }
    }

    @Test func aPortInUseIsSaid() throws {
        try Scene.with { scene in
            let result = try scene.program.run("simulator", "--port", String(scene.port))
            #expect(result.status == 69)
            #expect(result.errors.contains("127.0.0.1:\(scene.port)"))
        }
    }

    @Test func theDemoKeepsItsPromisesAndLeavesNothingBehind() throws {
        let folder = try TemporaryFolder()
        var program = BuiltProgram(folder: folder.path)
        program.environment["TMPDIR"] = folder.path
        let result = try program.run("demo", "--devices", "500", seconds: 120)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("accepted by APNs"))
        #expect(result.output.contains("tokens accepted twice in the main send"))
        #expect(!result.output.contains("NOT AS PROMISED"), "\(result.output)")
        #expect(RepositoryRoot.files(in: folder.path).count { $0.hasPrefix("sortie-demo") } == 0)
    }

    @Test func aStoppedDemoLeavesNothingBehind() throws {
        let folder = try TemporaryFolder()
        var program = BuiltProgram(folder: folder.path)
        program.environment["TMPDIR"] = folder.path
        let demo = try program.start(["demo", "--devices", "5000", "--rate", "100"])
        let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
        while !demo.errors.contains("Preflight") {
            try #require(MonotonicClock.nanoseconds() < deadline, "\(demo.errors)")
            usleep(5_000)
        }
        demo.signal(SIGINT)
        #expect(try demo.wait(seconds: 60).status == 75)
        #expect(RepositoryRoot.files(in: folder.path).count { $0.hasPrefix("sortie-demo") } == 0)
    }
}
