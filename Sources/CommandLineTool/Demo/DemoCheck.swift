internal import APNSSimulator

/// The report beside what the simulator saw: the promises, checked before the reader's eyes.
struct DemoCheck {
    let report: RunReport
    let statistics: SimulatorStatistics
    /// Users whose dead token was registered again after its death.
    let registeredAgain: Set<String>
    /// Users with a device that is no longer active.
    let prunedUsers: Set<String>
    /// What a connection may send in any one second.
    let rateAndBurst: Int

    /// Requests that left a moment apart may arrive together, so the receiver's seconds are a
    /// little fuller at times: ten milliseconds' worth, a hundredth.
    private var receivedInOneSecondMax: Int { rateAndBurst + rateAndBurst / 100 }

    var text: String {
        var table = TextTable(.left(""), .right(""), .left(""))
        for check in checks {
            table.add(check.what, check.figure, check.isGood ? "ok" : "NOT AS PROMISED")
        }
        return "Checked against what the simulator saw\n" + table.text()
    }

    private struct Check {
        let what: String
        let figure: String
        let isGood: Bool
    }

    private var checks: [Check] {
        let summary = report.summary
        let sum = ["accepted", "rejected", "unknown", "skipped", "unsent"]
            .reduce(Int64(0)) { $0 + summary.count($1) }
        let accepted = Int64(
            statistics.answers.filter { $0.status == 200 }.reduce(0) { $0 + $1.sends })
        let lost = registeredAgain.intersection(prunedUsers).count
        let busiest = statistics.requestsInOneSecondMax
        let allowed = NumberText.count(rateAndBurst)
        return [
            Check(
                what: "every recipient has one outcome", figure: NumberText.count(sum),
                isGood: sum == summary.count("recipients")),
            Check(
                what: "pushes accepted, as the simulator counted",
                figure: NumberText.count(accepted),
                isGood: accepted == summary.count("accepted")),
            Check(
                what: "tokens accepted twice in the main send",
                figure: NumberText.count(statistics.sendTokensAcceptedAgain),
                isGood: statistics.sendTokensAcceptedAgain == 0),
            Check(
                what: "busiest second of a connection (\(allowed) may leave in one)",
                figure: NumberText.count(busiest), isGood: busiest <= receivedInOneSecondMax),
            Check(
                what: "registered again after their death, and still active",
                figure: NumberText.count(registeredAgain.count - lost), isGood: lost == 0),
        ]
    }
}
