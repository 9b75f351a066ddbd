internal import LinuxIO

/// The script that follows the configuration's settings: the stream limit and the fault flags.
struct FlagScript: SimulatorScript {
    private let faults: SimulatorFaults
    private let streamLimit: UInt32
    private let isOpenedByAnswer: Bool
    private let memory = FaultMemory()

    init(_ configuration: SimulatorConfiguration) {
        faults = configuration.faults
        streamLimit = configuration.maxConcurrentStreams
        isOpenedByAnswer = configuration.opensWithOneStream && streamLimit > 1
    }

    var streamLimitAtOpening: UInt32 { isOpenedByAnswer ? 1 : streamLimit }

    func behaviour(forConnection number: Int) -> any SimulatorBehaviour {
        FlagBehaviour(
            faults: faults, memory: memory, streamLimit: streamLimit,
            isOpenedByAnswer: isOpenedByAnswer)
    }
}

/// One connection under a `FlagScript`.
final class FlagBehaviour: SimulatorBehaviour {
    private static let refusedStream: UInt32 = 7

    private let faults: SimulatorFaults
    private let memory: FaultMemory
    private let streamLimit: UInt32
    /// The connection still has one stream and waits for the first good answer.
    private var isOpenedByAnswer: Bool
    private let transientBelow: UInt64

    init(
        faults: SimulatorFaults, memory: FaultMemory, streamLimit: UInt32, isOpenedByAnswer: Bool
    ) {
        self.faults = faults
        self.memory = memory
        self.streamLimit = streamLimit
        self.isOpenedByAnswer = isOpenedByAnswer
        transientBelow = UnitShare.bound(faults.transientShare)
    }

    func treatment(of request: ArrivedRequest) -> RequestTreatment {
        var treatment = RequestTreatment()
        if request.number == faults.dropAfterRequests {
            treatment.reply = .ignored
            treatment.step = .drop
        } else if request.number == faults.goAwayAfterRequests {
            treatment.step = .goAway(
                lastStreamID: request.streamID, errorCode: 0, debugData: [])
        }
        if let every = faults.refuseEvery, request.number % every == 0,
            memory.refusesFirstTime(request.tokenHash)
        {
            treatment.reply = .reset(code: Self.refusedStream)
        } else if transientBelow > 0, request.ruling == .accepted,
            memory.isTransient(request.tokenHash, below: transientBelow)
        {
            let refusal = Refusal.serviceUnavailable
            treatment.reply = .answer(status: refusal.status, reason: refusal.reason)
        }
        return treatment
    }

    func step(after answer: GivenAnswer) -> ConnectionStep {
        guard isOpenedByAnswer, answer.isCredentialAccepted else { return .none }
        isOpenedByAnswer = false
        return .streamLimit(streamLimit)
    }
}

/// What the faults of all connections have to remember about tokens. Any thread.
final class FaultMemory: Sendable {
    private struct State {
        var refused: Set<UInt64> = []
        var failedAttempts: [UInt64: UInt8] = [:]
    }

    /// Tokens remembered, for each of the two; a token that finds no room is left in peace.
    private static let tokensMax = 1_000_000

    private let state = Monitor(State())

    /// Whether a token is refused: only if it never was before.
    ///
    /// - Parameter hash: The token's hash.
    /// - Returns: Whether to refuse it now.
    func refusesFirstTime(_ hash: UInt64) -> Bool {
        state.withLock { state in
            state.refused.count < Self.tokensMax && state.refused.insert(hash).inserted
        }
    }

    /// Whether an attempt for a token fails.
    ///
    /// An attempt counts as the next one only if the one before it failed, so nothing is kept about
    /// tokens whose first attempt succeeds.
    ///
    /// - Parameters:
    ///   - hash: The token's hash.
    ///   - bound: The share of attempts that fail, as a bound of a 64-bit value.
    /// - Returns: Whether this attempt fails.
    func isTransient(_ hash: UInt64, below bound: UInt64) -> Bool {
        guard fails(hash, attempt: 0, below: bound) else { return false }
        return state.withLock { state in
            let attempt = state.failedAttempts[hash] ?? 0
            let isKnown = attempt > 0 || state.failedAttempts.count < Self.tokensMax
            guard isKnown, attempt < .max, fails(hash, attempt: attempt, below: bound) else {
                return false
            }
            state.failedAttempts[hash] = attempt + 1
            return true
        }
    }

    private func fails(_ hash: UInt64, attempt: UInt8, below bound: UInt64) -> Bool {
        TokenHash.derived(from: hash, question: 1000 + UInt64(attempt)) < bound
    }
}
