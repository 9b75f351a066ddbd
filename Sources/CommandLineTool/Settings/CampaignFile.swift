internal import CampaignModel
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
        switch CampaignReader.read(file.root, file: name) {
        case .success(let checked):
            self.name = name
            bytes = file.bytes
            campaign = checked.value
            warnings = checked.warnings
        case .failure(let diagnostics):
            throw CommandFailure(.badFile, diagnostics.description)
        }
    }
}
