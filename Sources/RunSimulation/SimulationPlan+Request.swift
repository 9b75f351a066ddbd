internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignRunner
internal import SendPolicy
internal import TLS

/// What the processes of a simulation are started with.
extension SimulationPlan {
    /// What nobody looks at in a simulation, made once: TLS settings and a signing key.
    private static let endpoint: PushEndpoint? = {
        guard let tls = try? TLSContext.client(trust: .system, protocols: ["h2"]),
            let pair = try? SigningKey.generate(),
            let key = try? SigningKey(pem: pair.privatePEM, source: "the simulation's key"),
            let identity = Optional(ProviderIdentity(keyID: "SIMULATION", teamID: "SIMULATION"))
        else { return nil }
        return PushEndpoint(
            host: "apns.simulation", port: 443, tls: tls,
            credential: .token(ProviderCredential(key: key, identity: identity)))
    }()

    /// The request of one process; nil if OpenSSL gives no key.
    func request(_ entry: RunEntry, in process: SimulatedProcess) -> RunRequest? {
        guard let endpoint = Self.endpoint else { return nil }
        var request = RunRequest(
            campaign: campaign, definition: Array("{}".utf8), occurrence: "once",
            kind: isProbeOnly ? .probe : .campaign, database: "simulation", endpoint: endpoint,
            startedBy: "simulation", version: "simulation")
        request.entry = entry
        request.surroundings = process
        request.reloaded = { endpoint }
        request.tuning.leaseSeconds = leaseSeconds
        request.tuning.eventLoops = 1
        request.tuning.windowMax = tuning.window
        request.tuning.batchRows = tuning.batchRows
        request.tuning.batchMilliseconds = tuning.batchMilliseconds
        // Somebody who has looked at it lets a brake that trips by chance be.
        let isPersonThere = process.world.isHealed && !isWrongEnvironment
        if releasesBrakes || isPersonThere { request.releasedBrakes = Set(BrakeName.allCases) }
        return request
    }

    /// How many recipients one lost worker may leave in doubt: announced and not on the wire, on
    /// the wire, and answered but not recorded.
    var doubtMax: Int {
        let wire =
            max(campaign.send.connections, campaign.preflight.connections)
            * campaign.send.maxInFlight
        return 2 * tuning.window + wire + 3 * tuning.batchRows
    }
}
