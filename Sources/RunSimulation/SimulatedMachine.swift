/// A machine: its clocks, and its ways to the database and to APNs.
///
/// *Ownership and thread*: the running fiber's.
final class SimulatedMachine {
    /// Shown in traces; its host name too.
    let name: String
    /// How fast its clocks run beside true time, in millionths.
    private let drift: Int64
    private let monotonicOffset: Int64
    /// How far its wall clock is off, in microseconds; it may step.
    var wallOffset: Int64
    /// No database before this moment.
    var databaseCutUntil: Int64 = 0
    /// No APNs before this moment.
    var apnsCutUntil: Int64 = 0
    /// Rises whenever connections to APNs break.
    var apnsCuts = 0
    /// It stood still, or does, from and until these moments; its clocks did not notice.
    private var still: (from: Int64, until: Int64) = (0, 0)
    /// For how long it stood still before that.
    private var stillBefore: Int64 = 0

    /// True time of the beginning, in microseconds since 1970: 2026-01-01.
    static let epoch: Int64 = 1_767_225_600_000_000

    init(name: String, drift: Int64, monotonicOffset: Int64, wallOffset: Int64) {
        self.name = name
        self.drift = drift
        self.monotonicOffset = monotonicOffset
        self.wallOffset = wallOffset
    }

    /// It stands still, with its clocks.
    func stand(from now: Int64, until moment: Int64) {
        if now < still.until {
            still.until = max(still.until, moment)
        } else {
            stillBefore += still.until - still.from
            still = (now, moment)
        }
    }

    /// It goes on.
    func goOn(at now: Int64) {
        if now < still.until { still.until = now }
    }

    /// How long it has lived at a moment, by its own clock.
    private func life(at now: Int64) -> Int64 {
        let since = max(0, now - still.until)
        let lived = (now < still.from ? now : still.from) + since - stillBefore
        return lived + lived / 1000 * drift / 1000
    }

    /// Its monotonic clock at a moment.
    func monotonic(at now: Int64) -> Int64 { monotonicOffset + life(at: now) }

    /// The first moment at which its monotonic clock shows so much, or more.
    func moment(ofMonotonic clock: Int64) -> Int64 {
        // Clocks differ by less than a hundredth, so the guess is near, and then it is made right.
        var lived = clock - monotonicOffset
        for _ in 0..<4 {
            lived += clock - monotonicOffset - (lived + lived / 1000 * drift / 1000)
        }
        while lived + lived / 1000 * drift / 1000 < clock - monotonicOffset { lived += 1 }
        let moment = lived + stillBefore
        return moment <= still.from ? moment : moment + still.until - still.from
    }

    /// Its wall clock at a moment, in microseconds since 1970.
    func wall(at now: Int64) -> Int64 { Self.epoch + life(at: now) / 1000 + wallOffset }
}
