import APNSSimulator
import DocumentText
import DocumentTree
import Testing

@testable import CommandLineTool

@Suite struct ScenarioFileTests {
    private static func read(_ text: String) throws -> Result<ScenarioFile, Diagnostics> {
        let root = try DocumentText.parse(Array(text.utf8), file: "faults.json").get()
        return ScenarioFile.read(root, file: "faults.json", seed: 5)
    }

    private static func faults(_ text: String) throws -> [String] {
        guard case .failure(let diagnostics) = try read(text) else { return [] }
        return diagnostics.list.map(\.description)
    }

    /// Every field at least once.
    private static let whole = """
        # What goes wrong.
        {
          seed: 7, streams: 500, mood: apns, bad_tokens_max: 20,
          busy: { after: 1m, for: 30s, every: 5m, share: 25% },
          rules: [
            { after_requests: 100, connections: [1, 3], do: goaway, last: half, code: 0,
              debug: '{"reason":"Shutdown"}', notice: 2s },
            { token_prefix: C0FFEE07, times: 2, do: answer, status: 429,
              reason: TooManyRequests, retry_after: 30s },
            { token_share: 1%, do: answer, status: 410, reason: Unregistered, timestamp: 12 },
            { chance: 0.1, do: reset, code: 7 },
            { every_requests: 50, do: delay, for: 200ms },
            { request: 9, do: ignore },
            { after: 3s, do: stop_reading },
            { every: 10s, do: streams, limit: 0 },
            { after: 1s, do: flood, frame: ping, per_second: 1000, for: 1s },
            { after: 2s, do: stop_answering, for: 5s },
            { after_requests: 7, do: answer, status: 200, end: reset, code: 0 },
            { after_requests: 8, do: answer, status: 200, end: never },
            { after_requests: 9, do: cut },
            { after_requests: 10, do: close_half },
          ]
        }
        """

    @Test func everyKindOfRuleIsRead() throws {
        let file = try Self.read(Self.whole).get()
        let second: Int64 = 1_000_000_000
        #expect(file.streams == 500)
        #expect(
            file.mood
                == APNSMood(
                    streams: 500, badTokensMax: 20, busyAfterNanoseconds: 60 * second,
                    busyNanoseconds: 30 * second, busyEveryNanoseconds: 300 * second,
                    busyShare: 0.25, seed: 7))
        typealias Rule = SimulatorScenario.Rule
        let rules = file.scenario.rules
        #expect(file.scenario.seed == 7)
        #expect(rules.count == 14)
        #expect(
            rules[0]
                == Rule(
                    .afterRequests(100),
                    .step(
                        .farewell(
                            ConnectionFarewell(
                                last: .half, debugData: Array(#"{"reason":"Shutdown"}"#.utf8),
                                noticeNanoseconds: 2 * second))), connections: [1, 3]))
        #expect(
            rules[1]
                == Rule(
                    .tokenPrefix(Array("c0ffee07".utf8)),
                    .reply(
                        .answer(
                            ScriptedAnswer(
                                status: 429, reason: "TooManyRequests", retryAfterSeconds: 30))),
                    timesMax: 2))
        #expect(rules[3] == Rule(.chance(0.1), .reply(.reset(code: 7))))
        #expect(rules[4] == Rule(.everyRequests(50), .delay(nanoseconds: second / 5)))
        #expect(
            rules[6] == Rule(.after(nanoseconds: 3 * second), .step(.stopReading(nanoseconds: nil)))
        )
        #expect(
            rules[8]
                == Rule(
                    .after(nanoseconds: second),
                    .step(
                        .flood(
                            ConnectionFlood(
                                frame: .ping, perSecond: 1_000, nanoseconds: second)))))
        #expect(
            rules[10]
                == Rule(
                    .afterRequests(7),
                    .reply(.answer(ScriptedAnswer(status: 200, ending: .resetAfter(code: 0))))))
        #expect(rules[12] == Rule(.afterRequests(9), .step(.drop)))
    }

    @Test func theExampleOfTheManualIsRead() throws {
        let manual = try RepositoryRoot.text(
            of: RepositoryRoot.path + "/docs/simulator.md")
        let parts = manual.split(separator: "```\n")
        let example = try #require(parts.count > 1 ? parts[1] : nil)
        let file = try Self.read(String(example)).get()
        #expect(file.mood != nil)
        #expect(file.scenario.rules.count == 4)
    }

    @Test func anEmptyScenarioChangesNothing() throws {
        let file = try Self.read("{}").get()
        #expect(file.mood == nil)
        #expect(file.streams == nil)
        #expect(file.scenario == SimulatorScenario(seed: 5, rules: []))
    }

    @Test(arguments: [
        ("{ rule: [] }", "1:3: error: unknown field \"rule\""),
        ("{ mood: happy }", "1:9: error: mood: \"happy\" is none of plain, apns"),
        ("{ busy: {} }", "1:9: error: busy: this belongs to \"mood\": apns"),
        ("{ streams: many }", "1:12: error: streams: write a whole number from 0"),
        ("{ rules: {} }", "1:10: error: rules: write a list"),
        ("{ rules: [7] }", "1:11: error: rules[0]: write fields in braces"),
        ("{ rules: [{ after: 1s }] }", "1:11: error: rules[0].do: this field is missing"),
        ("{ rules: [{ do: dance }] }", "1:17: error: rules[0].do: \"dance\" is none of answer"),
        ("{ rules: [{ do: cut }] }", "1:11: error: rules[0]: a rule has exactly one trigger"),
        (
            "{ rules: [{ after: 1s, request: 2, do: cut }] }",
            "1:11: error: rules[0]: a rule has exactly one trigger"
        ),
        ("{ rules: [{ after: 1s, do: ignore }] }", "1:28: error: rules[0].do: needs a request"),
        ("{ rules: [{ after: 1d, do: cut }] }", "1:20: error: rules[0].after: write a time"),
        ("{ rules: [{ every: 0s, do: cut }] }", "1:20: error: rules[0].every: write more"),
        ("{ rules: [{ request: 0, do: cut }] }", "1:22: error: rules[0].request: write a whole"),
        ("{ rules: [{ chance: 2, do: cut }] }", "1:21: error: rules[0].chance: write a share"),
        (
            "{ rules: [{ token_prefix: xyz, do: cut }] }",
            "1:27: error: rules[0].token_prefix: write the first digits"
        ),
        (
            "{ rules: [{ request: 1, do: cut, status: 200 }] }",
            "1:34: error: rules[0]: unknown field \"status\""
        ),
        (
            "{ rules: [{ request: 1, do: answer }] }",
            "1:11: error: rules[0].status: this field is missing"
        ),
        (
            "{ rules: [{ request: 1, do: cut, connections: [0] }] }",
            "1:48: error: rules[0].connections: write numbers from 1 on"
        ),
    ])
    func faultsAreToldWithTheirPlace(text: String, fault: String) throws {
        let faults = try Self.faults(text)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("faults.json:\(fault)") == true, "\(faults)")
    }

    @Test func allFaultsAreToldAtOnce() throws {
        let faults = try Self.faults(
            "{ seed: x, rules: [{ do: cut }, { request: 1, do: reset }] }")
        #expect(faults.count == 3)
    }
}
