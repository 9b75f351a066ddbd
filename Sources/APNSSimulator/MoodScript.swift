// How APNs is reported to treat a connection, beyond what its pages promise:
//
// - One stream until a request with a good token was accepted (Apple, "Sending notification
//   requests to APNs"), then the full limit.
// - A rejection lowers the limit to one, a success restores it (openradar 27870881,
//   jchambers/pushy#476). 410 is no error (Apple, "Handling notification responses from APNs").
// - Too many BadDeviceTokens end the connection (the same page): GOAWAY that names the reason, as
//   APNs does in its debug data. The number is chosen: no source has one.
// - Once a provider token was called expired, a connection stays so: a new token does not cure it
//   (jchambers/pushy, TokenAuthenticationApnsClientHandler).
// - Now and then it is busy for a quarter of an hour and answers a part of the requests with 503.
//
// Tokens older than an hour are refused by the judge in every mood.

/// The numbers of the mood `apns`.
package struct APNSMood: Sendable, Equatable {
    /// Streams once a request was accepted.
    package var streams: UInt32
    /// A connection ends with this many answers `BadDeviceToken`.
    package var badTokensMax: Int
    /// The age of the simulator at which it first gets busy, in nanoseconds.
    package var busyAfterNanoseconds: Int64
    /// How long it stays busy each time, in nanoseconds; 0: it never is.
    package var busyNanoseconds: Int64
    /// From the beginning of one busy time to the next, in nanoseconds.
    package var busyEveryNanoseconds: Int64
    /// The share of requests answered with 503 meanwhile.
    package var busyShare: Double
    /// Of what is drawn at random.
    package var seed: UInt64

    /// The mood with its numbers.
    ///
    /// - Parameters:
    ///   - streams: 1 or more.
    ///   - badTokensMax: 1 or more.
    ///   - busyAfterNanoseconds: 20 minutes unless named.
    ///   - busyNanoseconds: 15 minutes unless named; 0: never.
    ///   - busyEveryNanoseconds: An hour unless named.
    ///   - busyShare: From 0 to 1.
    ///   - seed: Any number.
    package init(
        streams: UInt32 = 1000, badTokensMax: Int = 100,
        busyAfterNanoseconds: Int64 = 1_200_000_000_000,
        busyNanoseconds: Int64 = 900_000_000_000,
        busyEveryNanoseconds: Int64 = 3_600_000_000_000, busyShare: Double = 0.5,
        seed: UInt64 = 1
    ) {
        self.streams = streams
        self.badTokensMax = badTokensMax
        self.busyAfterNanoseconds = busyAfterNanoseconds
        self.busyNanoseconds = busyNanoseconds
        self.busyEveryNanoseconds = busyEveryNanoseconds
        self.busyShare = busyShare
        self.seed = seed
    }

    /// Whether the service is busy.
    ///
    /// - Parameter age: Nanoseconds since the simulator began.
    /// - Returns: Whether a part of the requests is answered with 503.
    func isBusy(ageNanoseconds age: Int64) -> Bool {
        guard busyNanoseconds > 0, age >= busyAfterNanoseconds else { return false }
        return (age - busyAfterNanoseconds) % max(busyEveryNanoseconds, 1) < busyNanoseconds
    }
}

/// The script of the mood `apns`.
struct MoodScript: SimulatorScript {
    private let mood: APNSMood
    private let clock: @Sendable () -> Int64
    private let startNanoseconds: Int64

    /// - Parameters:
    ///   - mood: Its numbers.
    ///   - clock: Monotonic nanoseconds.
    init(_ mood: APNSMood, clock: @escaping @Sendable () -> Int64) {
        self.mood = mood
        self.clock = clock
        startNanoseconds = clock()
    }

    var streamLimitAtOpening: UInt32 { 1 }

    func behaviour(forConnection number: Int) -> any SimulatorBehaviour {
        MoodBehaviour(
            mood, connection: number,
            age: { [clock, startNanoseconds] in clock() - startNanoseconds }
        )
    }
}

/// One connection in the mood `apns`.
final class MoodBehaviour: SimulatorBehaviour {
    private static let expired = Refusal.expiredProviderToken
    private static let busy = Refusal.serviceUnavailable

    private let mood: APNSMood
    private let ageNanoseconds: () -> Int64
    private let busyBelow: UInt64
    private var random: RandomStream
    private var isOpened = false
    private var isExpired = false
    private var badTokens = 0

    /// - Parameters:
    ///   - mood: Its numbers.
    ///   - connection: The connection's number.
    ///   - age: The simulator's age in nanoseconds.
    init(_ mood: APNSMood, connection: Int, age: @escaping () -> Int64) {
        self.mood = mood
        ageNanoseconds = age
        busyBelow = UnitShare.bound(mood.busyShare)
        random = RandomStream(seed: mood.seed ^ UInt64(connection) << 32)
    }

    func treatment(of request: ArrivedRequest) -> RequestTreatment {
        if request.ruling == .refused(Self.expired) { isExpired = true }
        if isExpired { return Self.reply(Self.expired) }
        let isBusy =
            request.ruling == .accepted && mood.isBusy(ageNanoseconds: ageNanoseconds())
            && random.next() < busyBelow
        return isBusy ? Self.reply(Self.busy) : RequestTreatment()
    }

    private static func reply(_ refusal: Refusal) -> RequestTreatment {
        RequestTreatment(reply: .answer(status: refusal.status, reason: refusal.reason))
    }

    func step(after answer: GivenAnswer) -> ConnectionStep {
        if answer.status == 200 { return limit(isOpened: true, mood.streams) }
        guard (400..<500).contains(answer.status), answer.status != 410 else { return .none }
        let lowered = limit(isOpened: false, 1)
        guard answer.reason == Refusal.badDeviceToken.reason else { return lowered }
        badTokens += 1
        guard badTokens == mood.badTokensMax else { return lowered }
        return lowered.then(
            .goAway(
                lastStreamID: nil, errorCode: 0, debugData: AnswerBook.body(reason: answer.reason)))
    }

    /// New SETTINGS, unless the connection is in that state already.
    private func limit(isOpened opened: Bool, _ streams: UInt32) -> ConnectionStep {
        guard isOpened != opened else { return .none }
        isOpened = opened
        return .streamLimit(streams)
    }
}
