import CampaignRunner
import Testing

@testable import CommandLineTool

@Suite struct RunReportTests {
    private static let report = RunReport(
        summary: ReportRow(
            columns: [
                "run_id", "campaign", "occurrence", "state", "recipients", "accepted", "rejected",
                "unknown", "skipped", "unsent", "probe_recipients", "probe_rejected", "pruned",
                "probe_only", "seconds",
            ],
            cells: [
                "7", "sale", "2026-12-05", "finished", "10000", "9000", "400", "1", "599", "0",
                "2000", "560", "590", "f", "12.5",
            ]),
        reasons: [
            ["probe", "rejected", "Unregistered", "560"], ["send", "accepted", nil, "9000"],
            ["send", "skipped", "pruned", "599"], ["send", "rejected", "Unregistered", "390"],
            ["send", "rejected", "BrandNewReason", "10"], ["send", "unknown", "NoAnswer", "1"],
        ].map {
            ReportRow(columns: ["phase", "outcome", "reason", "recipients"], cells: $0)
        })

    @Test func saysAllFiveCountsAndTheirSum() {
        let text = Self.report.text
        for line in [
            "Run 7, sale 2026-12-05: finished, 12.5 s",
            "  recipients                10,000",
            "  accepted by APNs           9,000  90.0 %",
            "  rejected by APNs             400   4.0 %",
            "  unknown: sent, no answer       1   0.1 %",
            "  skipped on purpose           599   6.0 %",
            "  unsent                         0   0.0 %",
            "Preflight: 2,000 probed, 560 of them refused. "
                + "590 devices no longer active after this run.",
        ] {
            #expect(text.contains("\(line)\n"), "\(text)")
        }
    }

    @Test func neverClaimsDelivery() {
        #expect(!Self.report.text.lowercased().contains("delivered"))
        #expect(!Self.report.json().lines.lowercased().contains("delivered"))
    }

    @Test func explainsReasonsOfTheMainSendAndKeepsUnknownOnes() {
        let lines = Self.report.text.split(separator: "\n")
        #expect(lines.count { $0.contains("  rejected  Unregistered") } == 1)
        #expect(lines.contains { $0.contains("pruned") && $0.contains("before its turn") })
        #expect(lines.contains { $0.hasSuffix("BrandNewReason          10") })
    }

    @Test func jsonHasNumbersAndTheReasons() {
        let text = Self.report.json().line
        #expect(text.hasPrefix(#"{"run_id": 7, "campaign": "sale", "occurrence": "2026-12-05""#))
        #expect(text.contains(#""probe_only": false"#))
        #expect(text.contains(#"{"phase": "send", "outcome": "accepted", "reason": null, "#))
    }

    @Test func jsonSaysHowThisExecutionEnded() {
        let ending = RunEnding(.stopped(runID: 7, message: "Stopped."))
        let text = Self.report.json(ending: ending).line
        #expect(text.contains(#""end": "stopped", "exit_status": 75, "message": "Stopped.""#))
    }
}

@Suite struct ReportColumnTests {
    @Test(arguments: [
        ("2026-11-30 06:31:41.123456+00", "2026-11-30 06:31:41+00"),
        ("2026-11-30 06:31:41+00", "2026-11-30 06:31:41+00"), ("1.5", "1.5"),
        ("a sentence. It is long enough + more", "a sentence. It is long enough + more"),
    ])
    func timesAreShownToTheSecond(cell: String, text: String) {
        #expect(ReportColumn.text("at", cell) == text)
    }

    @Test func textOfDigitsStaysText() {
        #expect(ReportColumn.json("user_id", "007") == .text("007"))
        #expect(ReportColumn.json("device_id", "7") == .verbatim("7"))
        #expect(ReportColumn.json("reason", nil) == .null)
    }
}

@Suite struct CSVLineEndsTests {
    @Test func turnsLineEndsOfRowsOnlyAndAcrossPieces() {
        let text = "a,b\n\"c\nd\",\"e \"\"f\"\"\n\"\n"
        let wanted = "a,b\r\n\"c\nd\",\"e \"\"f\"\"\n\"\r\n"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var lineEnds = CSVLineEnds()
            let first = Array(bytes[..<cut])
            let second = Array(bytes[cut...])
            let converted =
                lineEnds.converted(first.span.bytes) + lineEnds.converted(second.span.bytes)
            #expect(String(decoding: converted, as: UTF8.self) == wanted)
        }
    }
}
