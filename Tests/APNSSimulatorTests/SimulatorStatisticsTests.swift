import Testing

@testable import APNSSimulator

@Suite struct SimulatorStatisticsTests {
    private static func statistics() -> SimulatorStatistics {
        var counters = WorkerCounters()
        counters.connectionsOpened = 2
        for _ in 0..<3 { counters.noteRequest(headerBytes: 100, bodyBytes: 20) }
        counters.noteAnswer(nil, kind: .send)
        counters.noteAnswer(.unregistered, kind: .probe)
        counters.noteCannedAnswer(
            WorkerCounters.CannedAnswer(status: 410, reason: "Unregistered", kind: .send))
        counters.note(
            ConnectionStatistics(
                number: 2, requests: 1, headerBlockBytes: 40, requestsInOneSecondMax: 1,
                streamsOpenMax: 4, activeNanoseconds: 0))
        counters.note(
            ConnectionStatistics(
                number: 1, requests: 2, headerBlockBytes: 60, requestsInOneSecondMax: 2,
                streamsOpenMax: 1, activeNanoseconds: 1_500_000_000))
        return SimulatorStatistics(
            counters, seen: SeenValues.Counts(tokensAccepted: 1, sendTokensAcceptedAgain: 5))
    }

    @Test func jsonIsWholeAndInOrder() {
        #expect(
            String(decoding: Self.statistics().json, as: UTF8.self) == """
                {
                  "requests": 3,
                  "answered": 3,
                  "answers": [
                    {"status": 200, "reason": null, "sends": 1, "probes": 0},
                    {"status": 410, "reason": "Unregistered", "sends": 1, "probes": 1}
                  ],
                  "requests_ignored": 0,
                  "streams_refused": 0,
                  "streams_reset": 0,
                  "streams_abandoned": 0,
                  "tokens_accepted": 1,
                  "send_tokens_accepted_again": 5,
                  "probe_tokens_accepted_again": 0,
                  "acceptances_untracked": 0,
                  "authorizations": 0,
                  "header_bytes": 300,
                  "header_block_bytes": 100,
                  "body_bytes": 60,
                  "connections_opened": 2,
                  "requests_in_one_second_max": 2,
                  "streams_open_max": 4,
                  "connections": [
                    {"number": 1, "requests": 2, "requests_in_one_second_max": 2, \
                "requests_per_second": 0.67, "streams_open_max": 1},
                    {"number": 2, "requests": 1, "requests_in_one_second_max": 1, \
                "requests_per_second": 0.00, "streams_open_max": 4}
                  ]
                }

                """)
    }

    @Test func jsonOfNothingIsValidToo() {
        let empty = SimulatorStatistics(WorkerCounters(), seen: SeenValues.Counts())
        #expect(PayloadShape(of: empty.json.span).isDictionary)
        #expect(empty.answers.isEmpty)
    }

    @Test func summaryIsForAPerson() {
        let summary = Self.statistics().summary
        #expect(summary.hasPrefix("received 3 requests on 2 connections\n"))
        #expect(summary.contains("  410 Unregistered: 1 sends, 1 probes\n"))
        #expect(summary.contains("tokens accepted more than once: 5 in sends, 0 in probes\n"))
    }

    @Test func onlyTheFirstConnectionsAreDescribedButAllCount() {
        var counters = WorkerCounters()
        for number in 1...300 {
            counters.note(
                ConnectionStatistics(
                    number: number, requests: 1, headerBlockBytes: 0,
                    requestsInOneSecondMax: number, streamsOpenMax: 1, activeNanoseconds: 0))
        }
        let statistics = SimulatorStatistics(counters, seen: SeenValues.Counts())
        #expect(statistics.connections.count == 256)
        #expect(statistics.requestsInOneSecondMax == 300)
    }
}
