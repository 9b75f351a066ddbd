internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// Everything about a simulation that is decided before it begins, out of its seed.
///
/// Each seed has some of the faults and not others, and each of those often or seldom: a world in
/// which everything goes wrong at once hides what a single fault does.
struct SimulationPlan {
    /// How often a thing goes wrong, in ten thousand.
    struct Rates {
        /// A call fails before the server did anything: deadlock, serialization, shutdown.
        var failedBefore = 0
        /// The connection breaks before the server did anything.
        var dropped = 0
        /// The server has done it, and the answer is lost.
        var answerLost = 0
        /// The connection breaks, and the server does it later all the same.
        var late = 0
        /// A call takes seconds.
        var slow = 0
        /// A request is answered by trouble of the server's, 500 or 503.
        var trouble = 0
        /// A request is answered 429.
        var tooMany = 0
        /// A request is not processed, and the client knows.
        var refused = 0
        /// A request is never answered.
        var silence = 0
        /// A connection breaks at a request.
        var connectionLost = 0
    }

    /// What the world does now and then, by weight; 0: never.
    struct Weights {
        var kill = 0
        var suspend = 0
        var signal = 0
        var cutDatabase = 0
        var cutAPNs = 0
        var serverAway = 0
        var brownOut = 0
        var pause = 0
        var resume = 0
        var cancel = 0
        var stepClock = 0
        var register = 0
        var join = 4
        var refuseCredentials = 0
        var reload = 0
        var stepDatabaseClock = 0
        var freezeMachine = 0

        var all: [Int] {
            [
                kill, suspend, signal, cutDatabase, cutAPNs, serverAway, brownOut, pause, resume,
                cancel, stepClock, register, join, refuseCredentials, reload,
                stepDatabaseClock, freezeMachine,
            ]
        }
    }

    let seed: UInt64
    var devices = 0
    var sliceSize = 0
    var machines = 0
    var workersMax = 0
    /// Processes that join soon after the first one has started.
    var companions = 0
    var leaseSeconds = 0
    /// How long faults go on, in nanoseconds.
    var horizon: Int64 = 0
    /// The mean pause between two things that the world does.
    var pause: Int64 = 0
    var rates = Rates()
    var weights = Weights()
    /// Devices in a hundred that are gone, and whose token is bad.
    var gonePercent = 0
    var badPercent = 0
    /// Every token is refused as bad, as in the wrong environment.
    var isWrongEnvironment = false
    /// The run is a preflight only.
    var isProbeOnly = false
    /// Brakes are off.
    var releasesBrakes = false
    /// The database's clock steps, and machines stand still without their clocks noticing: more
    /// than the lease allows for. What it can't promise then is not asked.
    var clocksLie = false
    var clockDriftMax = 0
    var wallSkewMax = 0
    var unconfirmed = SendSettings.Unconfirmed.keep
    var maxRate: Int?
    var campaign: Campaign
    var tuning: (window: Int, batchRows: Int, batchMilliseconds: Int) = (20, 100, 100)

    init(seed: UInt64) {
        self.seed = seed
        let random = SimulationRandom(seed: seed)
        unconfirmed = random.below(2) == 0 ? .keep : .resend
        if random.below(2) == 0 { maxRate = random.number(5...80) }
        campaign = Self.campaign(random, unconfirmed, maxRate)
        devices = random.number(1...(random.below(3) == 0 ? 300 : 100))
        sliceSize = random.number(5...40)
        machines = random.number(1...3)
        workersMax = random.number(1...6)
        companions = random.below(workersMax)
        leaseSeconds = random.number(4...15)
        horizon = Int64(random.number(10...240)) * 1_000_000_000
        pause = random.milliseconds(random.below(2) == 0 ? 50...1500 : 200...12_000)
        tuning = (random.number(20...60), 100, random.number(10...400))
        drawTokens(random)
        drawFaults(random)
    }

    private mutating func drawTokens(_ random: SimulationRandom) {
        gonePercent = random.below(2) == 0 ? 0 : random.number(1...30)
        badPercent = random.below(2) == 0 ? 0 : random.number(1...10)
        isWrongEnvironment = random.below(25) == 0
        isProbeOnly = random.below(12) == 0
        releasesBrakes = !isWrongEnvironment && random.below(2) == 0
        clocksLie = random.below(8) == 0
        clockDriftMax = random.below(2) == 0 ? 0 : random.number(1...200)
        wallSkewMax = random.below(2) == 0 ? 0 : random.number(1...90)
    }

    /// One fault in three is absent, the others are seldom or often.
    private mutating func drawFaults(_ random: SimulationRandom) {
        func rate(_ often: Int) -> Int {
            switch random.below(3) {
            case 0: 0
            case 1: 1 + random.below(1 + often / 10)
            default: 1 + random.below(often)
            }
        }
        rates.failedBefore = rate(400)
        rates.dropped = rate(400)
        rates.answerLost = rate(400)
        rates.late = rate(200)
        rates.slow = rate(300)
        rates.trouble = rate(1500)
        rates.tooMany = rate(500)
        rates.refused = rate(800)
        rates.silence = rate(400)
        rates.connectionLost = rate(200)
        weights.kill = random.below(6)
        weights.suspend = random.below(4)
        weights.signal = random.below(3)
        weights.cutDatabase = random.below(4)
        weights.cutAPNs = random.below(4)
        weights.serverAway = random.below(3)
        weights.brownOut = random.below(3)
        weights.pause = random.below(3)
        weights.resume = weights.pause
        weights.cancel = random.below(12) == 0 ? 1 : 0
        weights.stepClock = random.below(2)
        weights.register = random.below(2)
        weights.refuseCredentials = random.below(8) == 0 ? 1 : 0
        weights.reload = random.below(3)
        if clocksLie { (weights.stepDatabaseClock, weights.freezeMachine) = (2, 2) }
    }

    private static func campaign(
        _ random: SimulationRandom, _ unconfirmed: SendSettings.Unconfirmed, _ maxRate: Int?
    ) -> Campaign {
        let rates: [Rate] = [
            .unlimited, .wholePerSecond(random.number(5...60)),
            .wholePerSecond(random.number(1...6)),
        ]
        let retry = RetryPolicy(
            attemptsMax: random.number(1...4),
            withinNanoseconds: random.milliseconds(1000...600_000),
            delayNanoseconds: random.milliseconds(500...60_000))
        let canary = random.below(3) == 0 ? random.number(1...10) : 0
        let probe: Preflight.Probe = random.one(of: [.all, .none, .stale])
        return Campaign(
            name: "simulation", app: "com.example.shop", environment: .production,
            message: Message(
                expiresAfterSeconds: random.below(10) == 0 ? Int64(random.number(30...900)) : nil,
                collapse: unconfirmed == .resend ? .campaign : .none,
                content: MessageContent(title: try? TextTemplate(parsing: "Hello"))),
            preflight: Preflight(
                probe: probe, rate: random.one(of: rates), burst: random.number(1...10),
                connections: random.number(1...2)),
            send: SendSettings(
                connections: random.number(1...3), rate: random.one(of: rates),
                burst: random.number(1...20),
                maxRate: maxRate.map { .wholePerSecond($0) } ?? .unlimited,
                maxInFlight: random.number(1...20),
                requestTimeoutMilliseconds: Int64(random.number(1000...30_000)),
                unconfirmed: unconfirmed, retry: retry,
                stopIf: SendSettings.StopRule(minimumSample: random.number(20...200)),
                canary: Canary(recipients: canary)))
    }
}
