internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The sentences with which a run ends.
enum RunText {
    static func end(
        _ cause: StopCause, run: Run, endpoint: PushEndpoint, campaign: Campaign
    ) -> RunEnd {
        let place = "\(endpoint.host):\(endpoint.port)"
        let again = "run the same command again to go on with the rest"
        switch cause {
        case .requested:
            return .stopped(
                runID: run.id,
                message: "Stopped on request; everything answered so far is recorded; \(again).")
        case .brake(let evidence):
            return .braked(
                runID: run.id, brake: evidence.name,
                message: "Stopped by the brake \(evidence.name): \(evidence) "
                    + "\(advice(brake: evidence.name, campaign)) No device has changed. When the "
                    + "cause is mended, \(again).")
        case .credentials(let text):
            return .credentialsRefused(
                message: "\(text) No device has changed. \(endpoint.credential.spoken), "
                    + "\(campaign.environment.rawValue) at \(place). When it is mended, \(again).")
        case .campaign(let text):
            return .campaignRefused(
                message: "\(text) No device has changed. When the campaign is mended, \(again).")
        case .unreachable(let why):
            return .unreachable(
                message: "APNs at \(place) can't be reached: \(why). Check the network, the host "
                    + "and the port; \(again).")
        case .untrusted(let why):
            return .unreachable(
                message: "The certificate of \(place) is not trusted: \(why). Nothing was sent. If "
                    + "this server is meant, name its CA file in sortie.json "
                    + "(apns.\(campaign.environment.rawValue).ca_file).")
        case .database(let why):
            return .unreachable(message: "\(why). What was sent is safe: \(again).")
        case .leaseLost:
            return .held(message: "Another worker has taken run \(run.id) over.")
        }
    }

    private static func advice(brake: String, _ campaign: Campaign) -> String {
        guard brake == "invalid" else {
            return
                "Are these devices really of \(campaign.app) in \(campaign.environment.rawValue)?"
        }
        return "Wrong environment? The campaign says app \(campaign.app), "
            + "environment \(campaign.environment.rawValue); check where these tokens come from."
    }

    /// The reason kept with the run.
    static func reason(_ cause: StopCause) -> String {
        switch cause {
        case .requested: "stopped on request"
        case .brake(let evidence): "brake \(evidence.name): \(evidence)"
        case .credentials(let text), .campaign(let text): text
        case .unreachable(let why): "APNs unreachable: \(why)"
        case .untrusted(let why): "certificate not trusted: \(why)"
        case .database(let why): "database: \(why)"
        case .leaseLost: "taken over by another worker"
        }
    }

    static func definitionChanged(_ run: Run, _ request: RunRequest) -> String {
        "The campaign file has changed since run \(run.id) of \(request.campaign.name) "
            + "\(request.occurrence) began, and pushes went out under the old text. Put the old "
            + "file back to go on with that run, or start another with --occurrence NAME."
    }
}

extension RunText {
    static func alreadyOver(_ run: Run) -> String {
        "\(run.campaign), occurrence \(run.occurrence), is \(run.state.rawValue) (run \(run.id)); "
            + "nothing was sent. Another --occurrence would be another run."
    }

    static func held(_ holder: WorkerDescription, _ request: RunRequest) -> String {
        let seconds = Int(holder.silentSeconds.rounded())
        let left = Int(holder.leaseSecondsLeft.rounded(.up))
        return "\(request.campaign.name), occurrence \(request.occurrence), is being sent by "
            + "\(holder), heard of \(seconds) s ago; nothing was done here. If that process is "
            + "gone, its lease ends in \(left) s: start again then."
    }
}
