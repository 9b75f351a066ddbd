internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

extension PushClientConfiguration {
    /// The loops that suit this machine.
    fileprivate var suitableLoops: Int {
        PushClient.suitableLoops(
            cores: ProcessFacts.processorCount, connections: connections)
    }
}

/// The client's settings for a phase.
extension RunSession {
    /// The first recipients go a few at a time, so that a wrong set-up is seen before all of them
    /// are on the wire.
    private static let canaryInFlightMax = 5

    /// Probes wait for each other more than messages do: refused tokens make APNs lower the stream
    /// limit, and a gentle pass does not need more.
    private static let probesInFlightMax = 100

    /// Where and how the requests of a phase are sent.
    func clientConfiguration(_ phase: RunPhase, isCanary: Bool) -> PushClientConfiguration {
        let endpoint = request.endpoint
        let campaign = request.campaign
        var client = PushClientConfiguration(
            host: endpoint.host, port: endpoint.port, tls: endpoint.tls,
            credential: endpoint.credential.provider, head: head(phase))
        client.proxy = endpoint.proxy
        client.limits = endpoint.limits
        client.headerEncoder = endpoint.headerEncoder
        client.permit = keeper.permit
        client.requestTimeoutNanoseconds = campaign.send.requestTimeoutMilliseconds * 1_000_000
        switch phase {
        case .probe:
            client.connections = campaign.preflight.connections
            client.rate = campaign.preflight.rate
            client.burst = campaign.preflight.burst
            client.maxInFlight = min(campaign.send.maxInFlight, Self.probesInFlightMax)
        case .send:
            client.connections = campaign.send.connections
            client.rate = campaign.send.rate
            client.burst = campaign.send.burst
            client.maxInFlight = campaign.send.maxInFlight
        }
        client.loops = min(
            request.tuning.eventLoops ?? client.suitableLoops, client.connections)
        if isCanary { client.maxInFlight = min(client.maxInFlight, Self.canaryInFlightMax) }
        return client
    }

    private func head(_ phase: RunPhase) -> RequestHead {
        let campaign = request.campaign
        if phase == .probe { return RequestHead.probe(topic: campaign.app) }
        return RequestHead(
            topic: campaign.app, pushType: campaign.message.pushType,
            priority: campaign.message.priority, expirationSeconds: run.expiresAtSeconds,
            collapseID: run.collapseID)
    }
}
