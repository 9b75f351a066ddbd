// What a worker knows and could not record, kept outside of the database until it can be.

/// Whose batch it is. The ids alone would not do: another database counts from 1 as well.
package struct RecoveryOrigin: Sendable, Equatable {
    /// The run.
    package let runID: Int64
    /// The worker that sent.
    package let workerID: Int32
    /// The campaign's name.
    package let campaign: String
    /// The occurrence's name.
    package let occurrence: String
    /// The digest of the definition that was sent.
    package let definitionHash: String

    /// The origin of what a run's holder knows.
    ///
    /// - Parameter run: The run held.
    package init(_ run: Run) {
        self.init(
            runID: run.id, workerID: run.workerID, campaign: run.campaign,
            occurrence: run.occurrence, definitionHash: run.definitionHash)
    }

    /// Creates an origin.
    package init(
        runID: Int64, workerID: Int32, campaign: String, occurrence: String, definitionHash: String
    ) {
        self.runID = runID
        self.workerID = workerID
        self.campaign = campaign
        self.occurrence = occurrence
        self.definitionHash = definitionHash
    }

    /// Whether a run of this database is the one that the batch belongs to.
    ///
    /// - Parameter run: The run with the same id.
    /// - Returns: Whether its names and definition are the same too.
    package func matches(_ run: Run) -> Bool {
        runID == run.id && campaign == run.campaign && occurrence == run.occurrence
            && definitionHash == run.definitionHash
    }
}

/// A batch that was not recorded, or of which nobody knows whether it was.
package struct RecoveryRecord: Sendable {
    /// Whose it is.
    package let origin: RecoveryOrigin
    /// The outcomes and parkings, under the id of the attempt that failed. Announcements are left
    /// out: what was not announced durably was not sent, and must not look as if it was in doubt.
    package let batch: RecordBatch

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - origin: Whose it is.
    ///   - batch: What could not be recorded; its announcements are dropped, and texts of reasons
    ///     that nothing in it has.
    package init(origin: RecoveryOrigin, batch: RecordBatch) {
        self.origin = origin
        var batch = batch
        batch.announcements = []
        let used = Set(batch.outcomes.map(\.reason)).union(batch.parks.map(\.reason))
        batch.reasonTexts = batch.reasonTexts.filter { used.contains($0.key) }
        self.batch = batch
    }
}

/// What a recovery file holds.
package struct RecoveryContents: Sendable {
    /// The records, in the order in which they were written.
    package var records: [RecoveryRecord] = []
    /// The places that can't be read.
    package var faults: [RecoveryFault] = []

    /// Creates empty contents.
    package init() {}
}

/// A part of a recovery file that can't be read.
package struct RecoveryFault: Sendable, Equatable, CustomStringConvertible {
    /// Why.
    package enum Cause: Sendable {
        /// The file ends in the middle of a record, or the bytes are not those that were written.
        case damaged
        /// It is whole, and written by another version of sortie.
        case otherVersion
    }

    /// Bytes before it.
    package let offset: Int
    /// Its length in bytes.
    package let byteCount: Int
    /// Why it can't be read.
    package let cause: Cause

    package var description: String {
        let place = "\(byteCount) bytes from byte \(offset) on"
        return switch cause {
        case .damaged:
            "\(place) can't be read: the file was cut off in the middle of a record or is damaged"
        case .otherVersion:
            "\(place) were written by another version of sortie; use that one"
        }
    }
}
