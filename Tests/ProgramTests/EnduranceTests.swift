import APNSSimulator
import Glibc
import LinuxIO
import TestSupport
import Testing

/// What is left after a process died or was ended at once, and how much memory a run takes.
@Suite(.enabled(if: TestCluster.isExpected)) struct EnduranceTests {
    private static let words = ["run", "sale.json", "--occurrence", "one", "--json"]

    private func number(_ sql: String, _ scene: Scene) throws -> Int {
        try scene.value(sql).flatMap { Int($0) } ?? -1
    }

    /// knadh/listmonk#2278, knadh/listmonk#2168, knadh/listmonk#1762: a campaign was finished with
    /// people left. Here the operator does not even wait for the answers on the wire.
    @Test func afterASecondSignalTheSameCommandGoesOn() throws {
        try Scene.with(latencyMilliseconds: 200) { scene in
            try scene.importDevices(1_000)
            try scene.campaign(send: "rate: 400, burst: 20, unconfirmed: keep")
            let first = try scene.program.start(Self.words)
            try scene.waitForRequests(300)
            first.signal(SIGINT)
            while !first.errors.contains("Stopping") { usleep(5_000) }
            first.signal(SIGINT)
            #expect(try first.wait(seconds: 20).status == 75)
            #expect(try scene.sumHolds())
            #expect(try number("SELECT unsent FROM report.run_summary", scene) > 0)
            #expect(try scene.value("SELECT state FROM report.run_summary") != "finished")

            let second = try scene.program.start(Self.words).wait(seconds: 60)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try scene.field("unsent", ofJSON: second.output) == "0")
            #expect(try scene.sumHolds())
            #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
        }
    }

    /// rpush/rpush#120, rpush/rpush#494, rpush/rpush#648, parse-community/parse-server#4315: what
    /// was in flight in a process that died stayed so for ever, and blocked others.
    @Test func whatADeadProcessHeldBlocksNobodyAndIsTakenUpAgain() throws {
        try Scene.with(latencyMilliseconds: 20) { scene in
            try scene.importDevices(1_000)
            try scene.campaign(send: "rate: 400, burst: 20, unconfirmed: keep")
            let first = try scene.program.start(Self.words)
            try scene.waitForRequests(300)
            first.signal(SIGKILL)
            _ = try first.wait(seconds: 20)

            let file = try RepositoryRoot.text(of: "\(scene.folder.path)/sale.json")
            try scene.folder.write(
                "other.json",
                file.replacing("campaign: sale", with: "campaign: other")
                    .replacing("rate: 400, burst: 20", with: "rate: unlimited"))
            let other = try scene.program.run("run", "other.json", "--json")
            #expect(other.status == 0, "\(other.errors)")
            #expect(try scene.field("accepted", ofJSON: other.output) == "1000")

            let second = try scene.program.start(Self.words).wait(seconds: 60)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try scene.field("unsent", ofJSON: second.output) == "0")
            #expect(try scene.sumHolds())
            #expect(try number("SELECT count(*) FROM sortie.retry", scene) == 0)
            let open = "SELECT count(*) FROM sortie.worker WHERE ended_at IS NULL"
            #expect(try number(open, scene) == 0)
            // Each of the two campaigns reached everybody once, but for those in doubt.
            let seen = scene.simulator.snapshot().answers.first { $0.status == 200 }?.sends ?? 0
            let accepted = try number("SELECT sum(accepted) FROM report.run_summary", scene)
            let unknown = try number("SELECT sum(unknown) FROM report.run_summary", scene)
            #expect(accepted + unknown == 2_000)
            #expect((accepted...2_000).contains(seen))
        }
    }

    /// parse-community/parse-server#1662, parse-community/parse-server#2552, node-apn/node-apn#578,
    /// fredericbarrau/pushserver#6: the memory of senders grew with the list until it was gone.
    @Test(.enabled(if: !ProcessMemory.isSanitized))
    func memoryDoesNotGrowWithTheAudience() throws {
        var peaks: [(imported: Int, sent: Int)] = []
        for count in [2_000, 100_000] {
            try Scene.with { scene in
                try scene.folder.write("devices.csv", Self.devices(count))
                try scene.campaign(send: "rate: unlimited")
                let imported = try peak(
                    ["devices", "import", "devices.csv", "--app", Scene.app]
                        + ["--environment", "production"], scene)
                let sent = try peak(Self.words, scene)
                peaks.append((imported: imported, sent: sent))
                let accepted = try number("SELECT accepted FROM report.run_summary", scene)
                #expect(accepted == count)
                #expect(try scene.sumHolds())
                #expect(scene.simulator.snapshot().sendTokensAcceptedAgain == 0)
            }
        }
        // A list of the tokens alone would be 10 MB; with names and payloads it was 100 elsewhere.
        #expect(peaks[1].imported - peaks[0].imported < 8_192, "\(peaks)")
        #expect(peaks[1].sent - peaks[0].sent < 16_384, "\(peaks)")
        #expect(peaks[1].sent < 131_072, "\(peaks)")
    }

    /// Runs the program to its end; the most memory it had, in kilobytes, as last seen.
    private func peak(_ words: [String], _ scene: Scene) throws -> Int {
        let running = try scene.program.start(words)
        var peak = 0
        while let now = ProcessMemory.peakKilobytes(of: running.processID) {
            peak = max(peak, now)
            usleep(5_000)
        }
        let result = try running.wait(seconds: 120)
        try #require(result.status == 0, "\(result.errors)")
        return peak
    }

    private static func devices(_ count: Int) -> [UInt8] {
        var bytes = Array("token,user_id,registered_at,first_name\n".utf8)
        bytes.reserveCapacity(count * 120)
        for number in 1...count {
            let digits = String(number, radix: 16)
            bytes.append(contentsOf: "c0ffee".utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 58 - digits.count))
            bytes.append(contentsOf: "\(digits),u\(number),2026-06-01T00:00:00Z,N\n".utf8)
        }
        return bytes
    }
}

private enum ProcessMemory {
    /// Sanitizers keep memory of their own.
    static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// The most memory that a process had so far; nil when it has ended.
    static func peakKilobytes(of processID: pid_t) -> Int? {
        let path = "/proc/\(processID)/status"
        guard let bytes = try? FileContents.read(path, limitBytes: 65_536) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { $0.split(whereSeparator: { !$0.isNumber }).first }.flatMap { Int($0) }
    }
}
