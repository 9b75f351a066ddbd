internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// Why a phase stops before its end.
enum StopCause: Sendable, Equatable {
    /// A person or the system asked for it.
    case requested
    /// A brake tripped.
    case brake(BrakeEvidence)
    /// APNs refuses the credentials.
    case credentials(String)
    /// APNs refuses the campaign's own form.
    case campaign(String)
    /// APNs can't be reached.
    case unreachable(String)
    /// The server's certificate is not trusted.
    case untrusted(String)
    /// The database failed.
    case database(String)
    /// This worker was evicted: others have what it held.
    case leaseLost
    /// The run is asked to stop, by a person or by another worker's brake.
    case wished(RunWish)
    /// The run has ended or is paused.
    case closed(RunState)
    /// The credentials are to be read again; then it goes on.
    case reload
}

/// The first reason to stop, seen by every thread of a run.
///
/// *Thread*: any.
final class StopSwitch: Sendable {
    private let cause: Monitor<StopCause?>
    private let listener: Monitor<(@Sendable () -> Void)?>

    /// A switch that nobody has tripped.
    ///
    /// - Parameter surroundings: where threads wait for it.
    init(in surroundings: any RunSurroundings = SystemSurroundings()) {
        cause = surroundings.monitor(nil)
        listener = surroundings.monitor(nil)
    }

    /// Asks for a stop; the first cause stays, but a mere reload gives way to any other.
    func trip(_ newCause: StopCause) {
        cause.withLock { if $0 == nil || $0 == .reload { $0 = newCause } }
        cause.signal()
        listener.withLock { $0 }?()
    }

    /// What was learnt could not be recorded, which weighs more than whatever came first.
    func overrule(_ newCause: StopCause) {
        cause.withLock { $0 = newCause }
        cause.signal()
    }

    /// Calls somebody at every trip, on the thread that trips.
    func onTrip(_ body: (@Sendable () -> Void)?) {
        listener.withLock { $0 = body }
    }

    /// The reload is done: the run goes on, unless there is another cause by now.
    func clearReload() {
        cause.withLock { if $0 == .reload { $0 = nil } }
    }

    /// A new part of the run begins after the worker was evicted.
    func clearLeaseLost() {
        cause.withLock { if $0 == .leaseLost { $0 = nil } }
    }

    /// Why to stop, or nil to go on.
    var tripped: StopCause? { cause.withLock { $0 } }

    /// Waits until the switch is tripped or the time has come. Returns the cause, if any.
    func wait(untilNanoseconds: Int64) -> StopCause? {
        _ = cause.wait(untilNanoseconds: untilNanoseconds) { $0 != nil }
        return tripped
    }
}
