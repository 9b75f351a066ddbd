// Who gets a run's message.

/// The rule by which a run's recipients are chosen, and how they are prepared.
package struct FreezePlan: Sendable, Equatable {
    /// Which recipients are probed before the send.
    package enum Probe: Sendable, Equatable {
        case all
        case none
        /// Those whose app has not registered the token for so many seconds, or never with a date.
        case stale(afterSeconds: Int64)
    }

    /// Only devices with one of these locales; `en` takes `en-GB` and `en_GB`; empty takes all.
    package var locales: [String] = []
    /// Only devices registered so recently; nil takes all.
    package var registeredWithinSeconds: Int64?
    /// An SQL condition over the columns of `sortie.device`, by plain name or as `d.column`.
    package var whereSQL: String?
    /// The locales that the message has texts of its own for, in lower case with `-`; the first,
    /// nil, is the default text. Index n of this list is a row's translation n.
    package var translations: [String?] = [nil]
    /// Which recipients are probed.
    package var probe: Probe = .none
    /// Recipients in a slice.
    package var sliceSize = 10_000
    /// How long the condition may take when it is tried.
    package var whereTimeoutMilliseconds = 60_000

    /// Creates the rule that takes everybody.
    package init() {}
}

/// What freezing gave.
package struct FrozenAudience: Sendable, Equatable {
    /// Recipients.
    package let recipients: Int
    /// Those of them to be probed.
    package let probeRecipients: Int

    /// Counts of these parts.
    package init(
        recipients: Int, probeRecipients: Int
    ) {
        self.recipients = recipients
        self.probeRecipients = probeRecipients
    }
}
