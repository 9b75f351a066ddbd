internal import APNSSimulator
internal import CampaignStore
internal import LinuxIO
internal import LocalCluster
internal import TLS

/// Why a command cannot go on: the exit status and what to say.
struct CommandFailure: Error, Equatable {
    let code: ExitCode
    /// What happened, to what, and what to do next.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What an error of another room means for a command. Commands let such errors pass; this is
    /// the one place that turns them into an exit status.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(error)
        case let error as ClusterError: self.init(.outOfReach, error.description)
        case let error as SystemError: self.init(.cannotWrite, error.description)
        case let error as SimulatorError:
            self.init(.outOfReach, "The simulator can't start: \(error.description)")
        case let error as KeyError: self.init(.badConfiguration, error.description)
        case let error as IdentityError: self.init(.badConfiguration, error.description)
        case let error as TLSError: self.init(.badConfiguration, error.description)
        default: self.init(.ourBug, "sortie: \(error)")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .database, .leaseLost, .stateChangeRefused:
            self.init(.outOfReach, error.description)
        case .schemaMismatch: self.init(.badConfiguration, error.description)
        case .audienceRefused, .importRefused, .source: self.init(.badFile, error.description)
        }
    }
}
