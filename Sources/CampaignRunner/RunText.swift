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
        let setting = "apns.\(campaign.environment.rawValue)"
        let again =
            run.isRehearsal
            ? "rehearse again" : "run the same command again to go on with the rest"
        switch cause {
        case .requested where run.state == .planned && run.startsAtMicroseconds != nil:
            return .stopped(runID: run.id, message: StartText.stopped)
        case .requested:
            return .stopped(
                runID: run.id,
                message: "Stopped on request; everything answered so far is recorded; \(again).")
        case .brake(let evidence):
            return .braked(
                runID: run.id, brake: evidence.name.rawValue,
                message: "Stopped by the brake \(evidence.name): \(evidence) "
                    + "\(advice(evidence.name, campaign)) No device has changed. "
                    + "\(wayOn(evidence.name, again))")
        case .credentials(let text):
            return .credentialsRefused(
                message: "\(text) No device has changed. \(endpoint.credential.spoken), "
                    + "\(campaign.environment.rawValue) at \(place). When it is mended, \(again).")
        case .campaign(let text):
            return .campaignRefused(
                message: "\(text) No device has changed. When the campaign is mended, \(again).")
        case .unreachable(let why):
            return .unreachable(
                message: unreachable(place, why, endpoint.proxy, setting) + "; \(again).")
        case .untrusted(let why):
            return .unreachable(
                message: "The certificate of \(place) is not trusted: \(why). Nothing was sent. If "
                    + "this server is meant, name its CA file in sortie.json "
                    + "(\(setting).ca_file).\(inspection(endpoint.proxy))")
        case .database(let why):
            return .unreachable(message: "\(why). What was sent is safe: \(again).")
        case .leaseLost:
            return .held(
                message: "Other workers have taken over what this one held of run \(run.id).")
        case .wished(let wish): return wished(wish, run)
        case .closed(let state): return .held(message: "Run \(run.id) is \(state.rawValue).")
        case .reload: return .held(message: "The credentials are to be read again.")
        }
    }

    private static func wished(_ wish: RunWish, _ run: Run) -> RunEnd {
        switch wish.kind {
        case .pause:
            return .paused(
                runID: run.id,
                message: "Run \(run.id) was \(wish.text); everything answered so far is recorded. "
                    + "sortie resume \(run.id) goes on.")
        case .cancel:
            return .cancelled(
                runID: run.id,
                message: "Run \(run.id) was \(wish.text); everything answered so far is recorded, "
                    + "the rest stays unsent.")
        case .brake:
            return .braked(
                runID: run.id, brake: wish.by,
                message: "Run \(run.id) was stopped for all its workers: \(wish.text) When the "
                    + "cause is mended, sortie resume \(run.id) goes on.")
        }
    }

    /// The end that finding a run closed means.
    static func closed(_ run: Run) -> RunEnd {
        if run.state == .cancelled {
            return .cancelled(
                runID: run.id,
                message: "Run \(run.id) is cancelled\(because(run)); the rest stays unsent.")
        }
        if let wish = run.wish { return wished(wish, run) }
        return .paused(
            runID: run.id,
            message: "Run \(run.id) of \(run.campaign), occurrence \(run.occurrence), is "
                + "\(run.state.rawValue)\(because(run)); nothing is sent here. sortie resume "
                + "\(run.id) goes on.")
    }

    private static func because(_ run: Run) -> String {
        run.stopReason.map { " (\($0))" } ?? ""
    }

    private static func unreachable(
        _ place: String, _ why: String, _ proxy: PushProxy?, _ setting: String
    ) -> String {
        guard let proxy else {
            return "APNs at \(place) can't be reached: \(why). Check the network, the host and "
                + "the port"
        }
        return "APNs at \(place) can't be reached through the proxy \(proxy): \(why). Check the "
            + "network and the proxy (\(setting).proxy in sortie.json)"
    }

    /// What makes a certificate that is not trusted likely behind a proxy.
    private static func inspection(_ proxy: PushProxy?) -> String {
        guard let proxy else { return "" }
        return " Or the proxy \(proxy) opens the connections that go through it and shows a "
            + "certificate of its own: ask for an exception for APNs."
    }

    /// What to check when a brake has tripped.
    private static func advice(_ brake: BrakeName, _ campaign: Campaign) -> String {
        let place = "app \(campaign.app), environment \(campaign.environment.rawValue)"
        switch brake {
        case .invalid:
            return "Wrong environment? The campaign says \(place); check where these tokens come "
                + "from."
        case .gone:
            return "An old export or a restored backup? Check when these tokens were last "
                + "registered; the campaign says \(place)."
        case .canary:
            return "Nobody but the first recipients was sent to. Check the reasons in the report, "
                + "the message, and where these tokens come from; the campaign says \(place)."
        case .unknown:
            return "Check the network, and what stands between this machine and APNs; or give "
                + "requests more time (send.request_timeout)."
        case .errors:
            return "Check Apple's system status page, and go on when the trouble is over."
        }
    }

    /// How to go on after a brake has tripped.
    private static func wayOn(_ brake: BrakeName, _ again: String) -> String {
        let knowingly = "--release-brake \(brake)"
        if brake == .canary {
            return "When the cause is mended in the campaign file, run it again; if it lay "
                + "elsewhere, or the share is right, add \(knowingly) to go on with the rest."
        }
        return "When the cause is mended, \(again); if the share is right, add \(knowingly)."
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
        case .wished(let wish): wish.text
        case .closed(let state): "the run is \(state.rawValue)"
        case .reload: "credentials are read again"
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

    static func otherProtocol(_ run: Run) -> String {
        "Run \(run.id) was begun by a version of sortie with record protocol "
            + "\(run.recordProtocol); this one speaks \(Store.recordProtocol), and mixing them "
            + "could send twice. Finish the run with the version that began it."
    }

    static func held(_ holder: WorkerDescription, _ request: RunRequest) -> String {
        let seconds = Int(holder.silentSeconds.rounded())
        let left = Int(holder.leaseSecondsLeft.rounded(.up))
        return "\(request.campaign.name), occurrence \(request.occurrence), is being sent by "
            + "\(holder), heard of \(seconds) s ago; nothing was done here. If that process is "
            + "gone, its lease ends in \(left) s: start again then. sortie work helps with the run."
    }
}
