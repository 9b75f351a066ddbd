internal import APNSProtocol
internal import CampaignStore

/// The report of a rehearsal: the run's own, and what it predicts.
struct RehearsalReport {
    let report: RunReport
    let seen: RehearsalSeen
    let server: RehearsalServer

    var text: String {
        report.text + "\n" + [prediction, payloads, notContacted].joined()
    }

    /// The run's report with the prediction beside it.
    func json(ending: RunEnding) -> JSONOutput {
        guard case .object(var fields) = report.json(ending: ending) else { return .null }
        let seconds = Int64(seen.seconds.rounded(.up))
        fields.append(("predicted_seconds", isWhole ? .integer(seconds) : .null))
        fields.append(
            ("payload_bytes_mean", seen.payloadBytesMean.map { .integer(Int64($0)) } ?? .null))
        return .object(fields)
    }

    /// Whether the rehearsal came to its end: half of one predicts nothing.
    private var isWhole: Bool { report.summary.text("state") == "finished" }

    private var prediction: String {
        guard isWhole, !seen.phases.isEmpty else {
            return "The rehearsal did not come to its end, so it predicts no duration.\n"
        }
        let parts = seen.phases.map { phase in
            let name = phase.phase == .probe ? "preflight" : "main send"
            return "\(name) \(NumberText.duration(seconds: phase.seconds)) "
                + "(\(NumberText.rate(phase.perSecond)))"
        }
        return "Predicted duration at this pace: "
            + "\(NumberText.duration(seconds: seen.seconds)): \(parts.joined(separator: ", ")).\n"
    }

    private var payloads: String {
        guard let bytes = seen.payloadBytesMean else { return "" }
        return "Payloads: \(NumberText.count(bytes)) bytes on average; APNs takes "
            + "\(NumberText.count(APNSLimits.payloadBytesMax)).\n"
    }

    private var notContacted: String {
        let dead =
            server.deadShare > 0 ? ", with a share of \(server.deadShare) dead tokens" : ""
        return "APNs was not contacted, and no device has changed: a simulator answered after "
            + "\(server.latencyMilliseconds) ms\(dead).\n"
    }
}
