internal import APNSClient
internal import APNSProtocol

/// Causes that are sortie's own and stand where APNs' reasons stand in an outcome.
///
/// Their codes lie above those of ``ReasonRegistry``, so that one number names one text in a batch.
enum RunReason {
    private static let base: UInt16 = 3000

    /// The device was no longer active when its turn came.
    static let notActive = ReasonCode(rawValue: base)
    /// The rendered payload is over APNs' limit.
    static let payloadTooLarge = ReasonCode(rawValue: base + 1)
    /// The message's time to live was over before the push could be sent.
    static let expired = ReasonCode(rawValue: base + 2)
    /// No answer within the request's deadline.
    static let noAnswer = ReasonCode(rawValue: base + 3)
    /// The connection ended with the request open.
    static let connectionLost = ReasonCode(rawValue: base + 4)
    /// The server reset the stream.
    static let streamReset = ReasonCode(rawValue: base + 5)
    /// The server refused the stream again and again.
    static let streamRefused = ReasonCode(rawValue: base + 6)
    /// The first of the codes for "no value for field n".
    private static let missingValueBase = base + 100

    /// The recipient has no value for a field of the message, and the field has no default.
    static func missingValue(field: Int) -> ReasonCode {
        ReasonCode(rawValue: missingValueBase + UInt16(clamping: field))
    }

    /// The code of a request that was not answered.
    static func unanswered(_ cause: UnknownCause) -> ReasonCode {
        switch cause {
        case .deadline: noAnswer
        case .connectionLost: connectionLost
        case .streamReset: streamReset
        }
    }

    /// The texts of all codes above, for the database.
    ///
    /// - Parameter fields: the message's fields, in the order of their numbers.
    /// - Returns: a text for each code.
    static func texts(fields: [String]) -> [ReasonCode: String] {
        var texts: [ReasonCode: String] = [
            notActive: "pruned",
            payloadTooLarge: "payload too large",
            expired: "expired",
            noAnswer: UnknownCause.deadline.rawValue,
            connectionLost: UnknownCause.connectionLost.rawValue,
            streamReset: UnknownCause.streamReset.rawValue,
            streamRefused: NotSentCause.refusedTooOften.rawValue,
        ]
        for (index, field) in fields.enumerated() {
            texts[missingValue(field: index)] = "no value for \(field)"
        }
        return texts
    }
}
