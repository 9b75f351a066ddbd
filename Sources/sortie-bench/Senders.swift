internal import LinuxIO

/// Both programs that are measured, and how they are started.
struct Senders {
    /// The built sortie.
    let program: String
    /// The library that counts calls.
    let counter: String
    let processes: MeasuredProcess

    private var folder: String { processes.folder }

    /// Runs `sortie run`.
    ///
    /// - Parameters:
    ///   - campaign: The campaign file's text.
    ///   - configuration: The configuration file.
    ///   - occurrence: A new name each time.
    ///   - isCounted: Whether calls are counted; costs some time.
    ///   - seconds: After so long it is given up.
    /// - Returns: What it used.
    /// - Throws: `BenchFailure` with its output if it does not succeed.
    func sortie(
        _ campaign: CampaignText, configuration: String, occurrence: String,
        isCounted: Bool = false, seconds: Double
    ) throws -> ProcessUsage {
        let file = "\(folder)/campaign.json"
        try FileContents.write(file, Array(campaign.text.utf8), mode: 0o600)
        return try run(
            [
                program, "run", file, "--config", configuration, "--occurrence", occurrence,
                "--quiet",
            ], isCounted: isCounted, seconds: seconds
        ).usage
    }

    /// Runs h2load with as many requests of the same size.
    ///
    /// - Parameters:
    ///   - requests: How many.
    ///   - one: The case, for connections and streams.
    ///   - request: What to send.
    ///   - server: Where to.
    ///   - isCounted: Whether calls are counted; costs some time.
    ///   - seconds: After so long it is given up.
    /// - Returns: What it used.
    /// - Throws: `BenchFailure` with its output if not all requests succeed.
    func h2load(
        requests: Int, _ one: BenchCase, _ request: LoadRequest, server: BenchServer,
        isCounted: Bool = false, seconds: Double
    ) throws -> ProcessUsage {
        let body = "\(folder)/body"
        try FileContents.write(
            body, [UInt8](repeating: UInt8(ascii: "x"), count: request.bodyBytes), mode: 0o600)
        let targets = "\(folder)/targets"
        let lines = LoadRequest.paths.map { "https://\(server.host):\(server.port)\($0)\n" }
        try FileContents.write(targets, Array(lines.joined().utf8), mode: 0o600)
        let headers = request.headers.flatMap { ["-H", $0] }
        let result = try run(
            [
                "h2load", "-n", "\(requests)", "-c", "\(min(one.connections, requests))", "-m",
                "\(one.streams)", "-t", "1", "-d", body,
            ] + headers + ["-i", targets],
            isCounted: isCounted, seconds: seconds)
        // Answers of 410, which h2load calls failed, are answers all the same.
        let isComplete =
            result.output.contains(" \(requests) done") && result.output.contains(" 0 errored")
            && result.output.contains(" 0 timeout")
        guard isComplete else { throw BenchFailure("h2load: \(result.output)") }
        return result.usage
    }

    /// What the last counted run called, per 1,000 requests.
    func counts(requests: Int) -> CallCounts? {
        KernelFiles.text(countFile).flatMap { CallCounts($0, requests: requests) }
    }

    private var countFile: String { "\(folder)/calls" }

    private func run(
        _ command: [String], isCounted: Bool, seconds: Double
    ) throws -> MeasuredProcess.Result {
        var environment: [String: String] = [:]
        if isCounted { environment = ["LD_PRELOAD": counter, "SORTIE_BENCH_COUNTS": countFile] }
        let result = try processes.run(command, environment: environment, seconds: seconds)
        guard result.ending == .exited(code: 0) else {
            throw BenchFailure("\(command[0]) ended with \(result.ending): \(result.output)")
        }
        return result
    }
}

/// A request of h2load that is as large as sortie's.
struct LoadRequest {
    /// Enough of them that the share of dead ones is about right.
    static let paths = (0..<200).map { number in
        "/3/device/" + String(repeating: digits(number), count: 4)
    }
    /// The provider token.
    let token: String
    let bodyBytes: Int

    /// Sixteen digits.
    private static func digits(_ number: Int) -> String {
        let text = String(0x1234_5678_9ABC_0000 + number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    var headers: [String] {
        [
            "authorization: bearer \(token)", "apns-topic: \(BenchDatabase.app)",
            "apns-push-type: alert", "apns-priority: 5", "apns-expiration: 1800000000",
            "content-type: application/json",
        ]
    }
}
