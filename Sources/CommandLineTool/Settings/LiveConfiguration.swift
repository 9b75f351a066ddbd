internal import CampaignModel
internal import CampaignRunner
internal import LinuxIO

/// The configuration of a process that works for long: it can be read again while it runs.
///
/// *Thread*: any.
final class LiveConfiguration: Sendable {
    private let arguments: ParsedArguments
    private let console: Console
    private let current: Monitor<ConfigurationFile>

    /// Reads the configuration; see `ConfigurationFile`.
    init(_ arguments: ParsedArguments, console: Console) throws(CommandFailure) {
        self.arguments = arguments
        self.console = console
        current = Monitor(try ConfigurationFile(arguments, console: console))
    }

    /// As it was read last.
    var file: ConfigurationFile { current.withLock { $0 } }

    /// Reads it again; a file with a fault leaves everything as it is. Database, state folder and
    /// tuning stay those of the start.
    ///
    /// - Returns: whether it could be read.
    @discardableResult
    func reread() -> Bool {
        do throws(CommandFailure) {
            let file = try ConfigurationFile(arguments, console: console)
            current.withLock { $0 = file }
            return true
        } catch {
            console.message(error.message)
            return false
        }
    }

    /// Reads it again, with the keys and certificates that it names.
    ///
    /// - Parameter campaign: what they are for.
    /// - Returns: where to send to from now on; nil, and a message, if something is wrong with it.
    func rereadEndpoint(for campaign: Campaign) -> PushEndpoint? {
        guard reread() else { return nil }
        do {
            return try PushTarget.endpoint(for: campaign, file, console: console)
        } catch {
            console.message(CommandFailure(error).message)
            return nil
        }
    }
}
