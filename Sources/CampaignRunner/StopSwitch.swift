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
    /// Another worker took the run over.
    case leaseLost
}

/// The first reason to stop, seen by every thread of a run.
///
/// *Thread*: any.
final class StopSwitch: Sendable {
    private let cause: Monitor<StopCause?>

    /// A switch that nobody has tripped.
    ///
    /// - Parameter surroundings: where threads wait for it.
    init(in surroundings: any RunSurroundings = SystemSurroundings()) {
        cause = surroundings.monitor(nil)
    }

    /// Asks for a stop; the first cause stays.
    func trip(_ newCause: StopCause) {
        cause.withLock { if $0 == nil { $0 = newCause } }
        cause.signal()
    }

    /// Why to stop, or nil to go on.
    var tripped: StopCause? { cause.withLock { $0 } }

    /// Waits until the switch is tripped or the time has come. Returns the cause, if any.
    func wait(untilNanoseconds: Int64) -> StopCause? {
        _ = cause.wait(untilNanoseconds: untilNanoseconds) { $0 != nil }
        return tripped
    }
}
