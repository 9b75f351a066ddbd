internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignRunner
internal import LinuxIO
internal import TLS

/// Where a campaign's pushes go, from the configuration.
enum PushTarget {
    /// Keys are a few hundred bytes; a larger file is something else.
    private static let keyFileBytesMax = 65_536

    /// Builds the endpoint for a campaign's app and environment. Nothing is connected to.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - file: the configuration.
    ///   - console: where a warning about a readable key goes; nil drops it.
    /// - Returns: host, port, trust and credential.
    /// - Throws: `CommandFailure`, `KeyError` or `TLSError` when the configuration lacks something
    ///   or a file that it names is wrong.
    static func endpoint(
        for campaign: Campaign, _ file: ConfigurationFile, console: Console?
    ) throws -> PushEndpoint {
        let configuration = file.configuration
        let override = configuration.endpoints[campaign.environment]
        let trust = override?.caFile.map { TLSTrust.file(configuration.path(of: $0)) } ?? .system
        return PushEndpoint(
            host: override?.host ?? campaign.environment.defaultHost,
            port: override?.port ?? APNSEnvironment.defaultPort,
            tls: try TLSContext.client(trust: trust, protocols: ["h2"]),
            credential: try credential(for: campaign, file, console))
    }

    private static func credential(
        for campaign: Campaign, _ file: ConfigurationFile, _ console: Console?
    ) throws -> ProviderCredential {
        let configuration = file.configuration
        guard
            let found = configuration.credential(
                app: campaign.app, environment: campaign.environment)
        else {
            throw CommandFailure(.badConfiguration, missingCredential(campaign, file.name))
        }
        let path = configuration.path(of: found.keyFile)
        let key = try SigningKey(pem: try read(path), source: path)
        // Modes are checked for advice only, so a file system without them is no obstacle.
        if let mode = try? FileContents.modeBits(path), mode & 0o044 != 0 {
            console?.message("warning: \(path) can be read by other users; run: chmod 600 \(path)")
        }
        return ProviderCredential(
            key: key, identity: ProviderIdentity(keyID: found.keyID, teamID: found.teamID))
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try FileContents.read(path, limitBytes: keyFileBytesMax)
        } catch {
            throw CommandFailure(.badConfiguration, "The signing key can't be read: \(error)")
        }
    }

    private static func missingCredential(_ campaign: Campaign, _ file: String?) -> String {
        let place = file ?? "no sortie.json was found, so it"
        return "\(place) has no credentials for the app \(campaign.app) in "
            + "\(campaign.environment.rawValue). Add to the list \"credentials\" in sortie.json: "
            + "{ app: \(campaign.app), key_file: AuthKey_XXXXXXXXXX.p8, key_id: XXXXXXXXXX, "
            + "team_id: XXXXXXXXXX }"
    }
}
