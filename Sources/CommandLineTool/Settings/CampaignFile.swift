internal import CampaignModel
internal import CampaignStore
internal import DocumentText
internal import DocumentTree

/// A campaign file that is valid.
struct CampaignFile {
    /// The file as the user named it.
    let name: String
    let bytes: [UInt8]
    let campaign: Campaign
    /// What its author should know.
    let warnings: [Diagnostic]

    /// Reads and checks a campaign file.
    ///
    /// - Parameter name: the file's path.
    /// - Throws: `CommandFailure` with everything that is wrong with it.
    init(_ name: String) throws(CommandFailure) {
        let file = try DocumentFile(name, failingWith: .badFile)
        try self.init(name, file.bytes, CampaignReader.read(file.root, file: name))
    }

    /// Reads the definition that the database has of a run.
    ///
    /// - Parameter run: the run.
    /// - Throws: `CommandFailure` with everything that this version finds wrong with it.
    init(of run: Run) throws(CommandFailure) {
        let name = "run \(run.id)"
        let bytes = Array(run.definition.utf8)
        let result = DocumentText.parse(bytes, file: name).flatMap { root in
            CampaignReader.read(root, file: name)
        }
        try self.init(name, bytes, result)
    }

    private init(
        _ name: String, _ bytes: [UInt8], _ result: Result<Checked<Campaign>, Diagnostics>
    ) throws(CommandFailure) {
        switch result {
        case .success(let checked):
            self.name = name
            self.bytes = bytes
            campaign = checked.value
            warnings = checked.warnings
        case .failure(let diagnostics):
            throw CommandFailure(.badFile, diagnostics.description)
        }
    }
}
