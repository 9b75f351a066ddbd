internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The brakes of one phase, fed with every end of a request. Each loop's judge has some of its own,
/// which trip within a turn; those of the phase add up what all loops met, turn by turn.
///
/// A brake that was released counts on, because its share still decides whether devices may be
/// marked; it only stops nothing.
///
/// *Ownership and thread*: a value, the judge's.
struct PhaseBrakes: Sendable {
    /// What an answer says, as far as brakes care.
    enum Sign {
        /// Nothing against the set-up or the servers.
        case fine
        /// The token is bad or of another app, or the refusal is one that nobody knows.
        case invalid
        /// The token is gone.
        case gone
        /// APNs' servers are in trouble.
        case trouble
    }

    private var invalid: Brake
    /// There is none in the main send, where a 410 is news and no alarm.
    private var gone: Brake?
    /// There is none in the preflight, where what is not answered is simply sent to.
    private var unknown: Brake?
    private var errors: WindowBrake?
    private let released: Set<BrakeName>
    /// What was counted since ``turnEnded(nowNanoseconds:)``.
    private var turn = Counts()

    /// Ends of requests, counted.
    struct Counts: Sendable {
        /// Answers, and those that told of trouble.
        fileprivate var answers = 0
        fileprivate var trouble = 0
        /// Requests that were not answered, and those whose connection was there all the time.
        fileprivate var unanswered = 0
        fileprivate var unansweredConnected = 0
        /// Answers that ended a recipient, and what they said of tokens.
        fileprivate var final = 0
        fileprivate var invalid = 0
        fileprivate var gone = 0
    }

    /// The brakes of a campaign's phase.
    init(_ campaign: Campaign, phase: RunPhase, released: Set<BrakeName>) {
        self.released = released
        switch phase {
        case .probe:
            let stop = campaign.preflight.stopIf
            invalid = Self.invalid(stop.invalidShare, stop.minimumSample)
            gone = Brake(
                name: .gone, counted: "said that the token is gone", threshold: stop.goneShare,
                minimumSample: stop.minimumSample)
        case .send:
            let stop = campaign.send.stopIf
            invalid = Self.invalid(stop.invalidShare, stop.minimumSample)
            unknown = Brake(
                name: .unknown, counted: "never came", threshold: stop.unknownShare,
                minimumSample: stop.minimumSample)
            errors = WindowBrake(
                Brake(
                    name: .errors, counted: "within a minute told of trouble at APNs",
                    threshold: stop.errorShare, minimumSample: stop.minimumSample))
        }
    }

    private static func invalid(_ share: Share, _ minimumSample: Int) -> Brake {
        Brake(
            name: .invalid, counted: "refused the token", threshold: share,
            minimumSample: minimumSample, openingSample: Self.openingSample)
    }

    /// Thirty refused tokens and not one good answer: the set-up is wrong, and every further
    /// request brings APNs nearer to closing the connection.
    private static let openingSample = 30

    /// Whether nothing seen speaks against marking devices.
    var allowsMarking: Bool { invalid.allowsMarking && gone?.allowsMarking ?? true }

    // MARK: - Ends of requests

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - sign: What it says.
    ///   - isFinal: Whether it ends the recipient; shares of tokens are taken of those only.
    /// - Returns: What tripped a brake that is not released.
    mutating func answered(_ sign: Sign, isFinal: Bool) -> BrakeEvidence? {
        turn.answers += 1
        if sign == .trouble { turn.trouble += 1 }
        var isTripped = unknown?.record(bad: false) ?? false
        if isFinal {
            turn.final += 1
            if sign == .invalid { turn.invalid += 1 }
            if sign == .gone { turn.gone += 1 }
            if invalid.record(bad: sign == .invalid) { isTripped = true }
            if gone?.record(bad: sign == .gone) ?? false { isTripped = true }
        }
        // Almost always: to ask each for its evidence copies texts.
        guard isTripped else { return nil }
        return evidence(invalid.state) ?? evidence(gone?.state) ?? evidence(unknown?.state)
    }

    /// Counts a request without an answer.
    ///
    /// - Parameter isConnected: Whether the connection was there all the time. A connection that
    ///   breaks takes all its requests with it, and when the network is gone nothing is answered
    ///   any more: that has an end of its own, which says so. What was lost counts, and is judged
    ///   when the next answer comes.
    /// - Returns: What tripped a brake that is not released.
    mutating func unanswered(isConnected: Bool) -> BrakeEvidence? {
        turn.unanswered += 1
        if isConnected { turn.unansweredConnected += 1 }
        unknown?.record(bad: true)
        return isConnected ? evidence(unknown?.state) : nil
    }

    /// Ends a turn of the loop.
    ///
    /// - Returns: what was counted in it, for ``add(_:nowNanoseconds:)`` of the brakes that all
    ///   loops share; nil if nothing was.
    mutating func turnEnded() -> Counts? {
        guard turn.answers + turn.unanswered > 0 else { return nil }
        defer { turn = Counts() }
        return turn
    }

    /// Counts what one loop met in a turn, beside the others'.
    ///
    /// - Parameters:
    ///   - counts: what it met.
    ///   - nowNanoseconds: Monotonic.
    /// - Returns: What tripped a brake that is not released.
    mutating func add(_ counts: Counts, nowNanoseconds: Int64) -> BrakeEvidence? {
        invalid.record(bad: counts.invalid, of: counts.final)
        gone?.record(bad: counts.gone, of: counts.final)
        unknown?.record(bad: counts.unanswered, of: counts.unanswered + counts.answers)
        errors?.record(bad: counts.trouble, of: counts.answers, nowNanoseconds: nowNanoseconds)
        let met =
            evidence(invalid.state) ?? evidence(gone?.state) ?? evidence(errors?.state)
        // See ``unanswered(isConnected:)``.
        if met != nil || counts.answers + counts.unansweredConnected == 0 { return met }
        return evidence(unknown?.state)
    }

    private func evidence(_ state: BrakeState?) -> BrakeEvidence? {
        guard case .tripped(let evidence)? = state, !released.contains(evidence.name) else {
            return nil
        }
        return evidence
    }
}
