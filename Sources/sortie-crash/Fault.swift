/// What goes wrong in a round, and when; drawn from the round's seed.
struct Fault: Sendable {
    /// What is ended, cut or stopped.
    enum Kind: String, Sendable, CaseIterable {
        /// SIGKILL for one worker.
        case killWorker = "kill-worker"
        /// SIGKILL for the worker that leads.
        case killLead = "kill-lead"
        /// SIGKILL for all workers.
        case killWorkers = "kill-workers"
        /// SIGSTOP for one worker for longer than its lease, then SIGCONT.
        case freezeWorker = "freeze-worker"
        /// The same in the middle of one of its transactions, which holds locks.
        case freezeWriter = "freeze-writer"
        /// SIGKILL for PostgreSQL's first process; it is started again.
        case killPostgres = "kill-postgres"
        /// SIGKILL for one of PostgreSQL's sessions with a worker: it restarts them all by itself.
        case killBackend = "kill-backend"
        /// An immediate shutdown, and a start.
        case stopPostgres = "stop-postgres"
        /// A fast shutdown, and a start.
        case restartPostgres = "restart-postgres"
        /// SIGKILL for the simulator; it is started again.
        case killSimulator = "kill-simulator"
        /// Connections are cut without a word.
        case cutConnections = "cut-connections"
        /// SIGKILL for all workers and PostgreSQL's first process in the same instant.
        case powerFailure = "power-failure"

        /// Whether workers are killed, or stopped for so long that others take over.
        var hitsWorkers: Bool {
            leavesWorkers || self == .killWorkers || self == .powerFailure
        }

        /// Whether one worker is hit and the others are left as they are.
        var leavesWorkers: Bool {
            switch self {
            case .killWorker, .killLead, .freezeWorker, .freezeWriter: true
            default: false
            }
        }
    }

    let kind: Kind
    /// Where between the start and the expected end it happens, 0 to 1.
    let moment: Double
    /// Who of several is hit: taken modulo their number.
    let victim: Int
    /// How long what was ended stays away, in seconds.
    let absenceSeconds: Double
    /// Whether a few recipients go before the others.
    let hasCanary: Bool

    /// Draws a fault.
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same fault.
    ///   - kinds: What may be drawn; not empty.
    init(seed: UInt64, kinds: [Kind]) {
        var generator = Generator(state: seed)
        kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
        moment = Double.random(in: 0..<1, using: &generator)
        victim = Int.random(in: 0..<840, using: &generator)
        absenceSeconds = Double.random(in: 0..<1, using: &generator)
        hasCanary = Int.random(in: 0..<4, using: &generator) == 0
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers on every machine.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }
}
