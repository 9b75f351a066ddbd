internal import APNSProtocol

/// What the fields of a campaign file may hold, each bound with its reason.
enum CampaignLimits {
    /// Durations in milliseconds.
    static let second: Int64 = 1000
    /// A day in milliseconds.
    static let day: Int64 = 86_400 * second

    /// How long a registration may lie back: ten years, longer than any token has lived.
    static let registeredWithin = second...3650 * day
    /// After how long without news a token is stale.
    static let staleAfter = second...3650 * day
    /// APNs stores nothing longer than its own limit; 0 asks for one attempt.
    static let expiresAfter: ClosedRange<Int64> = 0...APNSLimits.storageSecondsMax * second
    /// Apple gives no number for its answers; below a tenth of a second every network is too slow,
    /// above ten minutes a stalled connection is not noticed.
    static let requestTimeout: ClosedRange<Int64> = 100...600 * second
    /// A retry later than a week is a campaign of its own.
    static let retryWithin: ClosedRange<Int64> = 0...7 * day
    /// How late a run may begin: what is worth sending a month later needs no bound.
    static let notLaterThan = second...30 * day
    /// Pauses between attempts.
    static let retryDelay: ClosedRange<Int64> = 0...day

    /// More connections than this from one process look like an attack to APNs.
    static let connections = 1...64
    /// Requests that may go at once.
    static let burst = 1...10_000
    /// More open requests than this no HTTP/2 server allows on a connection.
    static let maxInFlight = 1...10_000
    /// Attempts in all.
    static let attempts = 1...20
    /// Answers before a share means anything.
    static let minimumSample = 1...1_000_000
    /// More recipients than this that go first are no canary but a campaign of their own.
    static let canaryRecipients = 0...10_000
    /// The number on an icon: what fits into the 32 bits that every device reads.
    static let badge = 0...Int(Int32.max)
    /// A condition longer than this belongs into a view of the database.
    static let whereBytesMax = 8192
    /// Different fields in the texts of one campaign: each is a column to read for everybody.
    static let templateFieldsMax = 32
    /// Locales with texts of their own; Apple's system has about forty.
    static let translationsMax = 200
}
