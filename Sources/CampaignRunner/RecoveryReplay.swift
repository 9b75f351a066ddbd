package import CampaignStore
internal import LinuxIO

/// Records what the recovery files of this machine hold, and ends the workers that wrote them.
///
/// It can be interrupted at any moment and done again: recording a batch twice changes nothing, and
/// a file is removed only when everything in it is recorded.
///
/// *Thread*: any that may block.
package struct RecoveryReplay {
    /// What was recorded for one worker.
    package struct Worker: Sendable, Equatable {
        /// The run.
        package let runID: Int64
        /// The worker that could not record it.
        package let workerID: Int32
        /// Outcomes that the database has now.
        package var recorded = 0
        /// Outcomes that came too late.
        package var dropped = 0
    }

    /// What came of it.
    package private(set) var workers: [Worker] = []
    /// What could not be done, a sentence each.
    package private(set) var troubles: [String] = []

    /// Nothing was done yet.
    package init() {}

    /// Records everything that belongs to runs of this database.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files.
    ///   - store: A connection.
    package mutating func replay(_ folder: RecoveryFolder, into store: Store) {
        do {
            for path in try folder.files().sorted() {
                guard let file = try folder.open(path) else { continue }
                try replay(file, path, store)
            }
        } catch {
            troubles.append("Recovery files: \(error)")
        }
        // Whoever wrote a file that nobody holds has given the database up for good.
        for worker in workers {
            do throws(StoreError) {
                try store.evict(
                    worker: worker.workerID, reason: "its recovery file was recorded", force: true)
            } catch {
                troubles.append("Worker \(worker.workerID): \(error)")
            }
        }
    }

    /// Records one file, and removes it if all of it is recorded.
    private mutating func replay(
        _ file: borrowing RecoveryFile, _ path: String, _ store: Store
    ) throws {
        let contents = try file.read()
        var others = 0
        for record in contents.records {
            if try !self.record(record, store) { others += 1 }
        }
        if others == 0, contents.faults.isEmpty { return try file.remove() }
        for fault in contents.faults { troubles.append("\(path): \(fault)") }
        if others > 0 {
            troubles.append(
                "\(path): \(others) batches belong to no run of this database; they stay there.")
        }
    }

    /// Records a batch. Returns whether it belongs to a run of this database.
    private mutating func record(
        _ record: RecoveryRecord, _ store: Store
    ) throws(StoreError) -> Bool {
        let origin = record.origin
        guard let run = try store.findRun(id: origin.runID), origin.matches(run) else {
            return false
        }
        let batch = try store.recordRecovered(record, of: run)
        let index = workers.firstIndex { $0.workerID == origin.workerID } ?? workers.count
        if index == workers.count {
            workers.append(Worker(runID: origin.runID, workerID: origin.workerID))
        }
        workers[index].recorded += batch.recorded
        workers[index].dropped += batch.dropped
        return true
    }
}
