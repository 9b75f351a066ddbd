internal import APNSClient
internal import APNSProtocol
internal import APNSSimulator
internal import Glibc
internal import LinuxIO
internal import SendPolicy
internal import TLS

/// A client and a simulator in one process, with everything going wrong between them.
struct Soak {
    private static let batchRequests = 1_000
    /// Requests handed to the client and not ended: what a sender's window would be.
    private static let outstandingMax = 20_000
    /// No request ended for so long: the client hangs.
    private static let hangNanoseconds: Int64 = 120_000_000_000

    private let options: SoakOptions
    private let ledger: SoakLedger
    private var memory: [Int] = []
    private var isHanging = false

    init(_ options: SoakOptions) {
        self.options = options
        ledger = SoakLedger(requests: options.requests)
    }

    /// Runs it, in a folder of its own that is removed afterwards.
    ///
    /// - Returns: What came out.
    mutating func run() throws -> SoakResult {
        let folder = "/tmp/sortie-soak-\(ProcessFacts.processID)-\(SecureRandom.uint64())"
        let credentials = try SimulatorCredentials.make(in: folder)
        defer {
            for path in [credentials.keyFile, credentials.authorityFile, folder] {
                // Left-over files of a test in the system's temporary folder harm nobody.
                try? FileContents.remove(path)
            }
        }
        let simulator = try Simulator(
            simulatorConfiguration(credentials), certificates: credentials.certificates)
        let port = try simulator.start()
        let start = MonotonicClock.nanoseconds()
        let client = try PushClient(
            configuration: try clientConfiguration(credentials, port: port), delegate: ledger)
        feed(client)
        if !isHanging {
            client.finish()
            client.join()
        }
        let seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        memory.append(Self.residentBytes())
        return SoakResult(
            options: options, counts: ledger.state.withLock { $0.counts },
            server: simulator.stop(), memoryBytes: memory, seconds: seconds, isHanging: isHanging)
    }

    // MARK: - Setting up

    private func simulatorConfiguration(
        _ credentials: SimulatorCredentials
    ) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.credential = credentials.rule
        configuration.topics = ["com.example.shop"]
        configuration.scenario = SoakPlan.scenario(seed: options.seed)
        configuration.tokensExpected = options.requests
        configuration.trackedTokensMax = max(options.requests, configuration.trackedTokensMax)
        return configuration
    }

    /// Waits are shorter than in earnest, so that stalls cost seconds and not minutes.
    private func clientConfiguration(
        _ credentials: SimulatorCredentials, port: UInt16
    ) throws -> PushClientConfiguration {
        let key = try SigningKey(
            pem: try FileContents.read(credentials.keyFile, limitBytes: 10_000),
            source: credentials.keyFile)
        let identity = ProviderIdentity(keyID: credentials.keyID, teamID: credentials.teamID)
        var configuration = PushClientConfiguration(
            host: "127.0.0.1", port: port,
            tls: try TLSContext.client(
                trust: .file(credentials.authorityFile), protocols: ["h2"]),
            credential: ProviderCredential(key: key, identity: identity),
            head: RequestHead(topic: "com.example.shop", pushType: .alert, priority: .immediate))
        configuration.connections = options.connections
        configuration.headerEncoder = options.headerEncoder
        configuration.requestTimeoutNanoseconds = 3_000_000_000
        configuration.limits.drainNanoseconds = 2_000_000_000
        configuration.limits.silenceNanoseconds = 1_000_000_000
        configuration.limits.pingTimeoutNanoseconds = 1_000_000_000
        configuration.firstPace = ConnectPace(
            pauseNanoseconds: 10_000_000, pauseMaxNanoseconds: 100_000_000,
            spacingNanoseconds: 1_000_000, openingsPerMinuteMax: 1_000_000, failuresMax: 100)
        configuration.steadyPace = configuration.firstPace
        return configuration
    }

    // MARK: - Sending

    private mutating func feed(_ client: PushClient) {
        var builder = PushBatchBuilder(capacity: Self.batchRequests)
        var submitted = 0
        while submitted < options.requests {
            guard waits(untilOutstandingIsBelow: Self.outstandingMax, submitted: submitted) else {
                return
            }
            let count = min(Self.batchRequests, options.requests - submitted)
            client.submit([Self.batch(&builder, from: submitted + 1, count: count)])
            submitted += count
            if submitted * 4 / options.requests > (submitted - count) * 4 / options.requests {
                memory.append(Self.residentBytes())
            }
        }
        _ = waits(untilOutstandingIsBelow: 1, submitted: submitted)
    }

    private mutating func waits(untilOutstandingIsBelow bound: Int, submitted: Int) -> Bool {
        var ended = ledger.state.withLock { $0.counts.ended }
        while submitted - ended >= bound {
            let before = ended
            let isMoving = ledger.state.wait(
                untilNanoseconds: MonotonicClock.nanoseconds() + Self.hangNanoseconds
            ) { state in
                ended = state.counts.ended
                return ended > before || submitted - ended < bound
            }
            if !isMoving {
                isHanging = true
                return false
            }
        }
        return true
    }

    private static func batch(
        _ builder: inout PushBatchBuilder, from first: Int, count: Int
    ) -> PushBatch {
        let payload = builder.addPayload(Array(#"{"aps":{"alert":"Soak"}}"#.utf8))
        for ordinal in first..<(first + count) {
            let digits = String(ordinal, radix: 16)
            let token = Array((String(repeating: "0", count: 64 - digits.count) + digits).utf8)
            builder.add(
                ordinal: Int32(ordinal), attempts: 0, token: token.span, payload: payload)
        }
        return builder.seal(slice: 0)
    }

    /// What the process holds in memory now.
    ///
    /// *Source:* proc_pid_statm(5): the second number counts resident pages.
    private static func residentBytes() -> Int {
        guard let text = try? FileContents.read("/proc/self/statm", limitBytes: 200) else {
            // Without /proc there is nothing to measure, which the table shows as 0.
            return 0
        }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
