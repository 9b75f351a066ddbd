internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// The brakes of one phase, fed with every end of a request.
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
    /// Answers since ``turnEnded(nowNanoseconds:)``, for the brake that needs the time.
    private var turn = (trouble: 0, answers: 0)

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
        unknown?.record(bad: false)
        if isFinal {
            invalid.record(bad: sign == .invalid)
            gone?.record(bad: sign == .gone)
        }
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
        unknown?.record(bad: true)
        return isConnected ? evidence(unknown?.state) : nil
    }

    /// Counts the answers since the last call as of this moment.
    ///
    /// - Parameter nowNanoseconds: Monotonic.
    /// - Returns: What tripped a brake that is not released.
    mutating func turnEnded(nowNanoseconds: Int64) -> BrakeEvidence? {
        guard turn.answers > 0, errors != nil else { return nil }
        errors?.record(bad: turn.trouble, of: turn.answers, nowNanoseconds: nowNanoseconds)
        turn = (0, 0)
        return evidence(errors?.state)
    }

    private func evidence(_ state: BrakeState?) -> BrakeEvidence? {
        guard case .tripped(let evidence)? = state, !released.contains(evidence.name) else {
            return nil
        }
        return evidence
    }
}
