internal import LinuxIO

/// The script that follows a scenario, laid over another script.
struct ScenarioScript: SimulatorScript {
    private let base: any SimulatorScript
    private let scenario: SimulatorScenario
    private let memory: ScenarioMemory

    /// - Parameters:
    ///   - base: Rules first; the scenario has the last word.
    ///   - scenario: The rules.
    init(over base: any SimulatorScript, _ scenario: SimulatorScenario) {
        self.base = base
        self.scenario = scenario
        memory = ScenarioMemory(rules: scenario.rules)
    }

    var streamLimitAtOpening: UInt32 { base.streamLimitAtOpening }

    func behaviour(forConnection number: Int) -> any SimulatorBehaviour {
        ScenarioBehaviour(
            base: base.behaviour(forConnection: number), scenario: scenario, connection: number,
            memory: memory)
    }
}

/// One connection under a `ScenarioScript`.
final class ScenarioBehaviour: SimulatorBehaviour {
    private let base: any SimulatorBehaviour
    private let rules: [ScenarioRule]
    private let memory: ScenarioMemory
    private let seed: UInt64
    private var random: RandomStream
    private var clocks: [ScenarioClock] = []

    init(
        base: any SimulatorBehaviour, scenario: SimulatorScenario, connection: Int,
        memory: ScenarioMemory
    ) {
        self.base = base
        self.memory = memory
        seed = scenario.seed
        random = RandomStream(seed: scenario.seed ^ UInt64(connection) &* 0x9E37_79B9_7F4A_7C15)
        rules = scenario.rules.enumerated().compactMap { index, rule in
            rule.connections.map { $0.contains(connection) } ?? true
                ? ScenarioRule(index: index, rule: rule) : nil
        }
    }

    // MARK: - Requests

    func treatment(of request: ArrivedRequest) -> RequestTreatment {
        var treatment = base.treatment(of: request)
        let numberInAll = memory.countRequest()
        for rule in rules where fits(rule, request, numberInAll) && memory.mayApply(rule) {
            switch rule.action {
            case .reply(let reply): treatment.reply = reply
            case .delay(let nanoseconds): treatment.delayNanoseconds += nanoseconds
            case .step(let step): treatment.step = treatment.step.then(step)
            }
        }
        return treatment
    }

    private func fits(_ rule: ScenarioRule, _ request: ArrivedRequest, _ numberInAll: Int) -> Bool {
        switch rule.trigger {
        case .afterRequests(let number): request.number == number
        case .everyRequests(let every): request.number.isMultiple(of: every)
        case .requestInAll(let number): numberInAll == number
        case .tokenPrefix(let prefix): request.tokenBegins(with: prefix)
        case .tokenShare:
            TokenHash.derived(from: request.tokenHash, question: seed &+ rule.question)
                < rule.shareBelow
        case .chance: random.next() < rule.shareBelow
        case .after, .every: false
        }
    }

    func step(after answer: GivenAnswer) -> ConnectionStep { base.step(after: answer) }

    // MARK: - The clock

    func opened(nowNanoseconds: Int64) -> ConnectionStep {
        clocks = rules.compactMap { ScenarioClock($0, nowNanoseconds: nowNanoseconds) }
        return base.opened(nowNanoseconds: nowNanoseconds)
    }

    var nextNanoseconds: Int64? {
        clocks.reduce(base.nextNanoseconds) { earliest, clock in
            min(earliest ?? .max, clock.nextNanoseconds)
        }
    }

    func step(nowNanoseconds now: Int64) -> ConnectionStep {
        var step = ConnectionStep.none
        if let moment = base.nextNanoseconds, moment <= now {
            step = base.step(nowNanoseconds: now)
        }
        for index in clocks.indices where clocks[index].nextNanoseconds <= now {
            let rule = clocks[index].rule
            clocks[index].advance(nowNanoseconds: now)
            guard case .step(let next) = rule.action, memory.mayApply(rule) else { continue }
            step = step.then(next)
        }
        clocks.removeAll { $0.nextNanoseconds == .max }
        return step
    }
}

/// A rule with what is worked out beforehand.
struct ScenarioRule {
    let index: Int
    let trigger: SimulatorScenario.Trigger
    let action: SimulatorScenario.Action
    let isCounted: Bool
    /// The share as a bound of a 64-bit value.
    let shareBelow: UInt64

    init(index: Int, rule: SimulatorScenario.Rule) {
        self.index = index
        trigger = rule.trigger
        action = rule.action
        isCounted = rule.timesMax != nil
        shareBelow =
            switch rule.trigger {
            case .tokenShare(let share), .chance(let share): UnitShare.bound(share)
            default: 0
            }
    }

    /// Tells the rules' draws about one token apart, and from those about its fate.
    var question: UInt64 { 1_000_000 + UInt64(index) }
}

/// A rule that applies by the clock, on one connection.
struct ScenarioClock {
    let rule: ScenarioRule
    private let intervalNanoseconds: Int64?
    private(set) var nextNanoseconds: Int64

    /// nil: the rule does not apply by the clock.
    init?(_ rule: ScenarioRule, nowNanoseconds: Int64) {
        self.rule = rule
        switch rule.trigger {
        case .after(let nanoseconds):
            intervalNanoseconds = nil
            nextNanoseconds = nowNanoseconds + nanoseconds
        case .every(let nanoseconds):
            intervalNanoseconds = nanoseconds
            nextNanoseconds = nowNanoseconds + nanoseconds
        default: return nil
        }
    }

    /// Moves on to the next time; `Int64.max`: there is none.
    mutating func advance(nowNanoseconds: Int64) {
        nextNanoseconds = intervalNanoseconds.map { nowNanoseconds + $0 } ?? .max
    }
}

/// What the connections of a scenario count together. Any thread.
final class ScenarioMemory: Sendable {
    private struct State {
        var requests = 0
        /// How often each rule may still apply; nil: without end.
        var timesLeft: [Int?]
    }

    private let state: Monitor<State>

    init(rules: [SimulatorScenario.Rule]) {
        state = Monitor(State(timesLeft: rules.map(\.timesMax)))
    }

    /// Counts a request of any connection.
    ///
    /// - Returns: Its number, from 1.
    func countRequest() -> Int {
        state.withLock { state in
            state.requests += 1
            return state.requests
        }
    }

    /// Whether a rule may apply once more; counts it if it may.
    func mayApply(_ rule: ScenarioRule) -> Bool {
        guard rule.isCounted else { return true }
        return state.withLock { state in
            guard let left = state.timesLeft[rule.index] else { return true }
            state.timesLeft[rule.index] = max(0, left - 1)
            return left > 0
        }
    }
}
