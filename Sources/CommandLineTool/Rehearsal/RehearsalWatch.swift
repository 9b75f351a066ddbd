internal import APNSSimulator
internal import CampaignRunner
internal import CampaignStore
internal import LinuxIO

/// What a rehearsal showed.
struct RehearsalSeen: Equatable, Sendable {
    /// Seconds that each phase took, in order.
    var phases: [Phase] = []
    /// The mean size of the main send's payloads in bytes; nil if none was sent.
    var payloadBytesMean: Int?

    /// One phase.
    struct Phase: Equatable, Sendable {
        let phase: RunPhase
        let seconds: Double
        let perSecond: Double
    }

    /// Seconds that the real run would take for sending.
    var seconds: Double { phases.reduce(0) { $0 + $1.seconds } }
}

/// Lets a narrator tell what the rehearsal does, and remembers how long it took.
///
/// *Thread*: any; the runner calls it from the run's.
final class RehearsalWatch: RunObserver, Sendable {
    let narrator: RunNarrator
    private let simulator: Simulator
    private let state = Monitor(State())

    private struct State {
        var seen = RehearsalSeen()
        /// Requests and their bytes before the main send.
        var before: (requests: Int, bytes: Int) = (0, 0)
    }

    init(narrator: RunNarrator, simulator: Simulator) {
        self.narrator = narrator
        self.simulator = simulator
    }

    /// What was seen so far.
    var seen: RehearsalSeen { state.withLock(\.seen) }

    func runDid(_ event: RunEvent) {
        switch event {
        case .phaseStarted(.send, _):
            let now = simulator.snapshot()
            state.withLock { $0.before = (now.requests, now.bodyBytes) }
        case .phaseEnded(let phase, let progress, _): ended(phase, progress)
        default: break
        }
        narrator.runDid(event)
    }

    private func ended(_ phase: RunPhase, _ progress: RunProgress) {
        let now = simulator.snapshot()
        state.withLock { state in
            state.seen.phases.append(
                RehearsalSeen.Phase(
                    phase: phase, seconds: progress.seconds, perSecond: progress.perSecond))
            let requests = now.requests - state.before.requests
            guard phase == .send, requests > 0 else { return }
            state.seen.payloadBytesMean = (now.bodyBytes - state.before.bytes) / requests
        }
    }
}
