internal import APNSProtocol
internal import CampaignModel
internal import SendPolicy

/// A campaign in one line: who gets it, in which languages, how large, how fast.
enum CampaignText {
    static func summary(_ campaign: Campaign) -> String {
        [
            "to \(audience(campaign))", texts(campaign), preflight(campaign.preflight),
            send(campaign.send), start(campaign.schedule),
        ].compactMap { $0 }.joined(separator: "; ")
    }

    private static func send(_ send: SendSettings) -> String {
        let pace = "send: \(pace(send.rate, send.connections))"
        return send.maxRate.perSecond.map { "\(pace), \(NumberText.rate($0)) in all" } ?? pace
    }

    private static func start(_ schedule: Schedule?) -> String? {
        guard let schedule else { return nil }
        let bound = schedule.notLaterThanSeconds.map { ", not later than \(span($0)) after" } ?? ""
        return "start: \(schedule)\(bound)"
    }

    private static func audience(_ campaign: Campaign) -> String {
        let audience = campaign.audience
        var text = "devices of \(campaign.app) in \(campaign.environment.rawValue)"
        if !audience.locales.isEmpty {
            text += " with the locale \(audience.locales.joined(separator: ", "))"
        }
        if let seconds = audience.registeredWithinSeconds {
            text += ", registered within \(span(seconds))"
        }
        if audience.whereSQL != nil { text += ", where the campaign's condition holds" }
        return text
    }

    private static func texts(_ campaign: Campaign) -> String {
        let plan = PayloadPlan(campaign)
        let names = plan.translations.map { $0 ?? "default" }
        let sizes = plan.translations.indices.map(plan.bytesMin)
        let isPersonal = plan.translations.indices.contains { !plan.isConstant(translation: $0) }
        let limit = NumberText.count(APNSLimits.payloadBytesMax)
        let size =
            "\(NumberText.count(sizes.max() ?? 0)) of \(limit) bytes"
            + (isPersonal ? " before personal values" : "")
        return "texts: \(names.joined(separator: ", ")), \(size)"
    }

    private static func preflight(_ preflight: Preflight) -> String {
        let pace = pace(preflight.rate, preflight.connections)
        switch preflight.probe {
        case .none: return "no preflight"
        case .all: return "preflight of all tokens: \(pace)"
        case .stale:
            return "preflight of tokens not registered for \(span(preflight.staleAfterSeconds)): "
                + pace
        }
    }

    private static func pace(_ rate: Rate, _ connections: Int) -> String {
        let count = NumberText.count(Int64(connections), "connection")
        guard let each = rate.perSecond else { return "\(count) without a limit" }
        return "\(count) at \(NumberText.rate(each)) each"
    }

    /// A span as it is written in a campaign file: `14d`, `36h`, `90s`.
    private static func span(_ seconds: Int64) -> String {
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60)] as [(String, Int64)]
        where seconds > 0 && seconds.isMultiple(of: length) {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
