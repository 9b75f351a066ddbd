internal import APNSProtocol
internal import CampaignStore
internal import LinuxIO

/// One import of a file of devices.
struct DevicesImport {
    /// The file's path; `-` is the standard input.
    let file: String
    /// For rows that do not say.
    let defaults: DeviceDefaults

    /// Imports all good rows of the file, or nothing.
    ///
    /// - Parameter store: the database.
    /// - Returns: what became of the rows.
    /// - Throws: `CommandFailure` when the file can't be used, `StoreError` when the database
    ///   can't.
    func carryOut(_ store: Store) throws -> ImportSummary {
        let pieces = try FilePieces(file)
        do throws(StoreError) {
            return try store.importDevices(defaults: defaults) { () throws(StoreError) in
                do throws(SystemError) {
                    return try pieces.next()
                } catch {
                    throw .source("\(error)")
                }
            }
        } catch .importRefused(let text) {
            throw CommandFailure(.badFile, "\(file): \(text); nothing was imported.")
        }
    }
}
