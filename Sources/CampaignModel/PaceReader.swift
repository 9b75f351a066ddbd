internal import DocumentTree
internal import SendPolicy

/// Reads how a campaign is sent: `preflight` and `send`.
enum PaceReader {
    /// The preflight; what is not given or not usable has its default.
    ///
    /// - Parameter section: nil when the file has none.
    /// - Returns: the preflight.
    static func preflight(_ section: FieldSection?) -> Preflight {
        let usual = Preflight()
        guard let section else { return usual }
        section.checkNames()
        let staleAfter = section["stale_after"]?
            .duration(in: CampaignLimits.staleAfter, unit: CampaignLimits.second)
        return Preflight(
            probe: section["probe"]?.choice(Preflight.Probe.self) ?? usual.probe,
            staleAfterSeconds: staleAfter.map { $0 / CampaignLimits.second }
                ?? usual.staleAfterSeconds,
            rate: section["rate"]?.rate() ?? usual.rate,
            burst: section.count("burst", CampaignLimits.burst) ?? usual.burst,
            connections: section.count("connections", CampaignLimits.connections)
                ?? usual.connections,
            stopIf: preflightStop(section.section("stop_if")))
    }

    private static func preflightStop(_ section: FieldSection?) -> Preflight.StopRule {
        let usual = Preflight.StopRule()
        guard let section else { return usual }
        section.checkNames()
        return Preflight.StopRule(
            invalidShare: section["invalid"]?.share() ?? usual.invalidShare,
            goneShare: section["gone"]?.share() ?? usual.goneShare,
            minimumSample: section.count("minimum", CampaignLimits.minimumSample)
                ?? usual.minimumSample)
    }

    /// The settings of the main send; what is not given or not usable has its default.
    ///
    /// - Parameters:
    ///   - section: nil when the file has none.
    ///   - message: the message, whose collapse id decides what resending does; nil when it is not
    ///     usable.
    /// - Returns: the settings.
    static func send(_ section: FieldSection?, of message: Message?) -> SendSettings {
        let usual = SendSettings()
        section?.checkNames()
        let connections =
            section?.count("connections", CampaignLimits.connections) ?? usual.connections
        let rate = section?["rate"]?.rate() ?? usual.rate
        return SendSettings(
            connections: connections, rate: rate,
            burst: section?.count("burst", CampaignLimits.burst) ?? usual.burst,
            maxRate: maxRate(section?["max_rate"], connections: connections, rate: rate),
            maxInFlight: section?.count("max_in_flight", CampaignLimits.maxInFlight)
                ?? usual.maxInFlight,
            requestTimeoutMilliseconds: section?["request_timeout"]?
                .duration(in: CampaignLimits.requestTimeout) ?? usual.requestTimeoutMilliseconds,
            unconfirmed: unconfirmed(section?["unconfirmed"], of: message),
            retry: retry(section?.section("retry")), stopIf: sendStop(section?.section("stop_if")),
            canary: canary(section?.section("canary")))
    }

    /// The bound of the whole run; warned about where it bounds nothing.
    private static func maxRate(_ value: FieldValue?, connections: Int, rate: Rate) -> Rate {
        guard let value, let whole = value.rate() else { return .unlimited }
        if let all = whole.perSecond, let each = rate.perSecond, all > each * Double(connections) {
            value.collector.warning(
                value.node.place, value.path,
                "all connections at their own \"rate\" are slower than this, so with one worker "
                    + "it has no effect; lower it to slow the run down")
        }
        return whole
    }

    private static func unconfirmed(
        _ value: FieldValue?, of message: Message?
    ) -> SendSettings.Unconfirmed {
        let hasCollapse = message.map { $0.collapse != .none } ?? false
        guard let value else { return hasCollapse ? .resend : .keep }
        guard let choice = value.choice(SendSettings.Unconfirmed.self) else { return .keep }
        if choice == .resend, message != nil, !hasCollapse {
            value.fail(
                "resend needs a collapse id, or a device that got the first push would show two; "
                    + "write collapse: campaign in \"message\", or unconfirmed: keep")
        }
        return choice
    }

    private static func retry(_ section: FieldSection?) -> RetryPolicy {
        let usual = SendSettings.defaultRetry
        guard let section else { return usual }
        section.checkNames()
        let policy = RetryPolicy(
            attemptsMax: section.count("attempts", CampaignLimits.attempts) ?? usual.attemptsMax,
            withinNanoseconds: section["within"]?.duration(in: CampaignLimits.retryWithin)
                .map { $0 * nanosecondsPerMillisecond } ?? usual.withinNanoseconds,
            delayNanoseconds: section["delay"]?.duration(in: CampaignLimits.retryDelay)
                .map { $0 * nanosecondsPerMillisecond } ?? usual.delayNanoseconds)
        if policy.attemptsMax > 1, policy.delayNanoseconds > policy.withinNanoseconds {
            section.collector.warning(
                section.place, section.path,
                "the delay is longer than \"within\", so what APNs could not take is not tried "
                    + "again; make \"within\" longer")
        }
        return policy
    }

    private static let nanosecondsPerMillisecond: Int64 = 1_000_000

    private static func sendStop(_ section: FieldSection?) -> SendSettings.StopRule {
        let usual = SendSettings.StopRule()
        guard let section else { return usual }
        section.checkNames()
        return SendSettings.StopRule(
            invalidShare: section["invalid"]?.share() ?? usual.invalidShare,
            unknownShare: section["unknown"]?.share() ?? usual.unknownShare,
            errorShare: section["errors"]?.share() ?? usual.errorShare,
            minimumSample: section.count("minimum", CampaignLimits.minimumSample)
                ?? usual.minimumSample)
    }

    private static func canary(_ section: FieldSection?) -> Canary {
        guard let section else { return Canary() }
        section.checkNames()
        return Canary(
            recipients: section.count("recipients", CampaignLimits.canaryRecipients),
            rejectedShare: section["stop_if_rejected"]?.share() ?? Canary().rejectedShare)
    }
}

extension FieldSection {
    /// A field's whole number.
    ///
    /// - Parameters:
    ///   - name: the field.
    ///   - range: what is allowed.
    /// - Returns: nil when it is not given or not usable.
    func count(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        self[name]?.wholeNumber(in: range)
    }
}
