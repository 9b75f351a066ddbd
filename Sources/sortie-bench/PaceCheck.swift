internal import LinuxIO

/// Sends at a limited rate and asks the simulator what it saw.
struct PaceCheck {
    let pace: PaceCase
    let database: BenchDatabase
    let senders: Senders
    /// A new folder.
    let folder: String

    func run() throws -> PaceResult {
        try database.load(devices: pace.recipients)
        try database.settle()
        let server = try BenchServer(
            program: senders.program, folder: folder,
            options: ["--database", database.conninfo])
        var isStopped = false
        defer { if !isStopped { server.stop() } }
        var campaign = CampaignText(
            shape: .plain, connections: pace.connections, streams: 1_000)
        campaign.rate = "\(pace.rate)"
        campaign.burst = pace.burst
        if pace.recipients < database.devices { campaign.recipients = pace.recipients }
        _ = try senders.sortie(
            campaign, configuration: "\(folder)/sortie.json",
            occurrence: "pace-\(MonotonicClock.nanoseconds())",
            seconds: Double(pace.seconds) * 3 + 60)
        _ = try database.closeNewestRun(recipients: pace.recipients)
        let statistics = server.stop()
        isStopped = true
        return PaceResult(
            pace: pace, means: means(statistics),
            most: NamedNumbers.first("requests_in_one_second_max", in: statistics) ?? 0)
    }

    /// The rate of each connection, without the burst that it begins with.
    private func means(_ statistics: String) -> [Double] {
        // The first number of requests is that of all connections together.
        let requests = NamedNumbers.all("requests", in: statistics).dropFirst()
        let rates = NamedNumbers.all("requests_per_second", in: statistics)
        return zip(requests, rates).map { requests, rate in
            requests > 1 ? rate * (requests - Double(pace.burst)) / (requests - 1) : 0
        }
    }
}
