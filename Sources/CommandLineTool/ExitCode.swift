/// How the program ended, as a shell, cron or systemd reads it.
///
/// The numbers are those of sysexits.h, so that a scheduler can tell "run it again" (75) from
/// "somebody must fix something" (65, 77, 78) without reading a message. `sortie help exit-codes`
/// prints this table.
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case usage = 64
    case badFile = 65
    case outOfReach = 69
    case ourBug = 70
    case cannotWrite = 74
    case stoppedEarly = 75
    case credentialsRefused = 77
    case badConfiguration = 78
    case startMissed = 79

    /// What the code means, as one line for a person who looks it up.
    var meaning: String {
        switch self {
        case .done: "done; also: this occurrence is already finished, or nothing was to do"
        case .usage: "the command line is wrong"
        case .badFile: "a campaign file or a data file is wrong"
        case .outOfReach: "the database or APNs is out of reach"
        case .ourBug: "a fault in sortie itself"
        case .cannotWrite: "results or files could not be written (a full disk, missing rights)"
        case .stoppedEarly: "stopped before the end; run the same command again to go on"
        case .credentialsRefused: "APNs refuses the credentials"
        case .badConfiguration: "the configuration (sortie.json) is wrong"
        case .startMissed: "the start was missed (schedule.not_later_than); nothing was sent"
        }
    }
}
