import APNSSimulator
import Glibc
import TestSupport
import Testing

/// Runs that are stopped, killed, or started twice.
@Suite(.enabled(if: TestCluster.isExpected)) struct InterruptionTests {
    private static let words = ["run", "sale.json", "--occurrence", "one", "--json"]

    /// Source: knadh/listmonk#2278: shutdown ended a campaign as finished.
    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalStopsInOrderAndTheSameCommandGoesOn(signal: Int32) throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try scene.importDevices(2_000)
            try scene.campaign(send: "rate: 400, burst: 20")
            let first = try scene.program.start(Self.words)
            try scene.waitForRequests(300)
            first.signal(signal)
            let stopped = try first.wait(seconds: 40)
            #expect(stopped.status == 75, "\(stopped.errors)")
            #expect(try scene.field("end", ofJSON: stopped.output) == "stopped")
            #expect(try scene.field("unknown", ofJSON: stopped.output) == "0")
            #expect(try scene.sumHolds())

            let second = try scene.program.start(Self.words).wait(seconds: 60)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try scene.field("accepted", ofJSON: second.output) == "2000")
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        }
    }

    /// Sources: knadh/listmonk#2313, phpservermon/phpservermon#9: people got several copies, or a
    /// lock that was left blocked every later start.
    @Test func afterAKillTheSameCommandGoesOnAndNobodyGetsTwo() throws {
        try Scene.with(latencyMilliseconds: 5) { scene in
            try scene.importDevices(2_000)
            try scene.campaign(send: "rate: 400, burst: 20, unconfirmed: keep")
            let first = try scene.program.start(Self.words)
            try scene.waitForRequests(300)
            first.signal(SIGKILL)
            _ = try first.wait(seconds: 40)
            #expect(try scene.sumHolds())

            let second = try scene.program.start(Self.words).wait(seconds: 60)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try scene.field("unsent", ofJSON: second.output) == "0")
            #expect(try scene.field("recipients", ofJSON: second.output) == "2000")
            #expect(try scene.sumHolds())
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        }
    }

    /// Source: knadh/listmonk#2816: two starts of one campaign sent it twice.
    @Test func aSecondStartSendsNothingAndSaysWhoRuns() throws {
        try Scene.with { scene in
            try scene.importDevices(1_000)
            try scene.campaign(send: "rate: 200, burst: 20")
            let first = try scene.program.start(Self.words)
            try scene.waitForRequests(50)
            let second = try scene.program.start(Self.words).wait(seconds: 40)
            #expect(second.status == 75)
            #expect(second.errors.contains("process \(first.processID)"), "\(second.errors)")
            first.signal(SIGTERM)
            #expect(try first.wait(seconds: 40).status == 75)
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        }
    }

    @Test func aSecondSignalEndsAtOnce() throws {
        try Scene.with(shares: TokenShares(ignored: 1)) { scene in
            try scene.importDevices(100)
            try scene.campaign(send: "rate: 400, burst: 20")
            let running = try scene.program.start(Self.words)
            // No good answer, so no second stream either.
            try scene.waitForRequests(1)
            running.signal(SIGINT)
            while !running.errors.contains("Stopping") { usleep(5_000) }
            running.signal(SIGINT)
            #expect(try running.wait(seconds: 5).status == 75)
        }
    }
}
