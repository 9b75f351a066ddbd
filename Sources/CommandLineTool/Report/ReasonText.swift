internal import APNSClient
internal import APNSProtocol

/// What a reason in a report means, for people who do not know APNs by heart.
struct ReasonText {
    let meaning: String
    /// What to do. Nil: nothing.
    let advice: String?

    /// - Parameter reason: APNs' word, or a cause of sortie's own, as the database has it.
    /// - Returns: nil if nobody knows it; APNs may say new things.
    static func of(_ reason: String) -> ReasonText? {
        if let row = ReasonTable.rows.first(where: { $0.wire == reason }) {
            return ReasonText(meaning: row.meaning, advice: row.advice)
        }
        if reason.hasPrefix("no value for ") {
            let field = reason.dropFirst("no value for ".count)
            return ReasonText(
                meaning: "The text needs \(field), which this recipient does not have.",
                advice: "Give \(field) a default in the campaign: {{ \(field) | ... }}.")
        }
        return own[reason]
    }

    private static let own: [String: ReasonText] = [
        "pruned": ReasonText(
            meaning: "Its token was found dead or invalid before its turn.", advice: nil),
        "payload too large": ReasonText(
            meaning: "With this recipient's values the payload is over 4,096 bytes.",
            advice: "Shorten the text, or the values in it."),
        "expired": ReasonText(
            meaning: "The message's time was over before it could be sent.",
            advice: "Raise the pace, or the message's expires_after."),
        UnknownCause.deadline.rawValue: ReasonText(
            meaning: "It was sent, and no answer came in time; it may have come.",
            advice: nil),
        UnknownCause.connectionLost.rawValue: ReasonText(
            meaning: "It was sent, and the connection ended before the answer; it may have come.",
            advice: nil),
        UnknownCause.streamReset.rawValue: ReasonText(
            meaning: "It was sent, and APNs gave up its answer; it may have come.",
            advice: nil),
        NotSentCause.refusedTooOften.rawValue: ReasonText(
            meaning: "APNs refused to take the request again and again.",
            advice: "Lower the pace, and look at the run's events."),
    ]
}
