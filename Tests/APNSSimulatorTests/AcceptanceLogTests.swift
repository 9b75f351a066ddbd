import APNSSimulator
import LinuxIO
import TLS
import Testing

/// The file of accepted sends.
@Suite struct AcceptanceLogTests {
    private static func withFile(_ body: (String) throws -> Void) throws {
        let path = "/tmp/acceptances-\(ProcessFacts.processID)-\(SecureRandom.uint64())"
        defer { try? FileContents.remove(path) }
        try body(path)
    }

    private static func tokens(in path: String) throws -> [String] {
        let text = String(decoding: try FileContents.read(path, limitBytes: 100_000), as: UTF8.self)
        return text.split(separator: "\n").map { line in
            line.split(separator: " ").last.map(String.init) ?? ""
        }
    }

    @Test func whoWasToldOfAnAcceptanceFindsItInTheFile() throws {
        try Self.withFile { path in
            let fixture = try SimulatorFixture { configuration, _ in
                configuration.acceptancesFile = path
            }
            let tokens = SimulatorTests.tokens(20)
            let answers = try fixture.sender().send(tokens: tokens)
            #expect(answers.allSatisfy { $0.status == 200 })
            // Without stopping the simulator: as if it had been killed.
            #expect(try Self.tokens(in: path).sorted() == tokens.sorted())
        }
    }

    @Test func refusedOnesAreNotInIt() throws {
        try Self.withFile { path in
            let fixture = try SimulatorFixture { configuration, _ in
                configuration.acceptancesFile = path
                configuration.fates = TokenFates(
                    shares: TokenShares(dead: 1), seed: 1, referenceMilliseconds: 1)
            }
            _ = try fixture.sender().send(tokens: SimulatorTests.tokens(3))
            #expect(try Self.tokens(in: path).isEmpty)
        }
    }

    @Test func anotherSimulatorAppends() throws {
        try Self.withFile { path in
            for _ in 1...2 {
                let fixture = try SimulatorFixture { configuration, _ in
                    configuration.acceptancesFile = path
                }
                _ = try fixture.sender().send(tokens: SimulatorTests.tokens(2))
            }
            #expect(try Self.tokens(in: path).count == 4)
        }
    }
}
