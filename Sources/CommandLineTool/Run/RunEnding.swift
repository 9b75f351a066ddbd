internal import CampaignRunner

/// A run's end in the program's terms.
struct RunEnding {
    /// One word for machines.
    let name: String
    let code: ExitCode
    /// What to say about it. Nil: the report says it all.
    let message: String?
    /// The run, if the end names it.
    let runID: Int64?

    init(_ end: RunEnd) {
        (name, code, message, runID) =
            switch end {
            case .finished(let id): ("finished", .done, nil, id)
            case .alreadyFinished(let id, let text): ("already_finished", .done, text, id)
            case .tooEarly(let text): ("too_early", .stoppedEarly, text, nil)
            case .missed(let id, let text): ("missed", .startMissed, text, id)
            case .stopped(let id, let text): ("stopped", .stoppedEarly, text, id)
            case .paused(let id, let text): ("paused", .stoppedEarly, text, id)
            case .cancelled(let id, let text): ("cancelled", .stoppedEarly, text, id)
            case .braked(let id, _, let text): ("braked", .stoppedEarly, text, id)
            case .credentialsRefused(let text):
                ("credentials_refused", .credentialsRefused, text, nil)
            case .campaignRefused(let text): ("campaign_refused", .badFile, text, nil)
            case .configurationRefused(let text):
                ("configuration_refused", .badConfiguration, text, nil)
            case .unreachable(let text): ("unreachable", .outOfReach, text, nil)
            case .held(let text): ("held", .stoppedEarly, text, nil)
            }
    }
}
