import RunSimulation
import Testing

/// The whole of a run under faults at every point, out of seeds.
@Suite struct SimulationTests {
    /// 200 seeds in the suite; Scripts/simulate lives through as many as one likes.
    @Test(arguments: stride(from: UInt64(1), through: 200, by: 25).map { $0 })
    func everyPromiseIsKept(first: UInt64) {
        for seed in first..<(first + 25) {
            let report = Simulation.run(seed: seed)
            #expect(report.fault == nil, "seed \(seed)")
        }
    }

    /// Seeds that found what docs/simulation.md tells of, when it was wrong.
    @Test(arguments: [
        (UInt64(3357), "a batch is carried out late and counted twice"),
        (1586, "the last worker dies before it grants a wish"),
        (7, "a parked recipient that is skipped stays parked"),
        (9464, "a worker leaves although it could not record everything"),
    ])
    func seedsThatFoundFaultsPass(seed: UInt64, found: String) {
        #expect(Simulation.run(seed: seed).fault == nil, "\(found)")
    }

    @Test(arguments: [3, 11, 42])
    func theSameSeedLivesTheSameLife(seed: UInt64) {
        let first = Simulation.run(seed: seed)
        var lines = 0
        let second = Simulation.run(seed: seed) { _ in lines += 1 }
        #expect(first == second)
        #expect(lines > 0)
    }

    @Test func differentSeedsLiveDifferentLives() {
        let digests = (UInt64(1)...10).map { Simulation.run(seed: $0).digest }
        #expect(Set(digests).count == digests.count)
    }

    /// The seeds meet what they are there for.
    @Test func troubleIsMet() {
        var reports: [Simulation.Report] = []
        for seed in UInt64(1)...40 { reports.append(Simulation.run(seed: seed)) }
        #expect(reports.contains { $0.kills > 0 })
        #expect(reports.contains { $0.evictions > 0 })
        #expect(reports.contains { $0.doubts > 0 })
        #expect(reports.contains { $0.late > 0 })
        #expect(reports.contains { $0.pauses > 0 })
        #expect(reports.contains { $0.state == "finished" })
    }

    /// A database that breaks a rule is found out, by the check that is there for it.
    @Test(arguments: [
        (ModelFault.forgetsFence, ["LOST", "SUM", "ONCE", "LATE", "ANNOUNCED"]),
        (.forgetsDoubt, ["LOST"]),
        (.resendsAlways, ["ONCE"]),
        (.forgetsMarks, ["ANNOUNCED"]),
        (.keepsSkipped, ["SUM"]),
    ])
    func aBrokenRuleIsNoticed(fault: ModelFault, rules: [String]) {
        for seed in UInt64(1)...300 {
            guard let found = Simulation.run(seed: seed, fault: fault).fault else { continue }
            let rule = found.prefix { $0 != ":" }
            #expect(rules.contains(String(rule)), "\(found)")
            return
        }
        Issue.record("300 seeds did not notice \(fault)")
    }
}
