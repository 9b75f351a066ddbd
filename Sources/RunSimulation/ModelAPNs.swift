internal import APNSProtocol
internal import CampaignStore

/// What APNs does with requests: a fate for each, drawn when it begins.
///
/// *Ownership and thread*: the running fiber's.
final class ModelAPNs {
    /// What becomes of one request.
    enum Fate {
        /// It is answered after a time.
        case answer(status: UInt16, reason: String, timestamp: Int64, after: Int64)
        /// It is never answered.
        case silence
        /// It is not processed, which the client hears after a time.
        case refused(after: Int64)
        /// Its stream is reset after a time.
        case reset(after: Int64)
        /// Its connection breaks after a time, and all that is on it with it.
        case connectionLost(after: Int64)
    }

    /// What APNs knows of a token.
    enum Token {
        case good
        /// Gone since a moment, microseconds since 1970.
        case gone(Int64)
        case bad
    }

    private unowned let world: SimulatedWorld
    var tokens: [Token]
    /// Everything is slow and much fails before this moment.
    var brownOutUntil: Int64 = 0
    /// Credentials are refused before this moment.
    var refusesUntil: Int64 = 0

    init(world: SimulatedWorld, tokens: [Token]) {
        self.world = world
        self.tokens = tokens
    }

    /// A request begins. Whether it is accepted is decided and told to the checks now, because only
    /// that counts: when the answer would have come does not.
    func begins(_ request: Checks.Request) -> Fate {
        let fate = fate(request)
        world.checks.begins(request)
        switch fate {
        case .answer(200, _, _, _): world.checks.accepted(request)
        case .answer(let status, let reason, let timestamp, _):
            world.checks.refused(request, status, reason, timestamp)
        case .silence, .reset, .connectionLost:
            // Taken or not: nobody can know.
            if isAcceptable(request), world.faults.below(2) == 0 {
                world.checks.accepted(request)
            }
        case .refused: break
        }
        return fate
    }

    private func isAcceptable(_ request: Checks.Request) -> Bool {
        if case .good = token(request) { return true }
        return false
    }

    private func token(_ request: Checks.Request) -> Token {
        let device = world.database.tables.recipients[Int(request.ordinal) - 1].device
        return tokens[device]
    }

    private var isBrownOut: Bool { brownOutUntil > world.scheduler.now }

    private func fate(_ request: Checks.Request) -> Fate {
        let rate = world.rate
        let faults = world.faults
        let latency = faults.milliseconds(isBrownOut ? 200...9000 : 5...400)
        if request.process.machine.apnsCutUntil > world.scheduler.now { return .silence }
        if faults.happens(rate.connectionLost) { return .connectionLost(after: latency) }
        if faults.happens(rate.silence) {
            return faults.below(3) == 0 ? .reset(after: latency) : .silence
        }
        if faults.happens(rate.refused) { return .refused(after: latency / 4) }
        let (status, reason, timestamp) = answer(request)
        return .answer(status: status, reason: reason, timestamp: timestamp, after: latency)
    }

    private func answer(
        _ request: Checks.Request
    ) -> (status: UInt16, reason: String, timestamp: Int64) {
        if refusesUntil > world.scheduler.now { return (403, "InvalidProviderToken", 0) }
        let faults = world.faults
        if faults.happens(isBrownOut ? 4000 : world.rate.trouble) {
            return faults.below(2) == 0
                ? (500, "InternalServerError", 0) : (503, "ServiceUnavailable", 0)
        }
        if faults.happens(world.rate.tooMany) { return (429, "TooManyRequests", 0) }
        switch token(request) {
        case .good: return (200, "", 0)
        case .gone(let since): return (410, "Unregistered", since / 1000)
        case .bad: return (400, "BadDeviceToken", 0)
        }
    }
}
