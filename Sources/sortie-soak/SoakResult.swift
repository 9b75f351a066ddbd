internal import APNSSimulator

/// What came out of a soak, and whether the promises held.
struct SoakResult {
    /// Growth between a quarter of the requests and the end that is no leak: buffers of connections
    /// that happen to be open, and what the allocator keeps.
    private static let growthBytesMax = 24 << 20

    let options: SoakOptions
    let counts: SoakLedger.Counts
    let server: SimulatorStatistics
    /// Resident memory at each quarter of the requests, and at the end.
    let memoryBytes: [Int]
    let seconds: Double
    let isHanging: Bool

    private var growthBytes: Int { (memoryBytes.last ?? 0) - (memoryBytes.first ?? 0) }

    /// Every promise that was broken, as a sentence.
    var broken: [String] {
        var broken: [String] = []
        if isHanging { broken.append("HANG: no request ended for two minutes") }
        if let failure = counts.failure { broken.append("the loop gave up: \(failure)") }
        if counts.ended != options.requests {
            broken.append("SUM: \(options.requests) requests, but \(counts.ended) ends")
        }
        if counts.endedAgain > 0 { broken.append("SUM: \(counts.endedAgain) ended twice") }
        if server.sendTokensAcceptedAgain > 0 {
            broken.append("ONCE: \(server.sendTokensAcceptedAgain) tokens were accepted twice")
        }
        if server.acceptancesUntracked > 0 { broken.append("ONCE: not every token was followed") }
        if counts.accepted > server.tokensAccepted {
            broken.append("HONEST: more called accepted than the server accepted")
        }
        if server.tokensAccepted - counts.accepted > counts.unknown {
            broken.append("HONEST: accepted tokens are called neither accepted nor unknown")
        }
        if growthBytes > Self.growthBytesMax {
            broken.append("MEMORY: it grew by \(growthBytes >> 20) MiB after the first quarter")
        }
        return broken
    }

    /// The figures, one line each.
    var table: String {
        let rows: [(String, Any)] = [
            ("seed", options.seed), ("requests", options.requests),
            ("connections", options.connections), ("seconds", Int(seconds.rounded())),
            ("requests per second", Int(Double(counts.ended) / max(seconds, 0.001))),
            ("accepted", counts.accepted), ("judged otherwise", counts.judgedOtherwise),
            ("unknown", counts.unknown), ("not sent", counts.notSent),
            ("accepted by the server", server.tokensAccepted),
            ("accepted twice", server.sendTokensAcceptedAgain),
            ("attempts on the wire", server.requests),
            ("streams refused", server.streamsRefused), ("streams reset", server.streamsReset),
            ("connections opened", counts.connectionsOpened), ("GOAWAYs", counts.goAways),
            ("memory in MiB", memoryBytes.map { String($0 >> 20) }.joined(separator: ", ")),
        ]
        return rows.map { name, value in
            name + String(repeating: " ", count: 24 - name.count) + "\(value)"
        }.joined(separator: "\n")
    }
}
