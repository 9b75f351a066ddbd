import APNSProtocol
import CampaignRunner
import CampaignStore
import LinuxIO
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct RecoveryFolderTests {
    private func with(_ body: (RecoveryFolder, Run) throws -> Void) throws {
        try TestCluster.withDatabase { conninfo in
            let store = try Store(conninfo: conninfo, purpose: "test")
            try store.migrate()
            let new = NewRun(
                campaign: "sale", occurrence: "today", definition: "{}", definitionHash: "h",
                app: "com.example.shop", environment: .production, startedBy: "test")
            let worker = WorkerFacts(host: "here", pid: 1, pidStartedTicks: 1, version: "test")
            let opened = try store.openRun(new, worker: worker, isAlive: { _, _ in false })
            guard case .created(let run) = opened else {
                Issue.record("\(opened)")
                return
            }
            try withTemporaryDirectory { directory in
                try body(RecoveryFolder("\(directory)/state/recovery"), run)
            }
        }
    }

    private func batch(_ ordinals: ClosedRange<Int32>) -> RecordBatch {
        var batch = RecordBatch(phase: .send, id: Int64(ordinals.upperBound))
        batch.outcomes = ordinals.map {
            OutcomeRecord(ordinal: $0, kind: .accepted, status: 200, source: 0)
        }
        return batch
    }

    private func read(_ folder: RecoveryFolder) throws -> [RecoveryRecord] {
        var records: [RecoveryRecord] = []
        for path in try folder.files() {
            guard let file = try folder.open(path) else { continue }
            let contents = try file.read()
            #expect(contents.faults.isEmpty)
            records += contents.records
            try file.remove()
        }
        return records
    }

    @Test func batchesAreKeptUntilTheyAreRemoved() throws {
        try with { folder, run in
            #expect(try folder.files() == [])
            let batches = [batch(1...3), batch(4...4), batch(5...1000)]
            let path = try folder.append(Array(batches[..<2]), of: run)
            #expect(try folder.append([batches[2]], of: run) == path)
            #expect(try FileContents.modeBits(path ?? "") == 0o600)
            #expect(try folder.files() == [path])
            let records = try read(folder)
            #expect(records.map(\.batch.id) == batches.map(\.id))
            #expect(records.map(\.batch.outcomes) == batches.map(\.outcomes))
            #expect(records.allSatisfy { $0.origin.matches(run) })
            #expect(records.allSatisfy { $0.origin.workerID == run.workerID })
            #expect(try folder.files() == [])
        }
    }

    @Test func nothingMakesNoFile() throws {
        try with { folder, run in
            var announcement = RecordBatch(phase: .send, id: 8)
            announcement.announcements = [.slice(number: 0, through: 10)]
            let path = try folder.append([announcement], of: run)
            #expect(path == nil)
            #expect(!FileContents.exists(folder.path))
        }
    }

    @Test func whileOneReadsAnotherNameIsTaken() throws {
        try with { folder, run in
            let path = try folder.append([batch(1...1)], of: run) ?? ""
            let file = try folder.open(path)
            let isHeld = try folder.open(path) == nil
            #expect(isHeld)
            let other = try folder.append([batch(2...2)], of: run)
            #expect(other != path)
            let files = try folder.files()
            #expect(files.count == 2)
            try file?.remove()
            #expect(try read(folder).map(\.batch.outcomes.first?.ordinal) == [2])
        }
    }

    @Test func otherFilesInTheFolderAreLeftAlone() throws {
        try with { folder, run in
            try folder.append([batch(1...1)], of: run)
            try FileContents.write("\(folder.path)/notes.txt", [1], mode: 0o600)
            let files = try folder.files()
            #expect(files.count == 1)
        }
    }
}
