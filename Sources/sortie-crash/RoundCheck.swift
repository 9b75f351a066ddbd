/// Holds the promises against what a round left; pure.
struct RoundCheck {
    let rule: CrashOptions.Unconfirmed
    let expected: Int
    let evidence: RoundEvidence
    let accepted: AcceptanceRecord
    /// nil: the fault came before there were marks, or has no instant.
    let beyond: BeyondMarks?
    /// What one worker may leave in doubt.
    let doubtMax: Int

    /// Recipients without an outcome.
    var lost: Int { (1...expected).count { evidence.outcomes[$0] == nil } }

    /// Recipients whose push was accepted more than once.
    var doubled: Int { (1...expected).count { accepted.count($0) > 1 } }

    /// Those of them that were not recorded as in doubt before each repetition.
    var doubledUnasked: Int {
        (1...expected).count { ordinal in
            let times = accepted.times[ordinal]
            guard times.count > 1 else { return false }
            guard rule == .resend else { return true }
            let doubts = evidence.doubts[ordinal] ?? []
            return !times.dropFirst().enumerated().allSatisfy { index, time in
                index < doubts.count && doubts[index] < time
            }
        }
    }

    /// Recipients that were in doubt when a worker was taken over.
    var inDoubt: Int { evidence.takeovers.reduce(0) { $0 + $1.inDoubt } }
    var inDoubtMost: Int { evidence.takeovers.map(\.inDoubt).max() ?? 0 }

    /// Every promise that was broken, as a sentence.
    var broken: [String] { sums + repetitions + honesty + doubt + unreached }

    private var sums: [String] {
        var broken: [String] = []
        if evidence.state != "finished" { broken.append("END: the run is \(evidence.state)") }
        if evidence.misnumbered > 0 { broken.append("the recipients are numbered otherwise") }
        if evidence.recipients != expected {
            broken.append("SUM: \(evidence.recipients) recipients instead of \(expected)")
        }
        if lost > 0 { broken.append("LOST: \(lost) recipients have no outcome") }
        if evidence.outcomeRows != expected {
            broken.append("SUM: \(evidence.outcomeRows) outcomes of \(expected) recipients")
        }
        for outcome in 1...4 {
            let rows = evidence.outcomes.count { $0?.outcome == outcome }
            let told = evidence.tallied[outcome] ?? 0
            if rows != told {
                broken.append("SUM: outcome \(outcome) has \(rows) rows, the roll-up says \(told)")
            }
        }
        return broken
    }

    private var repetitions: [String] {
        guard doubledUnasked > 0 else { return [] }
        let first = (1...expected).first { accepted.count($0) > 1 } ?? 0
        return [
            "ONCE: \(doubledUnasked) recipients were sent to twice unasked, such as \(first)"
        ]
    }

    private var honesty: [String] {
        var broken: [String] = []
        if accepted.strangeLines > 0 {
            broken.append("the simulator's file has \(accepted.strangeLines) strange lines")
        }
        let invented = (1...expected).count {
            evidence.outcomes[$0]?.outcome == 1 && accepted.count($0) == 0
        }
        if invented > 0 {
            broken.append("HONEST: \(invented) are recorded as accepted and never were")
        }
        let denied = (1...expected).count {
            guard let outcome = evidence.outcomes[$0]?.outcome else { return false }
            return accepted.count($0) > 0 && outcome != 1 && outcome != 3
        }
        if denied > 0 {
            broken.append("HONEST: \(denied) were accepted and are recorded as refused or skipped")
        }
        return broken
    }

    private var doubt: [String] {
        guard inDoubtMost > doubtMax else { return [] }
        return ["DOUBT: \(inDoubtMost) in doubt after one takeover, more than \(doubtMax)"]
    }

    /// Recipients beyond the marks are sent to. One that another worker announced later may be in
    /// doubt all the same, if that one was taken over as well.
    private var unreached: [String] {
        guard let beyond else { return [] }
        let evicted = Set(evidence.takeovers.map(\.worker)).subtracting(beyond.victims)
        let missed = beyond.ordinals.filter { ordinal in
            guard let outcome = evidence.outcomes[ordinal] else { return true }
            if outcome.isSettledDoubt, evicted.contains(outcome.worker) { return false }
            return outcome.outcome != 1 || accepted.count(ordinal) == 0
        }
        guard let first = missed.first else { return [] }
        let outcome = evidence.outcomes[first]?.outcome ?? 0
        return [
            "BEYOND: \(missed.count) of \(beyond.ordinals.count) beyond the marks were not sent "
                + "to, such as \(first) (outcome \(outcome))"
        ]
    }
}
