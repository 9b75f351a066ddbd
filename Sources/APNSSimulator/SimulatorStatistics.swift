/// What a simulator has received and answered so far.
///
/// A value, taken between two turns of the simulator's loop.
package struct SimulatorStatistics: Sendable, Equatable {
    /// How often one answer was given.
    package struct Answer: Sendable, Equatable {
        /// The status.
        package let status: Int
        /// The reason; nil for an answer without one.
        package let reason: String?
        /// How often to requests that were no probes.
        package let sends: Int
        /// How often to probes.
        package let probes: Int
    }

    /// Complete requests.
    package let requests: Int
    /// Every answer that was given, by status and reason; those never given are left out.
    package let answers: [Answer]
    /// Requests that were not answered on purpose.
    package let requestsIgnored: Int
    /// Streams refused on purpose with REFUSED_STREAM.
    package let streamsRefused: Int
    /// Streams reset on purpose with another code.
    package let streamsReset: Int
    /// Complete requests whose stream ended before the answer could be given.
    package let streamsAbandoned: Int
    /// Different tokens accepted in sends.
    package let tokensAccepted: Int
    /// Tokens accepted more than once in sends.
    package let sendTokensAcceptedAgain: Int
    /// Tokens accepted more than once in probes.
    package let probeTokensAcceptedAgain: Int
    /// Acceptances of tokens that could not be followed because the limit was reached: while this
    /// is 0 the two numbers before it are exact.
    package let acceptancesUntracked: Int
    /// Different values of the `authorization` header.
    package let authorizations: Int
    /// Names and values of all header fields, uncompressed; 0 where they were not decoded.
    package let headerBytes: Int
    /// The same as they came over the wire, compressed: payloads of HEADERS frames.
    package let headerBlockBytes: Int
    /// Bytes of all bodies.
    package let bodyBytes: Int
    /// Connections that got as far as TLS and HTTP/2.
    package let connectionsOpened: Int
    /// The most requests that arrived on one connection within any one second.
    package let requestsInOneSecondMax: Int
    /// The most streams open at once on one connection.
    package let streamsOpenMax: Int
    /// The first connections, one by one, at most 256.
    package let connections: [ConnectionStatistics]

    init(_ counters: WorkerCounters, seen: SeenValues.Counts) {
        requests = counters.requests
        answers = Self.answers(of: counters)
        requestsIgnored = counters.requestsIgnored
        streamsRefused = counters.streamsRefused
        streamsReset = counters.streamsReset
        streamsAbandoned = counters.streamsAbandoned
        tokensAccepted = seen.tokensAccepted
        sendTokensAcceptedAgain = seen.sendTokensAcceptedAgain
        probeTokensAcceptedAgain = seen.probeTokensAcceptedAgain
        acceptancesUntracked = seen.acceptancesUntracked
        authorizations = seen.authorizations
        headerBytes = counters.headerBytes
        headerBlockBytes = counters.headerBlockBytes
        bodyBytes = counters.bodyBytes
        connectionsOpened = counters.connectionsOpened
        requestsInOneSecondMax = counters.requestsInOneSecondMax
        streamsOpenMax = counters.streamsOpenMax
        connections = counters.connections.sorted { $0.number < $1.number }
    }

    /// How often a status was answered, to sends and probes together.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - reason: Only this reason; nil: any or none.
    /// - Returns: The number of answers.
    package func count(status: Int, reason: String? = nil) -> Int {
        answers.reduce(0) { sum, answer in
            let fits = answer.status == status && (reason == nil || answer.reason == reason)
            return fits ? sum + answer.sends + answer.probes : sum
        }
    }

    /// How many requests were answered, with whatever status.
    package var answered: Int { answers.reduce(0) { $0 + $1.sends + $1.probes } }

    private static func answers(of counters: WorkerCounters) -> [Answer] {
        var all = [
            Answer(
                status: 200, reason: nil, sends: counters.count(nil, kind: .send),
                probes: counters.count(nil, kind: .probe))
        ]
        for refusal in Refusal.allCases {
            all.append(
                Answer(
                    status: refusal.status, reason: refusal.reason,
                    sends: counters.count(refusal, kind: .send),
                    probes: counters.count(refusal, kind: .probe)))
        }
        for (canned, count) in counters.cannedAnswers {
            all.append(
                Answer(
                    status: canned.status, reason: canned.reason.isEmpty ? nil : canned.reason,
                    sends: canned.kind == .send ? count : 0,
                    probes: canned.kind == .probe ? count : 0))
        }
        return merged(all).filter { $0.sends + $0.probes > 0 }
    }

    /// One row per status and reason, in that order.
    private static func merged(_ answers: [Answer]) -> [Answer] {
        var merged: [Answer] = []
        let ordered = answers.sorted { ($0.status, $0.reason ?? "") < ($1.status, $1.reason ?? "") }
        for answer in ordered {
            if let last = merged.last, last.status == answer.status, last.reason == answer.reason {
                merged[merged.count - 1] = Answer(
                    status: last.status, reason: last.reason, sends: last.sends + answer.sends,
                    probes: last.probes + answer.probes)
            } else {
                merged.append(answer)
            }
        }
        return merged
    }
}
