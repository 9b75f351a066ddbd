import APNSProtocol
import CampaignModel
import CampaignStore
@testable import RunSimulation

/// Calls both databases the way workers and people do, in an order of chance.
struct RandomCaller {
    typealias Answers = (store: String, model: String)

    let both: TwoDatabases
    let chance: SimulationRandom
    let unconfirmed: UnconfirmedRule
    let probe: FreezePlan.Probe
    let maxRate: Double?
    /// The runs as the workers know them, ended ones included.
    private var runs: [Run] = []
    var batches: Int64 = 0

    var store: Store { both.store }
    var model: ModelDatabase { both.model }

    init(_ both: TwoDatabases, seed: UInt64) {
        self.both = both
        chance = SimulationRandom(seed: seed)
        unconfirmed = chance.below(2) == 0 ? .keep : .resend
        probe = chance.below(2) == 0 ? .all : .none
        maxRate = chance.below(2) == 0 ? nil : 10
    }

    /// One call. Returns what was called and both answers.
    mutating func step() throws -> (call: String, answers: Answers) {
        guard !runs.isEmpty, chance.below(40) > 0 else { return ("open", open()) }
        let run = chance.one(of: runs)
        switch chance.below(22) {
        case 0: return ("open", open())
        case 1: return ("join", join())
        case 2: return ("expire \(run.workerID)", try expire(run))
        case 3: return ("evict \(run.workerID)", evict(run))
        case 4: return ("leave \(run.workerID)", leave(run))
        case 5: return ("ask", ask())
        case 6: return ("resume", resume())
        case 7: return ("heartbeat \(run.workerID)", heartbeat(run))
        case 8: return ("share \(run.workerID)", try share(run))
        case 9, 10: return ("state \(run.workerID)", setState(run))
        case 11: return ("freeze \(run.workerID)", freeze(run))
        case 12: return ("rest", rest(run))
        case 13: return ("canary \(run.workerID)", canary(run))
        case 14: return ("tokens \(run.workerID)", tokens(run))
        case 15: return ("lease \(run.workerID)", lease(run))
        case 16: return ("claim \(run.workerID)", claim(run))
        case 17: return ("late \(run.workerID)", late(run))
        default: return ("record \(run.workerID)", record(run))
        }
    }

    mutating func ask<R>(
        _ store: () throws(StoreError) -> R, _ model: () throws(StoreError) -> R
    ) -> Answers {
        (TwoDatabases.word(store), TwoDatabases.word(model))
    }

    // MARK: - Runs and workers

    private var newRun: NewRun {
        NewRun(
            campaign: "sale", occurrence: "once", definition: "{}", definitionHash: "h",
            app: TwoDatabases.app, environment: .production, startedBy: "test",
            unconfirmed: unconfirmed, maxRatePerSecond: maxRate)
    }

    private func facts() -> WorkerFacts {
        WorkerFacts(
            host: chance.below(2) == 0 ? "here" : "there", pid: Int32(chance.below(1000)),
            pidStartedTicks: 5, version: "test")
    }

    private mutating func open() -> Answers {
        let (facts, alive, asked) = (facts(), chance.below(2) == 0, chance.below(2) == 0)
        var opened: OpenedRun?
        let new = newRun
        let (store, model) = (store, model)
        let answers = (
            TwoDatabases.word { () throws(StoreError) in
                opened = try store.openRun(
                    new, worker: facts, leaseSeconds: 300, resumesRequested: asked,
                    isAlive: { _, _ in alive })
                return opened.map(Self.words) ?? ""
            },
            TwoDatabases.word { () throws(StoreError) in
                Self.words(
                    try model.openRun(
                        new, worker: facts, leaseSeconds: 300, resumesRequested: asked,
                        isAlive: { _, _ in alive }))
            }
        )
        switch opened {
        case .created(let run), .resumed(let run, _): runs.append(run)
        default: break
        }
        return answers
    }

    private static func words(_ opened: OpenedRun) -> String {
        switch opened {
        case .created(let run): "created \(words(run))"
        case .resumed(let run, let doubt): "resumed \(words(run)) \(doubt)"
        case .finished(let run): "finished \(words(run))"
        case .held(let worker): "held by \(worker.id)"
        case .pausedByRequest(let run): "paused \(words(run))"
        case .definitionChanged(let run): "changed \(words(run))"
        case .otherProtocol(let run): "protocol \(words(run))"
        }
    }

