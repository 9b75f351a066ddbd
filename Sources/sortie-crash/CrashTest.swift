internal import LinuxIO

/// The rounds, one after the other, and the table.
struct CrashTest {
    let options: CrashOptions
    let stop: StopFlag
    let say: (String) -> Void

    /// Plays all rounds.
    ///
    /// - Returns: Whether every promise held in every round.
    func run() throws -> Bool {
        let stage = try CrashStage(options: options, stop: stop)
        say(
            "\(options.rounds) rounds of \(NumberText.grouped(options.recipients)) recipients "
                + "with \(options.workers) workers for each of "
                + options.rules.map(\.rawValue).joined(separator: ", ")
                + ", from seed \(options.seed)")
        var results: [RoundResult] = []
        var failure: (any Error)?
        do {
            try play(stage, &results)
        } catch {
            failure = error
        }
        let broken = results.filter { !$0.broken.isEmpty }
        stage.end(
            keepsFolder: options.keepsFolders || !broken.isEmpty || (failure != nil && !stop.isSet))
        say("\n" + ResultTable(results: results).text)
        if !broken.isEmpty { say("\nBROKEN in \(broken.count) rounds") }
        if options.keepsFolders || !broken.isEmpty { say("Left for a look: \(stage.folder)") }
        if let failure { throw failure }
        return broken.isEmpty
    }

    private func play(_ stage: CrashStage, _ results: inout [RoundResult]) throws {
        for rule in options.rules {
            for number in 1...options.rounds where !stop.isSet {
                let seed = options.seed &+ UInt64(number - 1)
                let round = try RoundRun(stage, number: number, seed: seed, rule: rule)
                let result = try round.play()
                results.append(result)
                say(result.line)
                guard !result.broken.isEmpty else { continue }
                for sentence in result.broken { say("     BROKEN \(sentence)") }
                say(
                    "     again: Scripts/crash-test --seed \(seed) --rounds 1 "
                        + "--unconfirmed \(rule.rawValue) --recipients \(options.recipients) "
                        + "--workers \(options.workers)"
                        + options.faults.map { " --only \($0.rawValue)" }.joined())
            }
        }
    }
}
