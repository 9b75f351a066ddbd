internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignRunner
internal import LinuxIO
internal import TLS

/// Where a campaign's pushes go, from the configuration.
enum PushTarget {
    /// Builds the endpoint for a campaign's app and environment. Nothing is connected to.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - file: the configuration.
    ///   - console: where warnings about readable keys and ageing certificates go; nil drops them.
    /// - Returns: host, port, trust and credential.
    /// - Throws: `CommandFailure`, `KeyError`, `IdentityError` or `TLSError` when the configuration
    ///   lacks something or a file that it names is wrong.
    static func endpoint(
        for campaign: Campaign, _ file: ConfigurationFile, console: Console?
    ) throws -> PushEndpoint {
        let configuration = file.configuration
        let override = configuration.endpoints[campaign.environment]
        let trust = override?.caFile.map { TLSTrust.file(configuration.path(of: $0)) } ?? .system
        guard
            let found = configuration.credential(
                app: campaign.app, environment: campaign.environment)
        else {
            throw CommandFailure(.badConfiguration, missingCredential(campaign, file.name))
        }
        let identity: ClientIdentity?
        let credential: PushCredential
        switch found.proof {
        case .key(let key):
            identity = nil
            credential = .token(
                try CredentialFiles.providerCredential(key, configuration, console))
        case .certificate(let files):
            let read = try CredentialFiles.identity(files, configuration, console)
            try check(read.facts, configuration.path(of: files.file), for: campaign, console)
            identity = read
            credential = .certificate(read.facts)
        }
        var endpoint = PushEndpoint(
            host: override?.host ?? campaign.environment.defaultHost,
            port: override?.port ?? APNSEnvironment.defaultPort,
            proxy: override?.proxy.map { PushProxy(host: $0.host, port: $0.port) },
            tls: try TLSContext.client(trust: trust, protocols: ["h2"], identity: identity),
            credential: credential)
        endpoint.headerEncoder = configuration.headerEncoder
        return endpoint
    }

    private static func check(
        _ facts: CertificateFacts, _ path: String, for campaign: Campaign, _ console: Console?
    ) throws(CommandFailure) {
        let check = CertificateCheck(
            facts, file: path, app: campaign.app, environment: campaign.environment,
            nowSeconds: WallClock.microseconds() / 1_000_000)
        guard check.refusals.isEmpty else {
            throw CommandFailure(.badConfiguration, check.refusals.joined(separator: "\n"))
        }
        if let warning = check.warning { console?.message("warning: \(warning)") }
    }

    private static func missingCredential(_ campaign: Campaign, _ file: String?) -> String {
        let place = file ?? "no sortie.json was found, so it"
        return "\(place) has no credentials for the app \(campaign.app) in "
            + "\(campaign.environment.rawValue). Add to the list \"credentials\" in sortie.json: "
            + "{ app: \(campaign.app), key_file: AuthKey_XXXXXXXXXX.p8, key_id: XXXXXXXXXX, "
            + "team_id: XXXXXXXXXX }, or with a certificate { app: \(campaign.app), "
            + "certificate_file: push.p12, password_file: push.password }"
    }
}