    private static func words(_ run: Run) -> String {
        "\(run.id) \(run.state) \(run.workerID) \(run.leaseEpoch) \(run.isLead) \(run.isFrozen) "
            + "\(run.recipients) \(run.liveWorkers) \(String(describing: run.wish?.kind))"
    }

    private mutating func join() -> Answers {
        let facts = facts()
        var joined: JoinedRun?
        let (store, model) = (store, model)
        let answers = (
            TwoDatabases.word { () throws(StoreError) in
                joined = try store.joinRun(id: 1, worker: facts, leaseSeconds: 300)
                return joined.map(Self.words) ?? ""
            },
            TwoDatabases.word { () throws(StoreError) in
                Self.words(try model.joinRun(worker: facts, leaseSeconds: 300))
            }
        )
        if case .joined(let run) = joined { runs.append(run) }
        return answers
    }

    private static func words(_ joined: JoinedRun) -> String {
        switch joined {
        case .joined(let run): "joined \(words(run))"
        case .closed(let run): "closed \(words(run))"
        case .otherProtocol(let run): "protocol \(words(run))"
        case .missing: "missing"
        }
    }

    private func expire(_ run: Run) throws -> Answers {
        try both.expire(run.workerID)
        return ("", "")
    }

    private mutating func evict(_ run: Run) -> Answers {
        let (store, model, force) = (store, model, chance.below(2) == 0)
        return ask({ () throws(StoreError) in
            try store.evict(worker: run.workerID, reason: "test", force: force)
        }) { () throws(StoreError) in
            try model.evict(worker: run.workerID, reason: "test", force: force)
        }
    }

    private mutating func leave(_ run: Run) -> Answers {
        let (store, model) = (store, model)
        let pause: PauseCause? = chance.below(2) == 0 ? nil : .stop
        return ask({ () throws(StoreError) in
            try store.leave(run: run, reason: "test", pause: pause)
        }) { () throws(StoreError) in
            try model.leave(run: run, reason: "test", pause: pause)
        }
    }

    private mutating func ask() -> Answers {
        let kinds: [RunWish.Kind] = [.pause, .pause, .brake, .cancel]
        let kind = chance.below(12) == 0 ? .cancel : kinds[chance.below(3)]
        let wish = RunWish(kind: kind, by: "ann", text: "why")
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in try store.ask(runID: 1, wish) }) {
            () throws(StoreError) in try model.ask(wish)
        }
    }

    private mutating func resume() -> Answers {
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in try store.resume(runID: 1, by: "ann") }) {
            () throws(StoreError) in try model.resumeRun()
        }
    }

    private mutating func heartbeat(_ run: Run) -> Answers {
        let (store, model, share) = (store, model, Int64(chance.below(10_000)))
        return ask({ () throws(StoreError) in try store.heartbeat(run: run, share: share) }) {
            () throws(StoreError) in try model.heartbeat(run: run, share: share)
        }
    }

    private mutating func share(_ run: Run) throws -> Answers {
        try both.moveEnds(longAgo: chance.below(2) == 0)
        let (store, model, wanted) = (store, model, Int64(chance.below(10_000)))
        return ask({ () throws(StoreError) in try store.takeShare(run: run, wanted: wanted) }) {
            () throws(StoreError) in try model.takeShare(run: run, wanted: wanted)
        }
    }

    private mutating func setState(_ run: Run) -> Answers {
        // Mostly the way forward, so that the story gets on.
        let now = model.tables.run?.state ?? .planned
        let forward: RunState =
            switch now {
            case .planned: .freezing
            case .freezing: probe == .none ? .sending : .preflight
            case .preflight: .canary
            case .canary: .sending
            case .sending: .retrying
            default: .sending
            }
        let state = chance.below(3) > 0 ? forward : chance.one(of: RunState.allCases)
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in
            try store.setState(run: run, to: state, reason: "why", cause: nil)
        }) { () throws(StoreError) in
            try model.setState(run: run, to: state, reason: "why", cause: nil)
        }
    }

    private mutating func freeze(_ run: Run) -> Answers {
        var plan = FreezePlan()
        plan.sliceSize = TwoDatabases.sliceSize
        plan.probe = probe
        let (store, model) = (store, model)
        return ask({ () throws(StoreError) in try store.freeze(run: run, plan: plan) }) {
            () throws(StoreError) in try model.freeze(run: run, plan: plan)
        }
    }
}
