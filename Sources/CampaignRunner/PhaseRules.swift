internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The campaign's rules for one phase, in the form the judge needs.
struct PhaseRules: Sendable {
    let phase: RunPhase
    let unconfirmed: UnconfirmedRule
    let retry: RetryPolicy
    /// What stops the phase before it does harm.
    let brakes: PhaseBrakes
}

extension PhaseRules {
    /// The rules of a campaign's phase.
    init(_ campaign: Campaign, phase: RunPhase, released: Set<BrakeName>) {
        self.phase = phase
        brakes = PhaseBrakes(campaign, phase: phase, released: released)
        switch phase {
        case .probe:
            // A probe is not repeated: a token it could not ask about is simply sent to.
            unconfirmed = .keep
            retry = RetryPolicy(attemptsMax: 1, withinNanoseconds: 0)
        case .send:
            unconfirmed = UnconfirmedRule(campaign.send.unconfirmed)
            retry = campaign.send.retry
        }
    }
}

extension UnconfirmedRule {
    /// The store's word for the campaign's.
    init(_ unconfirmed: SendSettings.Unconfirmed) {
        self = unconfirmed == .resend ? .resend : .keep
    }
}
