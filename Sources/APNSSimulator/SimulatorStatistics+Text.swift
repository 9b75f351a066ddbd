internal import APNSProtocol

extension SimulatorStatistics {
    /// The statistics as JSON: one member per line, numbers only, no tokens.
    package var json: [UInt8] {
        var object = JSONObject()
        object.add("requests", requests)
        object.add("answered", answered)
        object.addObjects(
            "answers",
            answers.map { answer in
                var row = JSONObject()
                row.add("status", answer.status)
                row.add("reason", answer.reason)
                row.add("sends", answer.sends)
                row.add("probes", answer.probes)
                return row
            })
        object.add("requests_ignored", requestsIgnored)
        object.add("streams_refused", streamsRefused)
        object.add("streams_reset", streamsReset)
        object.add("streams_abandoned", streamsAbandoned)
        object.add("tokens_accepted", tokensAccepted)
        object.add("send_tokens_accepted_again", sendTokensAcceptedAgain)
        object.add("probe_tokens_accepted_again", probeTokensAcceptedAgain)
        object.add("acceptances_untracked", acceptancesUntracked)
        object.add("authorizations", authorizations)
        object.add("header_bytes", headerBytes)
        object.add("header_block_bytes", headerBlockBytes)
        object.add("body_bytes", bodyBytes)
        object.add("connections_opened", connectionsOpened)
        object.add("requests_in_one_second_max", requestsInOneSecondMax)
        object.add("streams_open_max", streamsOpenMax)
        object.addObjects("connections", connections.map(\.jsonObject))
        return object.lines
    }

    /// The statistics in a few lines for a person.
    package var summary: String {
        var lines = ["received \(requests) requests on \(connectionsOpened) connections"]
        for answer in answers {
            let name = answer.reason.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
            lines.append("  \(name): \(answer.sends) sends, \(answer.probes) probes")
        }
        let unanswered = requestsIgnored + streamsRefused + streamsReset + streamsAbandoned
        if unanswered > 0 {
            lines.append(
                "  not answered: \(requestsIgnored) ignored, \(streamsRefused) refused, "
                    + "\(streamsReset) reset, \(streamsAbandoned) abandoned by the sender")
        }
        lines.append(
            "tokens accepted more than once: \(sendTokensAcceptedAgain) in sends, "
                + "\(probeTokensAcceptedAgain) in probes")
        lines.append(
            "largest number of requests in one second on one connection: \(requestsInOneSecondMax)")
        lines.append("largest number of streams open at once: \(streamsOpenMax)")
        lines.append("different authorization values: \(authorizations)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ConnectionStatistics {
    fileprivate var jsonObject: JSONObject {
        var object = JSONObject()
        object.add("number", number)
        object.add("requests", requests)
        object.add("requests_in_one_second_max", requestsInOneSecondMax)
        object.add("requests_per_second", hundredths: Int((requestsPerSecond * 100).rounded()))
        object.add("streams_open_max", streamsOpenMax)
        return object
    }
}

/// Collects the members of one JSON object.
private struct JSONObject {
    private var members: [[UInt8]] = []

    mutating func add(_ name: String, _ number: Int) {
        addMember(name) { JSONText.appendNumber(Int64(number), to: &$0) }
    }

    mutating func add(_ name: String, hundredths: Int) {
        addMember(name) { bytes in
            JSONText.appendNumber(Int64(hundredths / 100), to: &bytes)
            bytes.append(UInt8(ascii: "."))
            bytes.append(UInt8(ascii: "0") + UInt8(hundredths % 100 / 10))
            bytes.append(UInt8(ascii: "0") + UInt8(hundredths % 10))
        }
    }

    mutating func add(_ name: String, _ text: String?) {
        addMember(name) { bytes in
            guard let text else { return bytes += Array("null".utf8) }
            JSONText.appendString(text, to: &bytes)
        }
    }

    mutating func addObjects(_ name: String, _ objects: [JSONObject]) {
        addMember(name) { bytes in
            let rows = objects.map { Array("    {".utf8) + $0.joined(", ") + Array("}".utf8) }
            bytes.append(UInt8(ascii: "["))
            if !rows.isEmpty {
                bytes += Array("\n".utf8) + rows.joined(separator: Array(",\n".utf8))
                bytes += Array("\n  ".utf8)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// The object over several lines, with a line end.
    var lines: [UInt8] { Array("{\n  ".utf8) + joined(",\n  ") + Array("\n}\n".utf8) }

    private func joined(_ separator: String) -> [UInt8] {
        Array(members.joined(separator: Array(separator.utf8)))
    }

    private mutating func addMember(_ name: String, _ value: (inout [UInt8]) -> Void) {
        var member: [UInt8] = []
        JSONText.appendString(name, to: &member)
        member += Array(": ".utf8)
        value(&member)
        members.append(member)
    }
}
