// Recovery files: what a worker could not record because the database never came back.
//
// A worker that gives up on the database knows answers that nobody else will ever know. It appends
// them to a file here and ends; whoever goes on with the run on this machine records them first.
// Without the file these recipients would be in doubt: nothing is lost without it but certainty.

package import CampaignStore
package import LinuxIO

/// The folder of recovery files.
///
/// *Order of calls:* a worker calls ``append(_:of:)``; later somebody calls ``files()``, and for
/// each ``open(_:)``, ``RecoveryFile/read()``, records what is in it, and
/// ``RecoveryFile/remove()``. Recording a batch twice is harmless, by its id.
///
/// *Thread:* any that may block.
package struct RecoveryFolder: Sendable {
    private static let suffix = ".recovery"
    /// A file that another process reads is left to it, and the next name taken; so many readers
    /// at once there are not.
    private static let filesPerWorkerMax = 100

    /// An absolute path.
    package let path: String

    /// Names a folder; nothing is made yet.
    ///
    /// - Parameter path: An absolute path.
    package init(_ path: String) {
        self.path = path
    }

    /// Appends batches that could not be recorded, and waits until they are on the disk.
    ///
    /// The batch whose commit failed comes first, then those that were not tried yet. Announcements
    /// are not kept, see ``RecoveryRecord``.
    ///
    /// - Parameters:
    ///   - batches: What could not be recorded, in order.
    ///   - run: The run that this worker held.
    /// - Returns: The file's path; nil if there was nothing to keep.
    /// - Throws: `SystemError` such as "append to PATH: No space left on device"; batches before
    ///   the failing one are kept.
    ///
    /// *Cost:* memory of one batch's bytes, one `fsync` for each.
    @discardableResult
    package func append(_ batches: [RecordBatch], of run: Run) throws(SystemError) -> String? {
        let origin = RecoveryOrigin(run)
        let records = batches.map { RecoveryRecord(origin: origin, batch: $0) }
            .filter { !$0.batch.isEmpty }
        if records.isEmpty { return nil }
        try FileContents.makeDirectory(path, mode: 0o700)
        for number in 1...Self.filesPerWorkerMax {
            let part = number == 1 ? "" : "-\(number)"
            let name = "run-\(run.id)-worker-\(run.workerID)\(part)\(Self.suffix)"
            let path = "\(path)/\(name)"
            guard let file = try LockedFile.open(path, creatingWithMode: 0o600) else { continue }
            for record in records { try file.append(RecoveryCodec.encode(record)) }
            return path
        }
        throw SystemError(
            "append to", "\(path)/run-\(run.id)-worker-\(run.workerID)\(Self.suffix)",
            explanation: "other processes hold this file and all that could stand in for it")
    }

    /// The recovery files that there are.
    ///
    /// - Returns: Their paths; none if the folder does not exist.
    /// - Throws: `SystemError` if it can't be read.
    package func files() throws(SystemError) -> [String] {
        try FileContents.names(in: path).filter { $0.hasSuffix(Self.suffix) }
            .map { "\(path)/\($0)" }
    }

    /// Takes a file, so that no other process appends to it or reads it.
    ///
    /// - Parameter path: One of ``files()``.
    /// - Returns: nil if another process has it at this moment; it is that one's then.
    /// - Throws: `SystemError` if it can't be opened.
    package func open(_ path: String) throws(SystemError) -> RecoveryFile? {
        guard let file = try LockedFile.open(path, creatingWithMode: nil) else { return nil }
        return RecoveryFile(file)
    }
}

/// A recovery file that this process has to itself.
package struct RecoveryFile: ~Copyable {
    /// A worker's outcomes that wait for the database are bounded to some megabytes; this many
    /// would be a hundred workers' in one file.
    private static let bytesMax = 256 << 20
    private let file: LockedFile

    fileprivate init(_ file: consuming LockedFile) {
        self.file = file
    }

    /// Reads everything that is whole.
    ///
    /// - Returns: The batches in the order in which they were appended, and what can't be read.
    /// - Throws: `SystemError`.
    package func read() throws(SystemError) -> RecoveryContents {
        RecoveryCodec.decode(try file.read(limitBytes: Self.bytesMax))
    }

    /// Removes the file, when everything in it is recorded.
    ///
    /// - Throws: `SystemError`.
    package func remove() throws(SystemError) {
        try file.remove()
    }
}
