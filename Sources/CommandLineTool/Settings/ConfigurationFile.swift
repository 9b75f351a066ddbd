internal import CampaignModel
internal import DocumentTree
internal import LinuxIO

/// The configuration that a command works with.
struct ConfigurationFile {
    /// Where the configuration is looked for if nobody names it.
    static let usualPlaces = ["./sortie.json", "/etc/sortie/sortie.json"]

    /// The file as it was found. Nil: there is none, and `configuration` is empty.
    let name: String?
    let configuration: Configuration

    /// Finds and reads the configuration: `--config`, `SORTIE_CONFIG`, `./sortie.json`,
    /// `/etc/sortie/sortie.json`; the first that is given or there.
    ///
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - console: where warnings go, unless the command is to be quiet.
    /// - Throws: `CommandFailure` when a named file is missing, or the file is wrong.
    init(_ arguments: ParsedArguments, console: Console) throws(CommandFailure) {
        let named = arguments.text("config") ?? Environment.value("SORTIE_CONFIG")
        guard let name = named ?? Self.usualPlaces.first(where: FileContents.exists) else {
            self.init()
            return
        }
        try self.init(named: name, console: arguments.has("quiet") ? nil : console)
    }

    /// No configuration.
    init() {
        name = nil
        configuration = Configuration()
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - name: the file's path.
    ///   - console: where warnings go; nil drops them.
    /// - Throws: `CommandFailure` with everything that is wrong with it.
    init(named name: String, console: Console?) throws(CommandFailure) {
        let file = try DocumentFile(name, failingWith: .badConfiguration)
        switch ConfigurationReader.read(file.root, file: name) {
        case .success(let checked):
            for warning in checked.warnings { console?.message(warning.description) }
            self.name = name
            configuration = checked.value
        case .failure(let diagnostics):
            throw CommandFailure(.badConfiguration, diagnostics.description)
        }
    }
}
