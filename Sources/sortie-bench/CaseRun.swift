internal import LinuxIO

/// Measures one case: both senders in turn against the same simulator.
struct CaseRun {
    private static let warmUpRecipients = 20_000
    private static let countedRecipients = 100_000

    let one: BenchCase
    let database: BenchDatabase
    let senders: Senders
    /// A new folder.
    let folder: String
    let say: (String) -> Void

    private struct Setting {
        let server: BenchServer
        let configuration: String
        var request: LoadRequest
    }

    /// Runs warm-up, counted run and pairs.
    func run() throws -> CaseResult {
        var result = CaseResult(one: one)
        try FileContents.makeDirectory(folder, mode: 0o755)
        try database.load(devices: one.recipients)
        var options = ["--database", database.conninfo]
        if case .dead = one.shape { options += ["--dead", "0.3"] }
        guard one.roundTripMilliseconds > 0 else {
            let server = try BenchServer(
                program: senders.program, folder: "\(folder)/server", options: options)
            defer { server.stop() }
            try measure(server, &result)
            return result
        }
        try measureAfar(options, &result)
        return result
    }

    /// With a delaying link if the system has one, else through a relay.
    private func measureAfar(_ options: [String], _ result: inout CaseResult) throws {
        let network: FarNetwork
        do {
            network = try FarNetwork(roundTripMilliseconds: one.roundTripMilliseconds)
        } catch {
            result.line = "a relay of this program's own (\(error))"
            var server = try BenchServer(
                program: senders.program, folder: "\(folder)/server", options: options)
            defer { server.stop() }
            let relay = try DelayRelay(
                serverPort: server.port, roundTripMilliseconds: one.roundTripMilliseconds)
            try relay.start()
            server.port = relay.port
            return try measure(server, &result)
        }
        defer { network.remove() }
        result.line = "a network namespace with netem"
        let address = ["--host", FarNetwork.farAddress]
        var server = try BenchServer(
            program: senders.program, folder: "\(folder)/server", options: options + address,
            prefix: network.prefix)
        defer { server.stop() }
        server.host = FarNetwork.farAddress
        try measure(server, &result)
    }

    private func measure(_ server: BenchServer, _ result: inout CaseResult) throws {
        let configuration = "\(server.folder)/bench.json"
        try FileContents.write(
            configuration, Array(try configurationText(server).utf8), mode: 0o600)
        var setting = Setting(
            server: server, configuration: configuration,
            request: LoadRequest(token: "", bodyBytes: 1))
        try warmUp(&setting)
        do {
            try count(setting, &result)
        } catch {
            say("  calls are not counted: \(error)")
        }
        for pair in 0..<one.pairs {
            // Who goes first changes, so that what one leaves behind hits both alike.
            if pair % 2 == 0 {
                let load = try loadSample(setting)
                result.pairs.append(.init(sortie: try sortieSample(setting), load: load))
            } else {
                let sortie = try sortieSample(setting)
                result.pairs.append(.init(sortie: sortie, load: try loadSample(setting)))
            }
            if let last = result.pairs.last { say(Self.line(last, pair + 1)) }
        }
    }

    private static func line(_ pair: CaseResult.Pair, _ number: Int) -> String {
        let sortie = pair.sortie
        return "  pair \(number): sortie \(NumberText.short(sortie.recipientsPerSecond))/s, "
            + "\(NumberText.short(sortie.microseconds)) µs; "
            + "h2load \(NumberText.short(pair.load.recipientsPerSecond))/s, "
            + "\(NumberText.short(pair.load.microseconds)) µs"
    }

    /// The simulator's own configuration, with what the case wants changed.
    private func configurationText(_ server: BenchServer) throws -> String {
        var text = try server.configuration()
        let encoder = one.headerEncoder.map { "\"header_encoder\": \"\($0)\", " } ?? ""
        guard let apns = text.firstRange(of: "\"apns\": {") else {
            throw BenchFailure("the simulator's sortie.json has an unexpected form")
        }
        let loops = one.eventLoops.map { "\"tuning\": { \"event_loops\": \($0) }, " } ?? ""
        text.replaceSubrange(apns, with: "\(loops)\"apns\": { \(encoder)")
        if let port = NamedNumbers.first("port", in: text) {
            text.replace("\"port\": \(port)", with: "\"port\": \(server.port)")
        }
        return text
    }

    // MARK: - Runs

    private var campaign: CampaignText {
        CampaignText(shape: one.shape, connections: one.connections, streams: one.streams)
    }

    /// A bound far above what a run takes, so that something that hangs is noticed.
    private func bound(_ recipients: Int) -> Double {
        var part = one
        part.recipients = recipients
        return 60 + part.pairSeconds * 10
    }

    /// Learns how large the requests are, and brings programs and files into memory.
    private func warmUp(_ setting: inout Setting) throws {
        let recipients = min(one.recipients, Self.warmUpRecipients)
        let sample = try sortieSample(setting, recipients: recipients)
        setting.request = LoadRequest(
            token: try database.providerToken(),
            bodyBytes: max(1, Int(sample.bodyBytesPerRequest.rounded())))
        _ = try loadSample(setting, recipients: recipients)
    }

    private func count(_ setting: Setting, _ result: inout CaseResult) throws {
        let recipients = min(one.recipients, Self.countedRecipients)
        let sortie = try sortieSample(setting, recipients: recipients, isCounted: true)
        result.sortieCalls = senders.counts(requests: sortie.received.requests)
        _ = try loadSample(setting, recipients: recipients, isCounted: true)
        result.loadCalls = senders.counts(requests: recipients)
    }

    private func sortieSample(
        _ setting: Setting, recipients: Int? = nil, isCounted: Bool = false
    ) throws -> Sample {
        let count = recipients ?? one.recipients
        try database.settle()
        var campaign = campaign
        if count < database.devices || recipients != nil { campaign.recipients = count }
        let server = setting.server
        let countsBefore = try server.counts(requests: 0)
        let serverBefore = server.processorSeconds
        let databaseBefore = try database.processorSeconds()
        let logBefore = try database.logPosition()
        let usage = try senders.sortie(
            campaign, configuration: setting.configuration,
            occurrence: "\(one.name)-\(MonotonicClock.nanoseconds())", isCounted: isCounted,
            seconds: bound(count))
        let databaseSeconds = try database.processorSeconds() - databaseBefore
        let logBytes = try database.logPosition() - logBefore
        var record = try database.closeNewestRun(recipients: count)
        record.databaseSeconds = databaseSeconds
        record.logBytes = logBytes
        let requests = countsBefore.requests + record.requests
        return Sample(
            usage: usage, serverSeconds: server.processorSeconds - serverBefore,
            received: try server.counts(requests: requests) - countsBefore,
            record: record, recipients: count)
    }

    private func loadSample(
        _ setting: Setting, recipients: Int? = nil, isCounted: Bool = false
    ) throws -> Sample {
        let count = recipients ?? one.recipients
        let server = setting.server
        let countsBefore = try server.counts(requests: 0)
        let serverBefore = server.processorSeconds
        let usage = try senders.h2load(
            requests: count, one, setting.request, server: server, isCounted: isCounted,
            seconds: bound(count))
        return Sample(
            usage: usage, serverSeconds: server.processorSeconds - serverBefore,
            received: try server.counts(requests: countsBefore.requests + count) - countsBefore,
            recipients: count)
    }
}
