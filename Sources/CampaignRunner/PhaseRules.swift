internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The campaign's rules for one phase, in the form the judge needs.
struct PhaseRules: Sendable {
    let phase: RunPhase
    let unconfirmed: UnconfirmedRule
    let retry: RetryPolicy
    /// Judges tokens that APNs calls bad.
    let invalidBrake: Brake
    /// Judges tokens that APNs calls gone; there is none in the main send, where a 410 is news and
    /// no alarm.
    let goneBrake: Brake?
}

extension PhaseRules {
    /// The rules of a campaign's phase.
    init(_ campaign: Campaign, phase: RunPhase) {
        self.phase = phase
        switch phase {
        case .probe:
            let stop = campaign.preflight.stopIf
            // A probe is not repeated: a token it could not ask about is simply sent to.
            unconfirmed = .keep
            retry = RetryPolicy(attemptsMax: 1, withinNanoseconds: 0)
            invalidBrake = Self.invalid(stop.invalidShare, stop.minimumSample)
            goneBrake = Brake(
                name: "gone", counted: "said that the token is gone", threshold: stop.goneShare,
                minimumSample: stop.minimumSample)
        case .send:
            let stop = campaign.send.stopIf
            unconfirmed = UnconfirmedRule(campaign.send.unconfirmed)
            retry = campaign.send.retry
            invalidBrake = Self.invalid(stop.invalidShare, stop.minimumSample)
            goneBrake = nil
        }
    }

    private static func invalid(_ share: Share, _ minimumSample: Int) -> Brake {
        Brake(
            name: "invalid", counted: "refused the token", threshold: share,
            minimumSample: minimumSample)
    }
}

extension UnconfirmedRule {
    /// The store's word for the campaign's.
    init(_ unconfirmed: SendSettings.Unconfirmed) {
        self = unconfirmed == .resend ? .resend : .keep
    }
}
