internal import Glibc
internal import RunSimulation

/// What all simulations of a process add up to.
struct SimulationTotal {
    private(set) var failures = 0
    private var seeds = 0
    private var steps = 0
    private var kills = 0
    private var evictions = 0
    private var doubts = 0
    private var late = 0
    private var pauses = 0
    private var requests = 0
    private var finished = 0
    private let start = Self.seconds()

    private static func seconds() -> Double {
        var time = timespec()
        // Sound: the kernel writes the time into this variable during the call.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    mutating func add(_ report: Simulation.Report) {
        seeds += 1
        failures += report.fault == nil ? 0 : 1
        steps += report.steps
        kills += report.kills
        evictions += report.evictions
        doubts += report.doubts
        late += report.late
        pauses += report.pauses
        requests += report.requests
        finished += report.state == "finished" ? 1 : 0
    }

    /// One line of names and numbers, for people and for the script that adds several up.
    var line: String {
        let seconds = max(Self.seconds() - start, 0.001)
        let perMinute = Int(Double(steps) / seconds * 60)
        return "total seeds \(seeds) steps \(steps) per-minute \(perMinute) requests \(requests) "
            + "finished \(finished) kills \(kills) evictions \(evictions) doubts \(doubts) "
            + "late \(late) pauses \(pauses) failures \(failures)"
    }
}
