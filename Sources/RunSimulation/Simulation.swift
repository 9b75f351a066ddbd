/// One simulation of a run, from a seed.
package enum Simulation {
    /// What came of it.
    package struct Report: Sendable, Equatable {
        /// The seed.
        package let seed: UInt64
        /// The first fault found; nil: every promise was kept.
        package let fault: String?
        /// Points at which another fiber could have gone on.
        package let steps: Int
        /// A digest of all steps: the same seed gives the same one.
        package let digest: UInt64
        /// The time that passed in the simulation, in nanoseconds.
        package let nanoseconds: Int64
        /// The state that the run ended in.
        package let state: String
        /// Processes killed.
        package let kills: Int
        /// Workers evicted.
        package let evictions: Int
        /// Recipients that were in doubt then.
        package let doubts: Int
        /// Batches recorded after their worker's end.
        package let late: Int
        /// How often the run was paused.
        package let pauses: Int
        /// Requests that began.
        package let requests: Int
    }

    /// Lives through one simulation.
    ///
    /// - Parameters:
    ///   - seed: decides everything.
    ///   - fault: a rule to break on purpose; nil for none.
    ///   - trace: gets a line for each step; nil: none are made.
    /// - Returns: what came of it. After a fault the simulation's threads stay behind, blocked.
    package static func run(
        seed: UInt64, fault: ModelFault? = nil, trace: ((String) -> Void)? = nil
    ) -> Report {
        let world = SimulatedWorld(SimulationPlan(seed: seed), fault: fault, trace: trace)
        world.live()
        let counts = world.checks.counts
        return Report(
            seed: seed, fault: world.scheduler.fault, steps: world.scheduler.steps,
            digest: world.scheduler.digest, nanoseconds: world.scheduler.now,
            state: "\(world.state)", kills: world.kills, evictions: counts.evictions,
            doubts: counts.doubts, late: counts.late, pauses: counts.pauses,
            requests: counts.requests)
    }
}
